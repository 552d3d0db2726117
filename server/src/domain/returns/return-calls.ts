import { findReferenceIn, listingOf } from '../records/index.ts'
import {
  creatingOf,
  endingOf,
  listingReceiptsOf,
  readingOf,
  receivingOf,
  recordJson,
  undoingOf,
  updatingOf,
} from '../receiving/index.ts'
import { RETURN } from './return-kind.ts'
import type { Return, ReturnReceipt, ReturnSummary } from './schemas.ts'

/** What the endpoints of returns do. */
export const findReturnByReference = findReferenceIn(RETURN.tables.records)
export const createReturnRecord = creatingOf(RETURN, findReturnByReference)
export const readReturn = readingOf<Return>(RETURN)
export const listReturnRecords = listingOf<ReturnSummary>({
  name: 'list_returns',
  table: RETURN.tables.records,
  filters: RETURN.filters,
  json: recordJson(RETURN),
})
export const listReceiptsOfReturn = listingReceiptsOf<ReturnReceipt>(RETURN)
export const changeReturn = updatingOf(RETURN)
export const receiveBack = receivingOf(RETURN)
export const undoReceipt = undoingOf<ReturnReceipt>(RETURN)
export const endReturn = { closed: endingOf(RETURN, 'closed'), cancelled: endingOf(RETURN, 'cancelled') }

import { listingOf } from '../records/index.ts'
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
import { INBOUND } from './inbound-kind.ts'
import type { Inbound, InboundReceipt, InboundSummary } from './schemas.ts'

/** What the endpoints of deliveries do. */
export const createInboundRecord = creatingOf(INBOUND)
export const readInbound = readingOf<Inbound>(INBOUND)
export const listInboundRecords = listingOf<InboundSummary>({
  name: 'list_inbound',
  table: INBOUND.tables.records,
  filters: INBOUND.filters,
  json: recordJson(INBOUND),
})
export const listReceiptsOfInbound = listingReceiptsOf<InboundReceipt>(INBOUND)
export const changeInbound = updatingOf(INBOUND)
export const receiveGoods = receivingOf(INBOUND)
export const undoReceipt = undoingOf<InboundReceipt>(INBOUND)
export const endInbound = { closed: endingOf(INBOUND, 'closed'), cancelled: endingOf(INBOUND, 'cancelled') }

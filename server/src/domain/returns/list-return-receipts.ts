import { endpoint } from '../../procedures/endpoint.ts'
import { listReceiptsInput } from '../receiving/index.ts'
import { listReceiptsOfReturn } from './return-calls.ts'
import { listReturnReceiptsOutput } from './schemas.ts'

/** The receipts of a return, newest first. Throws `not_found`. */
export const listReturnReceipts = endpoint({
  name: 'returns.receipts',
  scope: 'read:orders',
  method: 'GET',
  path: '/returns/{id}/receipts',
  summary: 'List receipts of a return',
  description: 'Newest first, including undone receipts. `total` is exact.',
  isAddition: true,
  readsReplica: true,
  input: listReceiptsInput,
  output: listReturnReceiptsOutput,
  run: ({ db, caller }, query) => listReceiptsOfReturn(db, caller.tenantId, query),
})

import { endpoint } from '../../procedures/endpoint.ts'
import { listReceiptsInput } from '../receiving/index.ts'
import { listReceiptsOfInbound } from './inbound-calls.ts'
import { listInboundReceiptsOutput } from './schemas.ts'

/** The receipts of a delivery, newest first. Throws `not_found`. */
export const listInboundReceipts = endpoint({
  name: 'inbound.receipts',
  scope: 'read:stock',
  method: 'GET',
  path: '/inbound/{id}/receipts',
  summary: 'List receipts of an expected delivery',
  description: 'Newest first, including undone receipts. `total` is exact.',
  isAddition: true,
  readsReplica: true,
  input: listReceiptsInput,
  output: listInboundReceiptsOutput,
  run: ({ db, caller }, query) => listReceiptsOfInbound(db, caller.tenantId, query),
})

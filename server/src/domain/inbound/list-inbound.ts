import { endpoint } from '../../procedures/endpoint.ts'
import { listInboundRecords } from './inbound-calls.ts'
import { listInboundInput, listInboundOutput } from './schemas.ts'

/** Deliveries, newest first. */
export const listInbound = endpoint({
  name: 'inbound.list',
  scope: 'read:stock',
  method: 'GET',
  path: '/inbound',
  summary: 'List expected deliveries',
  description: 'Newest first. Filters can be combined. `total` is exact.',
  isAddition: true,
  readsReplica: true,
  input: listInboundInput,
  output: listInboundOutput,
  run: async ({ db, caller }, query) => {
    const { records, pagination } = await listInboundRecords(db, caller.tenantId, query)
    return { inbound: records, pagination }
  },
})

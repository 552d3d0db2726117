import { endpoint } from '../../procedures/endpoint.ts'
import { listReturnRecords } from './return-calls.ts'
import { listReturnsInput, listReturnsOutput } from './schemas.ts'

/** Returns, newest first. */
export const listReturns = endpoint({
  name: 'returns.list',
  scope: 'read:orders',
  method: 'GET',
  path: '/returns',
  summary: 'List returns',
  description: 'Newest first. Filters can be combined. `total` is exact.',
  isAddition: true,
  readsReplica: true,
  input: listReturnsInput,
  output: listReturnsOutput,
  run: async ({ db, caller }, query) => {
    const { records, pagination } = await listReturnRecords(db, caller.tenantId, query)
    return { returns: records, pagination }
  },
})

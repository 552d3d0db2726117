import { endpoint } from '../../procedures/endpoint.ts'
import { listingOf } from '../records/index.ts'
import { countJson } from './count-json.ts'
import { type CountSummary, listCountsInput, listCountsOutput } from './schemas.ts'

export const COUNT_FILTERS = {
  state: { type: 'text', condition: 'r.state = ?' },
  warehouse_id: { type: 'bigint', condition: 'r.warehouse_id = ?' },
  reference: { type: 'text', condition: 'r.reference = ?' },
}

const listCountRecords = listingOf<CountSummary>({
  name: 'list_counts',
  table: 'stock_counts',
  filters: COUNT_FILTERS,
  json: countJson(),
})

/** Counts, newest first. */
export const listCounts = endpoint({
  name: 'counts.list',
  scope: 'read:stock',
  method: 'GET',
  path: '/counts',
  summary: 'List counts',
  description: 'Newest first. Filters can be combined. `total` is exact.',
  isAddition: true,
  readsReplica: true,
  input: listCountsInput,
  output: listCountsOutput,
  run: async ({ db, caller }, query) => {
    const { records, pagination } = await listCountRecords(db, caller.tenantId, query)
    return { counts: records, pagination }
  },
})

import { endpoint } from '../../procedures/endpoint.ts'
import { listingOf } from '../records/index.ts'
import { batchJson, STATE } from './batch-json.ts'
import { type FlowBatchSummary, listFlowBatchesInput, listFlowBatchesOutput } from './schemas.ts'

const reference = { type: 'text', condition: 'r.reference = ?' }

const listBatches = listingOf<FlowBatchSummary>({
  name: 'list_flow_batches',
  table: 'flow_batches',
  filters: { state: { type: 'text', condition: `${STATE} = ?` }, reference },
  json: batchJson(),
})

/** Those with a running flow: a few of many, found by their flows. */
const listStarted = listingOf<FlowBatchSummary>({
  name: 'list_started_flow_batches',
  table: `(
     select * from flow_batches where tenant_id = $1 and id = any (array(
       select batch_id from picking_flows where tenant_id = $1 and state = 'started' and batch_id is not null
     ))
   )`,
  filters: { reference },
  json: batchJson(),
})

/** Batches, newest first. */
export const listFlowBatches = endpoint({
  name: 'flowBatches.list',
  scope: 'read:orders',
  method: 'GET',
  path: '/flow-batches',
  summary: 'List batches',
  description: 'Newest first, without stops. Filters can be combined. `total` is exact.',
  isAddition: true,
  readsReplica: true,
  input: listFlowBatchesInput,
  output: listFlowBatchesOutput,
  run: async ({ db, caller }, query) => {
    const list = query.state === 'started' ? listStarted : listBatches
    const { records, pagination } = await list(db, caller.tenantId, query)
    return { flow_batches: records, pagination }
  },
})

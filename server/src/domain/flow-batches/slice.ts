import { slice } from '../../procedures/slice.ts'
import { cancelFlowBatch } from './cancel-flow-batch.ts'
import { completeFlowBatch } from './complete-flow-batch.ts'
import { createFlowBatch } from './create-flow-batch.ts'
import { getFlowBatch } from './get-flow-batch.ts'
import { listFlowBatches } from './list-flow-batches.ts'

/** Batches: flows of several orders that are picked in one walk. */
export const flowBatches = slice({
  tags: [{ name: 'flow-batches', description: 'Batches: picking flows of up to 50 orders, picked in one walk.' }],
  endpoints: [createFlowBatch, listFlowBatches, getFlowBatch, completeFlowBatch, cancelFlowBatch],
})

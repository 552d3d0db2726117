import { endpoint } from '../../procedures/endpoint.ts'
import { readBatch } from './read-batch.ts'
import { flowBatch, flowBatchId } from './schemas.ts'

/** A batch with its slots and stops. Throws `not_found`. */
export const getFlowBatch = endpoint({
  name: 'flowBatches.get',
  scope: 'read:orders',
  method: 'GET',
  path: '/flow-batches/{id}',
  summary: 'Get a batch with its stops',
  description: 'The batch with its slots and its remaining stops in pick order, with the quantity for each slot.',
  isAddition: true,
  input: flowBatchId,
  output: flowBatch,
  run: ({ db, caller }, { id }) => readBatch(db, caller.tenantId, id),
})

import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { cancelOneOfSeveral } from '../picking/index.ts'
import { lockBatch, lockLevelsOfFlows, settleFlowsOfBatch } from './lock-batch.ts'
import { readBatch } from './read-batch.ts'
import { cancelFlowBatchInput, flowBatch, MAX_LINES } from './schemas.ts'

/**
 * Cancels the running flows of a batch: their picks return to their locations. Cancelling a cancelled batch changes nothing. Throws
 * `not_found`, `flow_error`, and `adjustment_error` when a location cannot hold the returned picks.
 */
export const cancelFlowBatch = endpoint({
  name: 'flowBatches.cancel',
  scope: 'write:orders',
  method: 'POST',
  path: '/flow-batches/{id}/cancel',
  summary: 'Cancel a batch',
  description: `Cancels every running flow in slot order, as \`POST /flows/{id}/cancel\` does, all or nothing. Picks return to their locations, and orders to \`state_id\` 2. Cancelling a cancelled batch succeeds and changes nothing; a completed one returns \`flow_error\`.

Sends the events of each flow, slot by slot.`,
  errors: ['flow_error', 'adjustment_error'],
  isAddition: true,
  input: cancelFlowBatchInput,
  output: flowBatch,
  run: ({ db, caller }, { id, reason }) =>
    db.transaction(
      async (tx) => {
        const { tenantId, defaultWarehouse, keyName } = caller
        const { state, running } = await lockBatch(tx, caller, id)
        if (state === 'completed') throw new ServiceError('flow_error', 'The batch is completed and cannot be cancelled')
        if (running.length > 0) {
          await lockLevelsOfFlows(tx, tenantId, running)
          // One by one, at most 50: each flow's events follow those of the slot before it.
          for (const flow of running)
            await tx.run(cancelOneOfSeveral, [tenantId, flow, reason ?? null, defaultWarehouse.id, keyName])
          await settleFlowsOfBatch(tx, tenantId, running)
        }
        return readBatch(tx, tenantId, id)
      },
      { rows: MAX_LINES },
    ),
})

import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { completeOneOfSeveral, countCompletedFlows } from '../picking/index.ts'
import { lockBatch, settleFlowsOfBatch } from './lock-batch.ts'
import { readBatch } from './read-batch.ts'
import { flowBatch, flowBatchId, MAX_LINES } from './schemas.ts'

/** Completes the running flows of a batch. Completing a completed batch changes nothing. Throws `not_found` and `flow_error`. */
export const completeFlowBatch = endpoint({
  name: 'flowBatches.complete',
  scope: 'write:orders',
  method: 'POST',
  path: '/flow-batches/{id}/complete',
  summary: 'Complete a batch',
  description: `Completes every running flow in slot order, as \`POST /flows/{id}/complete\` does, all or nothing. Orders whose lines are all fulfilled are completed; the others return to \`state_id\` 2 and keep their picks. Completing a completed batch succeeds and changes nothing; a cancelled one returns \`flow_error\`.

Sends the events of each flow, slot by slot.`,
  errors: ['flow_error'],
  isAddition: true,
  input: flowBatchId,
  output: flowBatch,
  run: ({ db, caller }, { id }) =>
    db.transaction(
      async (tx) => {
        const { state, running } = await lockBatch(tx, caller, id)
        if (state === 'cancelled') throw new ServiceError('flow_error', 'The batch is cancelled and cannot be completed')
        // One by one, at most 50: each flow's events follow those of the slot before it.
        for (const flow of running) await tx.run(completeOneOfSeveral, [caller.tenantId, flow, caller.keyName])
        if (running.length > 0) {
          await tx.run(countCompletedFlows, [caller.tenantId, running])
          await settleFlowsOfBatch(tx, caller.tenantId, running)
        }
        return readBatch(tx, caller.tenantId, id)
      },
      { rows: MAX_LINES },
    ),
})

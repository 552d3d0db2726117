import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { cancelAndRelease } from './cancel-running-flow.ts'
import { flowColumns, type FlowRow, shownFlow } from './flow-columns.ts'
import { lockOrderOfFlow } from './order-lock.ts'
import { requireOwnFlow } from './own-flow.ts'
import { cancelFlowInput, pickingFlow } from './schemas.ts'

const selectCancelled = statement<[tenantId: number, flowId: number], FlowRow>({
  name: 'find_cancelled_flow',
  connection: 'read',
  sql: `select ${flowColumns('f', 'o')}
   from picking_flows f join orders o on o.tenant_id = $1 and o.id = f.order_id
   where f.tenant_id = $1 and f.id = $2 and f.state = 'cancelled'`,
})

/**
 * Cancels a flow: its picks return to their locations, and the order is released for another flow. Cancelling a cancelled flow changes
 * nothing. Throws `not_found`, `flow_error` when the flow is completed or another operator's, and `adjustment_error` when a location cannot
 * hold the returned picks.
 */
export const cancelFlow = endpoint({
  name: 'flows.cancel',
  scope: 'write:orders',
  method: 'POST',
  path: '/flows/{id}/cancel',
  summary: 'Cancel a picking flow',
  description: `Returns every pick of the flow to its location, with an \`IN\` movement with the reason \`return\`, and sets the order to \`state_id\` 2. Picks of earlier flows are kept. Cancelling a cancelled flow succeeds and sends no event.

Sends the stock events, \`flow/cancelled\` and \`order/updated\`.`,
  errors: ['flow_error', 'adjustment_error'],
  isAddition: true,
  input: cancelFlowInput,
  output: pickingFlow,
  run: (context, input) => {
    const { tenantId, defaultWarehouse, keyName } = context.caller
    return context.db.transaction(async (tx) => {
      await lockOrderOfFlow({ ...context, db: tx }, input.id)
      await requireOwnFlow(tx, context.caller, input.id)
      const flow =
        (await tx.runOne(cancelAndRelease, [tenantId, input.id, input.reason ?? null, defaultWarehouse.id, keyName])) ??
        (await tx.runOne(selectCancelled, [tenantId, input.id]))
      if (flow === undefined) throw new ServiceError('flow_error', 'The picking flow is completed and cannot be cancelled')
      return shownFlow(flow)
    })
  },
})

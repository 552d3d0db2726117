import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { cancelAndRelease } from './cancel-running-flow.ts'
import { flowColumns } from './flow-columns.ts'
import { lockOrderOfFlow } from './lock-order.ts'
import type { FlowCancellation, PickingFlow } from './schemas.ts'

const selectCancelled = statement<[tenantId: number, flowId: number], PickingFlow>(
  'find_cancelled_flow',
  `select ${flowColumns('f', 'o')}
   from picking_flows f join orders o on o.tenant_id = $1 and o.id = f.order_id
   where f.tenant_id = $1 and f.id = $2 and f.state = 'cancelled'`,
)

/**
 * Cancels a flow: its picks go back to where they were, and the order is released for another flow. A cancelled flow stays as it is.
 * Throws `not_found`, `flow_error` when the flow is completed, `adjustment_error` when a location cannot hold what goes back.
 */
export function cancelFlow(context: RequestContext, input: FlowCancellation): Promise<PickingFlow> {
  const { tenantId, defaultWarehouse, keyName } = context.caller
  return context.db.transaction(async (tx) => {
    await lockOrderOfFlow({ ...context, db: tx }, input.id)
    const flow =
      (await tx.runOne(cancelAndRelease, [tenantId, input.id, input.reason ?? null, defaultWarehouse.id, keyName])) ??
      (await tx.runOne(selectCancelled, [tenantId, input.id]))
    if (flow === undefined) throw new ServiceError('flow_error', 'The picking flow is completed and cannot be cancelled')
    return flow
  })
}

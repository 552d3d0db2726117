import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { recordEvents } from '../events/index.ts'
import { changeOrders, lockedOrder, ORDER_STATES, orderCancelledData, PICKING_STATES } from '../order-states/index.ts'
import { lockOrderToCancel, type OrderName } from './lock-order.ts'
import type { CancelledOrder, OrderCancellation } from './schemas.ts'

/** The order's own id as it is written: a client's identifier such as `007` is not taken for order 7. */
const ID = /^[1-9]\d{0,15}$/

const setCancelled = statement<[tenantId: number, orderId: number, reason: string | null, cancelledBy: string], never>(
  'cancel_order',
  `with ${lockedOrder('id = $2')}, ${changeOrders({
    source: 'locked_order',
    set: {
      state_id: String(ORDER_STATES.cancelled),
      state_picking_id: `case p.state_picking_id when ${PICKING_STATES.started} then ${PICKING_STATES.cancelled} else p.state_picking_id end`,
    },
  })}, order_event as (
     select 1 as position, 'order/cancelled' as topic, ${orderCancelledData('o', { reason: '$3::text', cancelledBy: '$4::text' })} as data
     from changed_order o
   ), ${recordEvents('order_event')}
   select from changed_order`,
)

/**
 * Cancels an order and its running picking flow, whose picks go back. A cancelled order stays as it is. Throws `not_found`,
 * `cancel_error`, and `adjustment_error` when a location cannot hold what the flow puts back.
 */
export function cancelOrder(context: RequestContext, input: OrderCancellation): Promise<CancelledOrder> {
  return context.db.transaction(async (tx) => {
    const reason = input.reason ?? null
    const order = await lockOrderToCancel({ ...context, db: tx }, orderName(input), reason)
    const answer = { order_id: String(order.id) }
    if (order.state_id === ORDER_STATES.completed) throw new ServiceError('cancel_error', 'The order is already completed')
    if (order.state_id === ORDER_STATES.cancelled) return { message: 'The order was cancelled before', ...answer }
    await tx.run(setCancelled, [context.caller.tenantId, order.id, reason, context.caller.keyName])
    return { message: 'The order is cancelled', ...answer }
  })
}

function orderName(input: OrderCancellation): OrderName {
  if (typeof input.order_tenant_id === 'string') return { id: null, orderTenantId: input.order_tenant_id }
  const id = ID.test(input.id) && Number.isSafeInteger(Number(input.id)) ? Number(input.id) : null
  return { id, orderTenantId: input.id }
}

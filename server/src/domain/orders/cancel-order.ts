import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { changeOrders, lockedOrder, ORDER_STATES, orderCancelledData, PICKING_STATES } from '../order-states/index.ts'
import { RESERVING, settled, withReservationEvents } from '../reservation-core/index.ts'
import { cancelShipmentsOfOrder } from '../shipments/index.ts'
import { RETURNED_STOCK } from './returned-stock.ts'
import { lockOrderToCancel, type OrderName } from './order-lock.ts'
import { cancelOrderOutput, cancelOrderInput, type OrderCancellation } from './schemas.ts'

/** An order id in canonical form: a client's identifier such as `007` is not order 7. */
const ID = /^[1-9]\d{0,15}$/

const setCancelled = statement<[tenantId: number, orderId: number, reason: string | null, cancelledBy: string], never>({
  name: 'cancel_order',
  connection: 'write',
  sql: `with ${RESERVING}, ${lockedOrder('id = $2')}, ${changeOrders({
    source: 'locked_order',
    set: {
      state_id: String(ORDER_STATES.cancelled),
      state_picking_id: `case p.state_picking_id when ${PICKING_STATES.started} then ${PICKING_STATES.cancelled} else p.state_picking_id end`,
    },
    by: '$4::text',
    reason: '$3::text',
  })}, order_event as (
     select 1 as position, 'order/cancelled' as topic, ${orderCancelledData('o', { reason: '$3::text', cancelledBy: '$4::text' })} as data
     from changed_order o
   ), ${settled({
     stock: RETURNED_STOCK,
     lines: 'select id as order_id, null::bigint as order_line_id, false as from_elsewhere from changed_order',
   })}, ${recordEvents(withReservationEvents('order_event'))}
   select from changed_order`,
})

/**
 * Cancels an order and its running picking flow, whose picks return to stock. Cancelling a cancelled order changes nothing. Throws
 * `not_found`, `cancel_error`, and `adjustment_error` when a location cannot hold the returned picks.
 */
export const cancelOrder = endpoint({
  name: 'orders.cancel',
  scope: 'write:orders',
  method: 'POST',
  path: '/orders/{id}/cancel',
  summary: 'Cancel an order',
  description: `Uses the \`order_tenant_id\` if it is given. Otherwise \`id\` is the id of the order or, if there is no such order, an \`order_tenant_id\`.

Sends \`order/cancelled\`. Cancelling a cancelled order succeeds and sends no event.

A running picking flow is also cancelled: its picks return to stock, and the stock events and \`flow/cancelled\` are sent first. Picks of earlier, completed flows are kept. Open shipments of the order are cancelled with it; shipped ones stay.`,
  errors: ['cancel_error', 'adjustment_error'],
  input: cancelOrderInput,
  output: cancelOrderOutput,
  run: (context, input) => {
    return context.db.transaction(async (tx) => {
      const reason = input.reason ?? null
      const order = await lockOrderToCancel({ ...context, db: tx }, orderName(input), reason)
      const cancelled = { order_id: String(order.id) }
      if (order.state_id === ORDER_STATES.completed) throw new ServiceError('cancel_error', 'The order is already completed')
      if (order.state_id === ORDER_STATES.cancelled) return { message: 'The order was cancelled before', ...cancelled }
      const { tenantId, keyName } = context.caller
      await tx.run(setCancelled, [tenantId, order.id, reason, keyName])
      if (order.has_shipments === true) await cancelShipmentsOfOrder(tx, tenantId, order.id, reason)
      return { message: 'The order is cancelled', ...cancelled }
    })
  },
})

function orderName(input: OrderCancellation): OrderName {
  if (typeof input.order_tenant_id === 'string') return { id: null, orderTenantId: input.order_tenant_id }
  const id = ID.test(input.id) && Number.isSafeInteger(Number(input.id)) ? Number(input.id) : null
  return { id, orderTenantId: input.id }
}

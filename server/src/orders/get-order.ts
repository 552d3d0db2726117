import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { orderStateName } from '../order-states/index.ts'
import { orderDetail } from './order-detail.ts'
import type { Order } from './schemas.ts'

const selectOrder = statement<[tenantId: number, orderId: number], Order>(
  'get_order',
  `select id, order_tenant_id, state_id, ${orderStateName('state_id')} as state_name, state_picking_id, assembly_date, customer_name,
     shipping_address, items_count, ${orderDetail('o.id')} as order_detail, created_at, updated_at, warehouse_id
   from orders o where tenant_id = $1 and id = $2`,
)

/** One order with its lines. Throws `not_found`. */
export async function getOrder(context: RequestContext, input: { id: number }): Promise<Order> {
  const order = await context.db.runOne(selectOrder, [context.caller.tenantId, input.id])
  if (order === undefined) throw new ServiceError('not_found', 'Order not found')
  return order
}

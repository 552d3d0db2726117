import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { orderStateName } from '../order-states/index.ts'
import { orderDetail } from './order-detail.ts'
import type { Order } from './schemas.ts'

/** Orders with more lines are read apart: on the connections that everybody shares they would hold up others. */
const FEW_LINES = 100

const select = (detail: string): string => `
  select id, order_tenant_id, state_id, ${orderStateName('state_id')} as state_name, state_picking_id, assembly_date, customer_name,
    shipping_address, items_count, ${detail} as order_detail, created_at, updated_at, warehouse_id
  from orders o where tenant_id = $1 and id = $2`

const selectShort = statement<
  [tenantId: number, orderId: number],
  Order | (Omit<Order, 'order_detail'> & { order_detail: null })
>('get_order', select(`case when items_count <= ${FEW_LINES} then ${orderDetail('o.id')} end`))
const selectLong = statement<[tenantId: number, orderId: number], Order>('get_long_order', select(orderDetail('o.id')), {
  lane: 'slow',
})

/** One order with its lines. Throws `not_found`. */
export async function getOrder({ db, caller }: RequestContext, { id }: { id: number }): Promise<Order> {
  const short = await db.runOne(selectShort, [caller.tenantId, id])
  if (short !== undefined && short.order_detail !== null) return short
  const order = short && (await db.runOne(selectLong, [caller.tenantId, id]))
  if (order === undefined) throw new ServiceError('not_found', 'Order not found')
  return order
}

import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { orderStateName } from '../order-states/index.ts'
import { orderDetail } from './order-detail.ts'
import { order, type Order, orderId } from './schemas.ts'

/** Orders with more lines are read on the slow lane: on the shared connections they would hold up other requests. */
const FEW_LINES = 100

const select = (detail: string): string => `
  select id, order_tenant_id, state_id, ${orderStateName('state_id')} as state_name, state_picking_id, assembly_date, customer_name,
    shipping_address, items_count, ${detail} as order_detail, created_at, updated_at, warehouse_id
  from orders o where tenant_id = $1 and id = $2`

const selectShort = statement<
  [tenantId: number, orderId: number],
  Order | (Omit<Order, 'order_detail'> & { order_detail: null })
>({
  name: 'get_order',
  lane: 'read',
  // Every state has a name.
  notNull: ['state_name'],
  sql: select(`case when items_count <= ${FEW_LINES} then ${orderDetail('o.id')} end`),
})
const selectLong = statement<[tenantId: number, orderId: number], Order>({
  name: 'get_long_order',
  lane: 'slow',
  // Every state has a name.
  notNull: ['state_name'],
  sql: select(orderDetail('o.id')),
})

/** One order with its lines. Throws `not_found`. */
export const getOrder = endpoint({
  name: 'orders.get',
  scope: 'read:orders',
  method: 'GET',
  path: '/orders/{id}',
  summary: 'Get an order',
  description: 'One order with its lines.',
  input: orderId,
  output: order,
  run: async ({ db, caller }, { id }) => {
    const short = await db.runOne(selectShort, [caller.tenantId, id])
    if (short !== undefined && short.order_detail !== null) return short
    const order = short && (await db.runOne(selectLong, [caller.tenantId, id]))
    if (order === undefined) throw new ServiceError('not_found', 'Order not found')
    return order
  },
})

import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { orderStateName } from '../order-states/index.ts'
import {
  IS_RESERVING,
  type OrderReservations,
  orderReservations,
  readByPolicy,
  shownLines,
  shownStatus,
} from '../reserving/index.ts'
import { orderDetail } from './order-detail.ts'
import { order, type Order, orderId } from './schemas.ts'

/** Orders with more lines are read on the slow lane: on the shared connections they would hold up other requests. */
const FEW_LINES = 100

/** An order as it is read. `Lines` are null where they are too many. */
type Row<Lines> = Omit<Order, 'order_detail' | 'reservation_status'> & {
  order_detail: Lines
  reservations: OrderReservations | null
  is_reserving: boolean
}
type Values = [tenantId: number, orderId: number]

const select = (detail: string, reservations: string): string => `
  select id, order_tenant_id, state_id, ${orderStateName('state_id')} as state_name, state_picking_id, assembly_date, customer_name,
    shipping_address, items_count, ${detail} as order_detail, created_at, updated_at, warehouse_id,
    ${reservations} as reservations, ${IS_RESERVING} as is_reserving
  from orders o where tenant_id = $1 and id = $2`

const SHORT = `case when items_count <= ${FEW_LINES} then ${orderDetail('o.id')} end`
const LONG = orderDetail('o.id')
const WITHOUT = 'null::json'
const WITH = orderReservations('o.id', 'true')

// Every state has a name.
const statements = {
  short: statement<Values, Row<Order['order_detail'] | null>>({
    name: 'get_order',
    lane: 'read',
    notNull: ['state_name'],
    sql: select(SHORT, WITHOUT),
  }),
  long: statement<Values, Row<Order['order_detail']>>({
    name: 'get_long_order',
    lane: 'slow',
    notNull: ['state_name'],
    sql: select(LONG, WITHOUT),
  }),
  shortReserved: statement<Values, Row<Order['order_detail'] | null>>({
    name: 'get_reserved_order',
    lane: 'read',
    notNull: ['state_name'],
    sql: select(SHORT, WITH),
  }),
  longReserved: statement<Values, Row<Order['order_detail']>>({
    name: 'get_long_reserved_order',
    lane: 'slow',
    notNull: ['state_name'],
    sql: select(LONG, WITH),
  }),
}

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
    const order = await readByPolicy(caller.tenantId, (isReserved) => read(db, [caller.tenantId, id], isReserved))
    if (order === undefined) throw new ServiceError('not_found', 'Order not found')
    return shown(order)
  },
})

async function read(db: Queryable, values: Values, isReserved: boolean): Promise<Row<Order['order_detail']> | undefined> {
  const short = await db.runOne(isReserved ? statements.shortReserved : statements.short, values)
  if (short === undefined || short.order_detail !== null) return short as Row<Order['order_detail']> | undefined
  return db.runOne(isReserved ? statements.longReserved : statements.long, values)
}

function shown(row: Row<Order['order_detail']>): Order {
  const { reservations, is_reserving: _, ...order } = row
  return { ...order, order_detail: shownLines(order.order_detail, reservations), ...shownStatus(reservations) }
}

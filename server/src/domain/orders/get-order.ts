import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { orderStateName } from '../order-states/index.ts'
import { type OrderReservations, orderReservations, readByPolicy, shownLines, shownStatus } from '../reservation-core/index.ts'
import { shipmentStatuses, shownShipmentStatus } from '../shipments/index.ts'
import { orderDetail } from './order-detail.ts'
import { order, type Order, orderId } from './schemas.ts'

/** Orders with more lines are read on a `slow` connection: on the shared ones they would hold up other requests. */
const FEW_LINES = 100

/** An order as it is read. `Lines` are null where they are too many. */
type Row<Lines> = Omit<Order, 'order_detail' | 'reservation_status' | 'shipment_status'> & {
  order_detail: Lines
  has_shipments: boolean | null
  /** Null unless the tenant reserves; undefined in a plain statement. */
  reservations?: OrderReservations | null
}
type Values = [tenantId: number, orderId: number]

const select = (detail: string, columns: string): string => `
  select id, order_tenant_id, state_id, ${orderStateName('state_id')} as state_name, state_picking_id, assembly_date, customer_name,
    shipping_address, items_count, ${detail} as order_detail, created_at, updated_at, warehouse_id, has_shipments${columns}
  from orders o where tenant_id = $1 and id = $2`

const SHORT = `case when items_count <= ${FEW_LINES} then ${orderDetail('o.id')} end`
const LONG = orderDetail('o.id')
const RESERVATIONS = `, ${orderReservations('o.id', 'true')} as reservations`

// Every state has a name.
const plain = {
  short: statement<Values, Row<Order['order_detail'] | null>>({
    name: 'get_order',
    connection: 'read',
    notNull: ['state_name'],
    sql: select(SHORT, ''),
  }),
  long: statement<Values, Row<Order['order_detail']>>({
    name: 'get_long_order',
    connection: 'slow',
    notNull: ['state_name'],
    sql: select(LONG, ''),
  }),
}
const reserving = {
  short: statement<Values, Row<Order['order_detail'] | null>>({
    name: 'get_reserved_order',
    connection: 'read',
    notNull: ['state_name'],
    sql: select(SHORT, RESERVATIONS),
  }),
  long: statement<Values, Row<Order['order_detail']>>({
    name: 'get_long_reserved_order',
    connection: 'slow',
    notNull: ['state_name'],
    sql: select(LONG, RESERVATIONS),
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
    const values: Values = [caller.tenantId, id]
    const found = await readByPolicy(caller.tenantId, {
      plain: () => read(db, plain, values),
      reserving: () => read(db, reserving, values),
      isReserving: ({ reservations }) => reservations !== null,
    })
    if (found === undefined) throw new ServiceError('not_found', 'Order not found')
    const { has_shipments: mayShip, ...order } = found
    if (mayShip !== true) return shown(order)
    const statuses = await shipmentStatuses(db, caller.tenantId, [found])
    return { ...shown(order), ...shownShipmentStatus(statuses, id) }
  },
})

async function read(
  db: Queryable,
  { short, long }: typeof plain,
  values: Values,
): Promise<Row<Order['order_detail']> | undefined> {
  const row = await db.runOne(short, values)
  if (row === undefined || row.order_detail !== null) return row as Row<Order['order_detail']> | undefined
  return db.runOne(long, values)
}

function shown(row: Omit<Row<Order['order_detail']>, 'has_shipments'>): Order {
  if (row.reservations === undefined) return row
  const { reservations, ...order } = row
  if (reservations === null) return order
  return { ...order, order_detail: shownLines(order.order_detail, reservations), ...shownStatus(reservations, order.state_id) }
}

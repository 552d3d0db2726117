import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { IS_RESERVING } from '../reserving/index.ts'
import { listReservationsInput, listReservationsOutput } from './schemas.ts'

type Listed = z.infer<typeof listReservationsOutput>['reservations'][number]
/** An empty page is one row of nulls and the total. */
type Row = { total: number } & (Listed | { [Column in keyof Listed]: null })
type Values = [
  tenantId: number,
  offset: number,
  limit: number,
  productId: number | undefined,
  sku: string | undefined,
  warehouseId: number | undefined,
  orderId: number | undefined,
  holdId: number | undefined,
]

/** Of a row of order_reservations or hold_lines. */
const MATCHES = `tenant_id = $1 and ($4::bigint is null or product_id = $4) and ($6::bigint is null or warehouse_id = $6)
         and ($5::text is null or product_id = (select id from products where tenant_id = $1 and external_id = $5 and is_active)) and ${IS_RESERVING}`

/** A statement for each filter with an index. `orders` and `holds` are conditions. */
function list(name: string, orders: string, holds: string) {
  return statement<Values, Row>({
    name,
    lane: 'slow',
    sql: `with matching as materialized (
     select product_id, warehouse_id, reserved, backordered, assembly_date, order_id, order_line_id, null::bigint as hold_id,
       null::integer as line_number, null::timestamptz as expires_at
     from order_reservations where ${MATCHES} and ${orders}
     union all
     select product_id, warehouse_id, reserved, 0, null, null, null, hold_id, line_number, expires_at
     from hold_lines where ${MATCHES} and ${holds} and reserved > 0 and expires_at > clock_timestamp()
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select * from matching
     order by product_id, warehouse_id, assembly_date nulls last, order_id, order_line_id, hold_id, line_number limit $3::bigint offset $2::bigint
   )
   select t.total, p.product_id, p.warehouse_id, p.reserved as reserved_quantity, p.backordered as backordered_quantity, p.order_id,
     (select order_tenant_id from orders where tenant_id = $1 and id = p.order_id limit 1) as order_tenant_id, p.order_line_id as order_detail_id,
     p.assembly_date, p.hold_id, p.expires_at, n.external_id as sku, n.name as product_name,
     (select reference from holds where tenant_id = $1 and id = p.hold_id limit 1) as hold_reference
   from total t left join (
     page p cross join lateral (select external_id, name from products where tenant_id = $1 and id = p.product_id limit 1) n
   ) on true
   order by p.product_id, p.warehouse_id, p.assembly_date nulls last, p.order_id, p.order_line_id, p.hold_id, p.line_number`,
  })
}

const UNUSED = '$7::bigint is null and $8::bigint is null'
const LISTS = {
  all: list('list_reservations', UNUSED, UNUSED),
  ofOrder: list('list_reservations_of_order', 'order_id = $7', 'false and $8::bigint is null'),
  ofHold: list('list_reservations_of_hold', 'false and $7::bigint is null', 'hold_id = $8'),
}

/** Who has reserved what, or waits for it. */
export const listReservations = endpoint({
  name: 'stock.reservations',
  scope: 'read:stock',
  method: 'GET',
  path: '/stock/reservations',
  summary: 'List reservations',
  description:
    'Lines of open orders and of holds with something reserved or backordered. Lines of orders are in the order in which they are served: by assembly date, order id and line id. Empty under the reservation policy `off`.',
  isAddition: true,
  input: listReservationsInput,
  output: listReservationsOutput,
  run: async ({ db, caller }, { page, limit, product_id, sku, warehouse_id, order_id, hold_id }) => {
    const values: Values = [caller.tenantId, (page - 1) * limit, limit, product_id, sku, warehouse_id, order_id, hold_id]
    // A reservation has an order or a hold.
    const isNone = order_id !== undefined && hold_id !== undefined
    const list = order_id !== undefined ? LISTS.ofOrder : hold_id === undefined ? LISTS.all : LISTS.ofHold
    const rows = isNone ? [] : await db.run(list, values)
    const reservations: Listed[] = []
    for (const { total: _, ...row } of rows) if (row.product_id !== null) reservations.push(row)
    return { reservations, pagination: paginationOf({ page, limit }, rows[0]?.total ?? 0) }
  },
})

import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { IS_RESERVING } from '../reservation-core/index.ts'
import type { listReservationsOutput } from './schemas.ts'

export type ListedReservation = z.infer<typeof listReservationsOutput>['reservations'][number]
/** An empty page is one row of nulls and the total. */
export type Row = { total: number } & (ListedReservation | { [Column in keyof ListedReservation]: null })
type Values = [
  tenantId: number,
  offset: number,
  limit: number,
  warehouseId: number | undefined,
  productId: number | undefined,
  sku: string | undefined,
]

const OF_WAREHOUSE = `tenant_id = $1 and ($4::bigint is null or warehouse_id = $4) and ${IS_RESERVING}`
const ORDER_COLUMNS = `product_id, warehouse_id, reserved, backordered, assembly_date, order_id, order_line_id, null::bigint as hold_id,
       null::integer as line_number, null::timestamptz as expires_at`
const HOLD_COLUMNS = `product_id, warehouse_id, reserved, 0::numeric as backordered, null::date as assembly_date, null::bigint as order_id,
       null::bigint as order_line_id, hold_id, line_number, expires_at`
const IS_KEPT = 'reserved > 0 and expires_at > clock_timestamp()'
const LISTED = 'product_id, warehouse_id, assembly_date nulls last, order_id, order_line_id, hold_id, line_number'

/** The result rows of the CTEs `total` and `page`. */
const SELECT_PAGE = `
   select t.total, p.product_id, p.warehouse_id, p.reserved as reserved_quantity, p.backordered as backordered_quantity, p.order_id,
     (select order_tenant_id from orders where tenant_id = $1 and id = p.order_id limit 1) as order_tenant_id, p.order_line_id as order_detail_id,
     p.assembly_date, p.hold_id, p.expires_at, n.external_id as sku, n.name as product_name,
     (select reference from holds where tenant_id = $1 and id = p.hold_id limit 1) as hold_reference
   from total t left join (
     page p cross join lateral (select external_id, name from products where tenant_id = $1 and id = p.product_id limit 1) n
   ) on true
   order by ${['product_id', 'warehouse_id', 'assembly_date nulls last', 'order_id', 'order_line_id', 'hold_id', 'line_number'].map((column) => `p.${column}`).join(', ')}`

/** Lines of orders, each in one of the two indexes by rank, and lines of holds. */
const RANKED = [
  {
    table: 'order_reservations',
    columns: ORDER_COLUMNS,
    condition: 'reserved > 0',
    order: 'assembly_date, order_id, order_line_id',
  },
  {
    table: 'order_reservations',
    columns: ORDER_COLUMNS,
    condition: 'backordered > 0 and reserved = 0',
    order: 'assembly_date, order_id, order_line_id',
  },
  { table: 'hold_lines', columns: HOLD_COLUMNS, condition: IS_KEPT, order: 'hold_id, line_number' },
]
/** Up to this row of the list, the rows before it are read in the order of the indexes. */
export const NEAR = 200

const countOf = (rows: string): string => `(select count(*) ${rows})`
/** The same rows, read once. */
const ALL_LINES = [
  { table: 'order_reservations', condition: 'true' },
  { table: 'hold_lines', condition: IS_KEPT },
]

/**
 * Of each kind, as many rows as the page may need are read in the order of the list; all others are counted. `products` is a condition, and
 * `counted` are all rows. `limit` is for the planner, which takes a parameter alone to mean a tenth of the table.
 */
function listRanked(name: string, { products, counted }: typeof ALL, limit = '') {
  const rowsOf = ({ table, condition }: { table: string; condition: string }): string =>
    `from ${table} where ${OF_WAREHOUSE} and ${products} and ${condition}`
  const first = RANKED.map((kind) => {
    const ordered = `select ${kind.columns} ${rowsOf(kind)} order by product_id, warehouse_id, ${kind.order} ${limit}`
    return `(select * from (${ordered}) r limit $2::bigint + $3::bigint)`
  })
  return statement<Values, Row>({
    name,
    connection: 'slow',
    sql: `with total as materialized (
     select ${counted.map((kind) => countOf(rowsOf(kind))).join(' + ')} as total
   ), page as materialized (
     select * from (${first.join(' union all ')}) m order by ${LISTED} limit $3::bigint offset $2::bigint
   )${SELECT_PAGE}`,
  })
}

const OF_SKU = '(select id from products where tenant_id = $1 and external_id = $6::text and is_active)'

const ALL = { products: '$5::bigint is null and $6::text is null', counted: ALL_LINES }
/** Counted in the indexes that begin with the product. */
const ONE = {
  products: `product_id = coalesce($5::bigint, ${OF_SKU}) and ($6::text is null or product_id = ${OF_SKU})`,
  counted: RANKED,
}

/** Of all products, or of one: `$5` and `$6` name it. Pages up to `NEAR`, and those far from the beginning. */
export const LIST_RANKED = {
  all: {
    near: listRanked('list_reservations', ALL, `limit ${NEAR}`),
    far: listRanked('list_far_reservations', ALL),
  },
  ofProduct: {
    near: listRanked('list_reservations_of_product', ONE, `limit ${NEAR}`),
    far: listRanked('list_far_reservations_of_product', ONE),
  },
}

/** The lines of an order, or of a hold: `$7`. There are few. */
function listLines(name: string, table: string, columns: string, condition: string) {
  return statement<[...Values, id: number], Row>({
    name,
    connection: 'slow',
    sql: `with matching as materialized (
     select ${columns} from ${table}
     where ${OF_WAREHOUSE} and ($5::bigint is null or product_id = $5) and ($6::text is null or product_id = ${OF_SKU}) and ${condition}
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select * from matching order by ${LISTED} limit $3::bigint offset $2::bigint
   )${SELECT_PAGE}`,
  })
}

export const LIST_LINES = {
  ofOrder: listLines('list_reservations_of_order', 'order_reservations', ORDER_COLUMNS, 'order_id = $7'),
  ofHold: listLines('list_reservations_of_hold', 'hold_lines', HOLD_COLUMNS, `hold_id = $7 and ${IS_KEPT}`),
}

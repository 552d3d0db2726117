import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { availabilityColumns, EXPIRED_HOLDS, incomingOf, IS_RESERVING, nextExpectedAt } from '../reservation-core/index.ts'
import type { listAvailabilityOutput } from './schemas.ts'

export type ListedAvailability = z.infer<typeof listAvailabilityOutput>['availability'][number]
/** An empty page is one row of nulls and the total. */
export type Row = { total: number } & (ListedAvailability | { [Column in keyof ListedAvailability]: null })
/** Of a list that reads a bounded number of rows. Null when these do not suffice to find the total. */
export type BoundedRow = Omit<Row, 'total'> & { total: number | null }

type Range = [tenantId: number, warehouseId: number | undefined, offset: number, limit: number]

/** Looked up once. */
const POLICY = `policy as materialized (select ${IS_RESERVING} as is_reserving)`

/** The columns of warehouse_stock that the CTE `page` has. They are null where the product was never in the warehouse. */
const COLUMNS = 'product_id, warehouse_id, quantity, unsellable, reserved, held, backordered'

/** SQL for the columns of `page` about announced deliveries. */
const INCOMING = `${incomingOf('w.product_id', 'w.warehouse_id')} as incoming, ${nextExpectedAt('w.product_id', 'w.warehouse_id')} as next_expected_at`
/** The same while nothing is incoming. The two look-ups of each row take a third of the time of a page. */
const NOTHING_INCOMING = '0::numeric as incoming, null::date as next_expected_at'

/**
 * The rows of the CTE `page`, after the CTEs `policy` and `total`. The array makes the products a lookup by id in any plan, even a plan made on
 * an empty table.
 */
const selectPage = (incoming: string): string => `, product_of_page as materialized (
     select id, external_id, barcode, name from products where tenant_id = $1 and id = any (array(select product_id from page))
   )
   select t.total, w.product_id, n.external_id as sku, n.barcode, n.name as product_name, w.warehouse_id, h.name as warehouse_name,
     v.on_hand, v.unsellable, v.reserved, v.held, v.available, v.backordered,
     ${incoming}
   from total t cross join policy y left join (
     page w join product_of_page n on n.id = w.product_id cross join lateral (
       select name from warehouses where tenant_id = $1 and id = w.warehouse_id limit 1
     ) h ${EXPIRED_HOLDS}
   ) on true cross join lateral (select ${availabilityColumns('y.is_reserving')}) v
   order by w.product_id, w.warehouse_id`

const OF_WAREHOUSE = 'tenant_id = $1 and ($2::bigint is null or warehouse_id = $2)'
const IS_BACKORDERED = 'backordered <> 0 and (select is_reserving from policy)'
// What is reserved is also on hand.
const IS_LISTED = `(quantity <> 0 or ${IS_BACKORDERED})`

/** Counted as they change: see stock/count-stocked.ts. */
const STOCKED = `coalesce((
       select sum(n) from (
         select count::float8 as n from stocked_totals where ${OF_WAREHOUSE}
         union all
         select change from stocked_count_changes where ${OF_WAREHOUSE}
       ) c
     ), 0)::bigint`

interface List {
  /** SQL for the number of rows of the list, from `waiting` (n). */
  total: string
  /** A condition of the backordered rows that `waiting` counts, in their own index. */
  waiting: string
  /** Most of them that are counted. */
  most?: number
  /** SQL for the rows of the list, in order. */
  rows: string
  /** SQL for the columns about announced deliveries. */
  incoming?: string
}

function listOf({ total, waiting, most, rows, incoming = INCOMING }: List): string {
  return `with ${POLICY}, waiting as materialized (
     select count(*) as n from (
       select from warehouse_stock where ${OF_WAREHOUSE} and ${IS_BACKORDERED} and ${waiting} ${most === undefined ? '' : `limit ${most}`}
     ) b
   ), total as materialized (
     select ${total} as total from waiting
   ), page as materialized (
     select * from (${rows} limit 100 offset $3::bigint) m limit $4::bigint
   )${selectPage(incoming)}`
}

const rowsThat = (condition: string): string =>
  `select ${COLUMNS} from warehouse_stock where ${OF_WAREHOUSE} and ${condition} order by product_id, warehouse_id`

/** Pairs of which only `incoming` is not 0, in order, with the columns of a product that was never in the warehouse. */
const ONLY_INCOMING = `select distinct i.product_id, i.warehouse_id, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric from inbound_lines i
     where i.tenant_id = $1 and ($2::bigint is null or i.warehouse_id = $2) and i.is_open and not exists (
       select from warehouse_stock where tenant_id = $1 and product_id = i.product_id and warehouse_id = i.warehouse_id and ${IS_LISTED}
     ) order by i.product_id, i.warehouse_id`
const TO_PAGE_END = 'limit $3::bigint + $4::bigint'

export const LIST_ALL = statement<Range, Row>({
  name: 'list_availability',
  connection: 'slow',
  sql: listOf({
    total: `${STOCKED} + n + (select count(*) from (${ONLY_INCOMING}) i)`,
    waiting: 'quantity = 0',
    rows: `select * from ((${rowsThat(IS_LISTED)} ${TO_PAGE_END}) union all (${ONLY_INCOMING} ${TO_PAGE_END})) r order by product_id, warehouse_id`,
  }),
})

export const LIST_BACKORDERED = statement<Range, Row>({
  name: 'list_backordered_availability',
  connection: 'slow',
  sql: listOf({ total: 'n', waiting: 'true', rows: rowsThat(IS_BACKORDERED) }),
})

/** Most rows that `LIST_FIRST` reads: about a millisecond. */
const MOST = 2_000
/** The order makes it one look-up in the index, however many open lines other tenants have. */
const IS_INCOMING = `exists (
       select from (select from inbound_lines where tenant_id = $1 and is_open order by product_id, warehouse_id limit 1) i
     )`

/**
 * `LIST_ALL` of all warehouses on the shared connections. It reads the first rows alone, so a page may lack rows, and the total may be null: as
 * it is while something is incoming. So nothing is incoming in a page with a total.
 */
export const LIST_FIRST = statement<Range, BoundedRow>({
  name: 'list_first_availability',
  connection: 'read',
  sql: listOf({
    total: `case when n < ${MOST} and not ${IS_INCOMING} then ${STOCKED} + n end`,
    waiting: 'quantity = 0',
    most: MOST,
    rows: `select ${COLUMNS} from (
       select ${COLUMNS} from warehouse_stock where tenant_id = $1 order by product_id, warehouse_id limit ${MOST}
     ) f where ${IS_LISTED} order by product_id, warehouse_id`,
    incoming: NOTHING_INCOMING,
  }),
})

/** Every warehouse of a product. */
export const LIST_OF_PRODUCT = statement<
  [...Range, productId: number | undefined, sku: string | undefined, backordered: boolean],
  Row
>({
  name: 'list_availability_of_product',
  connection: 'read',
  sql: `with ${POLICY}, product as materialized (
     select id from products
     where tenant_id = $1 and id = coalesce($5::bigint, (select id from products where tenant_id = $1 and external_id = $6 and is_active))
       and ($6::text is null or external_id = $6 and is_active)
   ), matching as materialized (
     select p.id as product_id, h.id as warehouse_id, w.quantity, w.unsellable, w.reserved, w.held, w.backordered
     from product p cross join lateral (
       select id from warehouses where tenant_id = $1 and ($2::bigint is null or id = $2)
     ) h left join lateral (
       select * from warehouse_stock where tenant_id = $1 and product_id = p.id and warehouse_id = h.id limit 1
     ) w on true
     where not $7::boolean or w.backordered > 0 and (select is_reserving from policy)
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select * from matching order by product_id, warehouse_id limit $4::bigint offset $3::bigint
   )${selectPage(INCOMING)}`,
})

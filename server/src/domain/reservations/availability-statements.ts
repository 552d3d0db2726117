import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { availabilityColumns, EXPIRED_HOLDS, incomingOf, IS_RESERVING, nextExpectedAt } from '../reserving/index.ts'
import type { listAvailabilityOutput } from './schemas.ts'

export type ListedAvailability = z.infer<typeof listAvailabilityOutput>['availability'][number]
/** An empty page is one row of nulls and the total. */
export type Row = { total: number } & (ListedAvailability | { [Column in keyof ListedAvailability]: null })
/** Of a list that reads a bounded number of rows. Null when these do not suffice to find the total. */
export type BoundedRow = Omit<Row, 'total'> & { total: number | null }

type Range = [tenantId: number, warehouseId: number | undefined, offset: number, limit: number]

/** The page `p` (product_id, warehouse_id) with its numbers. Only totals of the page are read as rows. */
const selectPage = `
   select t.total, p.product_id, n.external_id as sku, n.barcode, n.name as product_name, p.warehouse_id, h.name as warehouse_name,
     v.on_hand, v.unsellable, v.reserved, v.held, v.available, v.backordered,
     ${incomingOf('p.product_id', 'p.warehouse_id')} as incoming, ${nextExpectedAt('p.product_id', 'p.warehouse_id')} as next_expected_at
   from total t left join (
     page p cross join lateral (
       select external_id, barcode, name from products where tenant_id = $1 and id = p.product_id limit 1
     ) n cross join lateral (
       select name from warehouses where tenant_id = $1 and id = p.warehouse_id limit 1
     ) h cross join lateral (
       select ${availabilityColumns(IS_RESERVING)}
       from (select 1) one left join lateral (
         select * from warehouse_stock where tenant_id = $1 and product_id = p.product_id and warehouse_id = p.warehouse_id limit 1
       ) w on true ${EXPIRED_HOLDS}
     ) v
   ) on true
   order by p.product_id, p.warehouse_id`

const OF_WAREHOUSE = 'tenant_id = $1 and ($2::bigint is null or warehouse_id = $2)'
const IS_BACKORDERED = `backordered <> 0 and ${IS_RESERVING}`
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

/** The number of backordered totals that meet a condition, found in their own index. */
const backorderedThat = (condition: string, limit = ''): string =>
  `(select count(*) from (select from warehouse_stock where ${OF_WAREHOUSE} and ${IS_BACKORDERED} and ${condition} ${limit}) b)`

/** Rows of warehouse_stock. `total` and `page` are SQL: their number, and the rows of the page and maybe more, in order. */
const listOf = (total: string, page: string): string => `with total as materialized (
     select ${total} as total
   ), page as materialized (
     select * from (${page} limit 100 offset $3::bigint) m limit $4::bigint
   )${selectPage}`
const rowsThat = (condition: string): string =>
  `select product_id, warehouse_id from warehouse_stock where ${OF_WAREHOUSE} and ${condition} order by product_id, warehouse_id`

/** Pairs of which only `incoming` is not 0, in order. */
const ONLY_INCOMING = `select distinct i.product_id, i.warehouse_id from inbound_lines i
     where i.tenant_id = $1 and ($2::bigint is null or i.warehouse_id = $2) and i.is_open and not exists (
       select from warehouse_stock where tenant_id = $1 and product_id = i.product_id and warehouse_id = i.warehouse_id and ${IS_LISTED}
     ) order by i.product_id, i.warehouse_id`
const TO_PAGE_END = 'limit $3::bigint + $4::bigint'

export const LIST_ALL = statement<Range, Row>({
  name: 'list_availability',
  lane: 'slow',
  sql: listOf(
    `${STOCKED} + ${backorderedThat('quantity = 0')} + (select count(*) from (${ONLY_INCOMING}) i)`,
    `select * from ((${rowsThat(IS_LISTED)} ${TO_PAGE_END}) union all (${ONLY_INCOMING} ${TO_PAGE_END})) r order by product_id, warehouse_id`,
  ),
})

export const LIST_BACKORDERED = statement<Range, Row>({
  name: 'list_backordered_availability',
  lane: 'slow',
  sql: listOf(backorderedThat('true'), rowsThat(IS_BACKORDERED)),
})

/** Most rows that `LIST_FIRST` reads: about a millisecond. */
const MOST = 2_000

/**
 * `LIST_ALL` of all warehouses on the shared connections. It reads the first rows alone, so a page may lack rows, and the total may be null: as
 * it is while something is incoming.
 */
export const LIST_FIRST = statement<Range, BoundedRow>({
  name: 'list_first_availability',
  lane: 'read',
  sql: listOf(
    `(select case when b.n < ${MOST} and not exists (select from inbound_lines where tenant_id = $1 and is_open) then ${STOCKED} + b.n end from (select ${backorderedThat('quantity = 0', `limit ${MOST}`)} as n) b)`,
    `select product_id, warehouse_id from (
       select product_id, warehouse_id, quantity, backordered from warehouse_stock where tenant_id = $1 order by product_id, warehouse_id limit ${MOST}
     ) f where ${IS_LISTED} order by product_id, warehouse_id`,
  ),
})

/** Every warehouse of a product. */
export const LIST_OF_PRODUCT = statement<
  [...Range, productId: number | undefined, sku: string | undefined, backordered: boolean],
  Row
>({
  name: 'list_availability_of_product',
  lane: 'read',
  sql: `with product as materialized (
     select id from products
     where tenant_id = $1 and id = coalesce($5::bigint, (select id from products where tenant_id = $1 and external_id = $6 and is_active))
       and ($6::text is null or external_id = $6 and is_active)
   ), matching as materialized (
     select p.id as product_id, h.id as warehouse_id from product p
     cross join lateral (select id from warehouses where tenant_id = $1 and ($2::bigint is null or id = $2)) h
     where not $7::boolean or ${IS_RESERVING} and exists (
       select from warehouse_stock where tenant_id = $1 and product_id = p.id and warehouse_id = h.id and backordered > 0
     )
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select * from matching order by product_id, warehouse_id limit $4::bigint offset $3::bigint
   )${selectPage}`,
})

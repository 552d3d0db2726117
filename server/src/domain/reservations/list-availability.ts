import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { availabilityColumns, EXPIRED_HOLDS, incomingOf, IS_RESERVING, nextExpectedAt } from '../reserving/index.ts'
import { listAvailabilityInput, listAvailabilityOutput } from './schemas.ts'

type Listed = z.infer<typeof listAvailabilityOutput>['availability'][number]
/** An empty page is one row of nulls and the total. */
type Row = { total: number } & (Listed | { [Column in keyof Listed]: null })

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

/** Pairs whose total meets a condition, and `others`: a query over different pairs. */
function listTotals(name: string, condition: string, others = '') {
  return statement<[tenantId: number, warehouseId: number | undefined, offset: number, limit: number], Row>({
    name,
    lane: 'slow',
    sql: `with matching as not materialized (
     select product_id, warehouse_id from warehouse_stock
     where tenant_id = $1 and ($2::bigint is null or warehouse_id = $2) and ${condition}${others}
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select * from (select * from matching order by product_id, warehouse_id limit 100 offset $3::bigint) m limit $4::bigint
   )${selectPage}`,
  })
}

const IS_NOT_EMPTY = `(quantity <> 0 or (reserved <> 0 or backordered <> 0) and ${IS_RESERVING})`
/** Of these, only `incoming` is not 0. Both parts are in the order of an index. */
const ONLY_INCOMING = `
     union all
     select distinct i.product_id, i.warehouse_id from inbound_lines i
     where i.tenant_id = $1 and ($2::bigint is null or i.warehouse_id = $2) and i.is_open and not exists (
       select from warehouse_stock where tenant_id = $1 and product_id = i.product_id and warehouse_id = i.warehouse_id and ${IS_NOT_EMPTY}
     )`
/** Totals of which a number is not 0. */
const listAll = listTotals('list_availability', IS_NOT_EMPTY, ONLY_INCOMING)
const listBackordered = listTotals('list_backordered_availability', `backordered > 0 and ${IS_RESERVING}`)

/** Every warehouse of a product. */
const listOfProduct = statement<
  [
    tenantId: number,
    warehouseId: number | undefined,
    offset: number,
    limit: number,
    productId: number | undefined,
    sku: string | undefined,
    backordered: boolean,
  ],
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

/** What can be promised, by product and warehouse. */
export const listAvailability = endpoint({
  name: 'stock.availability',
  scope: 'read:stock',
  method: 'GET',
  path: '/stock/availability',
  summary: 'List availability',
  description:
    'What can be promised of each product in each warehouse. Without `product_id` and `sku`, products with all numbers 0 are left out. Nothing is reserved under the reservation policy `off`.',
  isAddition: true,
  input: listAvailabilityInput,
  output: listAvailabilityOutput,
  run: async ({ db, caller }, { product_id: product, sku, warehouse_id: warehouse, backordered, page, limit }) => {
    const range = [caller.tenantId, warehouse, (page - 1) * limit, limit] as const
    const rows =
      product === undefined && sku === undefined
        ? await db.run(backordered ? listBackordered : listAll, [...range])
        : await db.run(listOfProduct, [...range, product, sku, backordered])
    const availability: Listed[] = []
    for (const { total: _, ...row } of rows) if (row.product_id !== null) availability.push(row)
    return { availability, pagination: paginationOf({ page, limit }, rows[0]?.total ?? 0) }
  },
})

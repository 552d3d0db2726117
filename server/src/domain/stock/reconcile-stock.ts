import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { IS_READY } from '../reservation-core/index.ts'
import { reconcileStockInput, reconcileStockOutput } from './schemas.ts'

type Reconciliation = z.infer<typeof reconcileStockOutput>

// Product by product, by index: never reads a whole table, which all tenants share.
const reconcile = statement<[tenantId: number, after: number, limit: number], Omit<Reconciliation, 'is_balanced'>>({
  name: 'reconcile_stock',
  // Many movements take long.
  connection: 'slow',
  sql: `with product as materialized (
     select id from products where tenant_id = $1 and id > $2 order by id limit $3::bigint
   ), level as materialized (
     select v.* from product p cross join lateral (
       select product_id, location_id, warehouse_id, quantity from stock_levels where tenant_id = $1 and product_id = p.id
     ) v
   ), movement_sum as materialized (
     select m.* from product p cross join lateral (
       select p.id as product_id, location_id, sum(new_quantity - previous_quantity) as quantity, count(*) as movements
       from stock_movements where tenant_id = $1 and product_id = p.id group by location_id
     ) m
   ), warehouse_total as materialized (
     select w.* from product p cross join lateral (
       select product_id, warehouse_id, quantity, reserved, backordered from warehouse_stock where tenant_id = $1 and product_id = p.id
     ) w
   ), level_sum as (
     select product_id, warehouse_id, sum(quantity) as quantity from level group by product_id, warehouse_id
   ), reservation_sum as materialized (
     select p.id as product_id, r.warehouse_id, sum(r.reserved) as reserved, sum(r.backordered) as backordered
     from product p cross join lateral (
       select warehouse_id, reserved, 0 as backordered from order_reservations where tenant_id = $1 and product_id = p.id and reserved > 0
       union all
       select warehouse_id, 0, backordered from order_reservations where tenant_id = $1 and product_id = p.id and backordered > 0
       union all
       select warehouse_id, reserved, 0 from hold_lines where tenant_id = $1 and product_id = p.id and reserved > 0
     ) r
     where ${IS_READY}
     group by p.id, r.warehouse_id
   ), compared as (
     select 'level' as kind, product_id, location_id, v.warehouse_id, coalesce(v.quantity, 0) as recorded, coalesce(m.quantity, 0) as expected
     from level v full join movement_sum m using (product_id, location_id)
     union all
     select 'warehouse_total', product_id, null, warehouse_id, coalesce(w.quantity, 0), coalesce(s.quantity, 0)
     from warehouse_total w full join level_sum s using (product_id, warehouse_id)
     union all
     select x.kind, product_id, null, warehouse_id, x.recorded, x.expected
     from warehouse_total w full join reservation_sum r using (product_id, warehouse_id) cross join lateral (
       values ('reserved', coalesce(w.reserved, 0), coalesce(r.reserved, 0)), ('backordered', coalesce(w.backordered, 0), coalesce(r.backordered, 0))
     ) x (kind, recorded, expected)
     -- While reserving is switched, reservations are made or removed bit by bit.
     where ${IS_READY}
   )
   select (select count(*) from product) as products_checked, (select count(*) from level) as levels_checked,
     (select coalesce(sum(movements), 0) from movement_sum) as movements_checked,
     (select coalesce(json_agg(json_build_object('kind', kind, 'product_id', product_id, 'location_id', location_id, 'warehouse_id', warehouse_id,
        'recorded', recorded::float8, 'expected', expected::float8) order by product_id, kind, location_id, warehouse_id), '[]')
      from compared where recorded <> expected) as differences,
     (select max(id) from product having count(*) = $3) as next_cursor`,
})

/**
 * Reconciles the stock of some products: each level must be the sum of its movements, each warehouse total the sum of its levels, and what is
 * reserved and backordered in total the sum of the reservations. Reads one snapshot and does not block stock changes.
 */
export const reconcileStock = endpoint({
  name: 'stock.reconcile',
  scope: 'admin',
  method: 'GET',
  path: '/stock/reconcile',
  summary: 'Reconcile stock',
  description:
    'Compares each level with the sum of its movements, and each warehouse total with the sum of its levels. Under a reservation policy, also compares reserved and backordered totals with the reservations. Checks one page of products at a time. Stock changes are not blocked.',
  isAddition: true,
  readsReplica: true,
  input: reconcileStockInput,
  output: reconcileStockOutput,
  run: async ({ db, caller }, query) => {
    const [row] = await db.run(reconcile, [caller.tenantId, query.after, query.limit])
    const result = row as Omit<Reconciliation, 'is_balanced'>
    return { is_balanced: result.differences.length === 0, ...result }
  },
})

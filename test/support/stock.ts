import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { dataOf, type Topic } from './topics.ts'
import type { TestTenant } from './service.ts'

export interface RecordedEvent {
  event: Topic
  // Each test reads the fields that it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

let products = 0

/** Creates a product and returns its id and SKU. */
export async function newProduct(
  tenant: TestTenant,
  fields: object = {},
): Promise<{ id: number; sku: string; barcode: string; name: string }> {
  const number = ++products
  const product = { barcode: `barcode ${number}`, sku: `SKU-${number}`, name: `Product ${number}`, ...fields }
  const { body } = await tenant.request('POST', '/products', product)
  return { ...product, id: body.data.id }
}

/** The tenant's stock events in recorded order. Checks that each has exactly the fields of its topic. */
export async function stockEvents(db: Database, tenant: TestTenant): Promise<RecordedEvent[]> {
  const rows = await db.kysely
    .selectFrom('events')
    .select('body')
    .where('tenant_id', '=', tenant.id)
    .where('topic', 'like', 'stock/%')
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => {
    const { event, data } = JSON.parse(body) as RecordedEvent
    expect(dataOf(event).strict().safeParse(data).error).toBeUndefined()
    expect(Object.keys(data)).toEqual(Object.keys(dataOf(event).shape))
    return { event, data }
  })
}

/** Invariant: levels, movements, warehouse totals and counts are consistent. */
export async function expectConsistentStock(db: Database, tenant: TestTenant): Promise<void> {
  const { rows } = await sql`
    with chained as (
      select product_id, location_id, previous_quantity, new_quantity,
        lag(new_quantity, 1, 0) over (partition by product_id, location_id order by created_at, id) as expected
      from stock_movements where tenant_id = ${tenant.id}
    ), by_level as (
      select product_id, location_id, sum(new_quantity - previous_quantity) as quantity from chained group by 1, 2
    ), by_warehouse as (
      select product_id, warehouse_id, sum(quantity) as quantity from stock_levels where tenant_id = ${tenant.id} group by 1, 2
    ), counted as (
      select product_id, location_id, movement_type, count(*) as n from stock_movements where tenant_id = ${tenant.id} group by 1, 2, 3
    ), maintained as (
      select product_id, location_id, movement_type, sum(n) as n from (
        select product_id, location_id, movement_type, count as n from movement_product_counts where tenant_id = ${tenant.id}
        union all select product_id, location_id, movement_type, change from movement_count_changes where tenant_id = ${tenant.id}
      ) c group by 1, 2, 3
    ), by_hour as (
      select product_id, location_id, date_trunc('hour', created_at, 'UTC') as at, sum(new_quantity - previous_quantity) as quantity
      from stock_movements where tenant_id = ${tenant.id} group by 1, 2, 3
    ), level_hour as (
      select product_id, location_id, at, sum(quantity) as quantity from (
        select product_id, location_id, at, quantity from movement_level_hours where tenant_id = ${tenant.id}
        union all select product_id, location_id, created_hour, quantity from movement_count_changes where tenant_id = ${tenant.id}
      ) c group by 1, 2, 3
    ), product_hour as (
      select product_id, at, sum(quantity) as quantity from (
        select product_id, at, quantity from movement_product_hours where tenant_id = ${tenant.id}
        union all select product_id, created_hour, quantity from movement_count_changes where tenant_id = ${tenant.id}
      ) c group by 1, 2
    )
    select 'a movement does not begin where the one before ended' as problem, to_json(c) as record from chained c where previous_quantity <> expected
    union all
    select 'a level is not the sum of its movements', to_json(v)
    from (select * from stock_levels where tenant_id = ${tenant.id}) v full join by_level using (product_id, location_id)
    where coalesce(v.quantity, 0) <> coalesce(by_level.quantity, 0)
    union all
    select 'a warehouse total is not the sum of its levels', to_json(w)
    from (select * from warehouse_stock where tenant_id = ${tenant.id}) w full join by_warehouse using (product_id, warehouse_id)
    where coalesce(w.quantity, 0) <> coalesce(by_warehouse.quantity, 0)
    union all
    select 'a level is in another warehouse than its location', to_json(v)
    from stock_levels v join locations l on l.tenant_id = v.tenant_id and l.id = v.location_id
    where v.tenant_id = ${tenant.id} and l.warehouse_id <> v.warehouse_id
    union all
    select 'a count is wrong', to_json(c) from counted c full join maintained m using (product_id, location_id, movement_type)
    where c.n is distinct from m.n
    union all
    select 'an hour of a level is wrong', to_json(h) from by_hour m full join level_hour h using (product_id, location_id, at)
    where coalesce(m.quantity, 0) is distinct from coalesce(h.quantity, 0)
    union all
    select 'an hour of a product is wrong', to_json(h) from (select product_id, at, sum(quantity) as quantity from by_hour group by 1, 2) m
    full join product_hour h using (product_id, at) where coalesce(m.quantity, 0) is distinct from coalesce(h.quantity, 0)
    union all
    select 'a day has not all movements in its hours', to_json(d)
    from (select created_day as day, sum(count) as count from movement_counts where tenant_id = ${tenant.id} group by 1) c
    full join (select day, count from movement_hour_days where tenant_id = ${tenant.id}) d using (day) where c.count is distinct from d.count
    union all
    select 'a number of products with stock is wrong', to_json(s)
    from (
      select warehouse_id, sum(n) as n from (
        select warehouse_id, count as n from stocked_totals where tenant_id = ${tenant.id}
        union all select warehouse_id, change from stocked_count_changes where tenant_id = ${tenant.id}
      ) c group by 1
    ) s full join (
      select warehouse_id, count(*) as n from warehouse_stock where tenant_id = ${tenant.id} and quantity <> 0 group by 1
    ) w using (warehouse_id)
    where coalesce(s.n, 0) <> coalesce(w.n, 0)`.execute(db.kysely)
  expect(rows).toEqual([])
}

import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { newOrder } from './orders.ts'
import type { ServiceResponse, TestTenant } from './service.ts'
import { newProduct } from './stock.ts'

export const OPERATOR = { operator_email: 'ada@example.com', operator_id: 7 }

export interface PickableProduct {
  id: number
  barcode: string
  name: string
  sku: string
}

/** Creates a product with stock at the given locations. */
export async function stockedProduct(
  tenant: TestTenant,
  stock: Record<string, number>,
  fields: object = {},
): Promise<PickableProduct> {
  const product = await newProduct(tenant, fields)
  for (const [location_id, quantity] of Object.entries(stock)) {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id, quantity })
  }
  return product
}

/** Creates an order with these lines and starts its picking flow. */
export async function startedFlow(tenant: TestTenant, lines: [product: PickableProduct, quantity: number][]) {
  const order = await newOrder(tenant, { order_detail: lines.map(([{ barcode }, quantity]) => ({ barcode, quantity })) })
  const { body } = await tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })
  return { order, flow: body.data.id as number }
}

/** Records a pick in a flow. */
export function pick(tenant: TestTenant, flow: number, body: object): Promise<ServiceResponse> {
  return tenant.request('POST', `/flows/${flow}/picks`, body)
}

/** The quantity of a product at each location. */
export async function stockOf(tenant: TestTenant, product: PickableProduct): Promise<Record<string, number>> {
  const { body } = await tenant.request('GET', `/stock/sku/${product.sku}`)
  return Object.fromEntries(
    body.data.locations.map((level: { location_id: string; quantity: number }) => [level.location_id, level.quantity]),
  )
}

/** Invariant: orders, lines, flows, picks, movements and counts are consistent. */
export async function expectConsistentPicking(db: Database, tenant: TestTenant): Promise<void> {
  const { rows } = await sql`
    with flow as (
      select * from picking_flows where tenant_id = ${tenant.id}
    ), pick as (
      select p.*, f.order_id, f.state as flow_state from picks p join flow f on f.id = p.flow_id where p.tenant_id = ${tenant.id} and p.undone_at is null
    ), line_pick as (
      select p.flow_id, p.flow_state, p.order_id, x.order_detail_id, x.taken as quantity
      from pick p, jsonb_to_recordset(p.lines) x (order_detail_id bigint, taken numeric)
    ), latest as (
      select distinct on (order_id) * from flow order by order_id, id desc
    ), taken as (
      select order_id, product_id, location_id, sum(quantity) as quantity from pick where flow_state <> 'cancelled' group by 1, 2, 3
    ), moved as (
      select order_id, product_id, location_id, sum(previous_quantity - new_quantity) as quantity
      from stock_movements where tenant_id = ${tenant.id} and order_id is not null group by 1, 2, 3
    ), counted as (
      select state, sum(n) as n from (
        select state, count as n from flow_totals where tenant_id = ${tenant.id}
        union all select state, change from flow_count_changes where tenant_id = ${tenant.id}
      ) c group by 1
    ), picked as (
      select date_trunc('hour', created_at, 'UTC') as at, operator_email, count(*) as picks, sum(quantity) as units
      from pick where flow_state <> 'cancelled' group by 1, 2
    ), reported as (
      select at, operator_email, sum(picks) as picks, sum(units) as units, sum(flows) as flows from (
        select at, operator_email, picks, units, flows from pick_hours where tenant_id = ${tenant.id}
        union all select at, operator_email, picks, units, flows from pick_changes where tenant_id = ${tenant.id}
      ) c group by 1, 2
    )
    select 'a line is not the sum of its picks' as problem, to_json(l) as record
    from order_lines l
    where l.tenant_id = ${tenant.id}
      and l.picked_quantity <> coalesce((select sum(quantity) from line_pick p where p.order_detail_id = l.id and flow_state <> 'cancelled'), 0)
    union all
    select 'a line does not know what was picked before the latest flow', to_json(l)
    from order_lines l join latest f on f.order_id = l.order_id
    where l.tenant_id = ${tenant.id} and l.picked_before_flow
      <> coalesce((select sum(quantity) from line_pick p where p.order_detail_id = l.id and flow_state <> 'cancelled' and p.flow_id < f.id), 0)
    union all
    select 'a pick is not the sum of its lines', to_json(p)
    from pick p where quantity <> (select sum(x.taken) from jsonb_to_recordset(p.lines) x (taken numeric))
    union all
    select 'the numbers of a flow are not those of its picks', to_json(f)
    from flow f
    where items_picked <> (select count(distinct order_detail_id) from line_pick p where p.flow_id = f.id)
      or total_quantity_picked <> coalesce((select sum(quantity) from line_pick p where p.flow_id = f.id), 0)
    union all
    select 'more than one flow of an order runs', to_json(order_id) from flow where state = 'started' group by order_id having count(*) > 1
    union all
    select 'an order does not know the state of its latest flow', to_json(o)
    from orders o left join latest f on f.order_id = o.id
    where o.tenant_id = ${tenant.id}
      and o.state_picking_id is distinct from case f.state when 'started' then 1 when 'completed' then 2 when 'cancelled' then 3 end
    union all
    select 'an order is not in state 3 while a flow runs', to_json(o)
    from orders o join flow f on f.order_id = o.id and f.state = 'started' where o.tenant_id = ${tenant.id} and o.state_id <> 3
    union all
    select 'the movements of an order are not its picks', coalesce(to_json(t), to_json(m))
    from taken t full join moved m using (order_id, product_id, location_id) where coalesce(t.quantity, 0) <> coalesce(m.quantity, 0)
    union all
    select 'a count of flows is wrong', to_json(c)
    from (select state, count(*) as n from flow group by 1) f full join counted c using (state) where coalesce(f.n, 0) <> coalesce(c.n, 0)
    union all
    select 'an hour of picking is wrong', to_json(r) from picked p full join reported r using (at, operator_email)
    where coalesce(p.picks, 0) <> coalesce(r.picks, 0) or coalesce(p.units, 0) <> coalesce(r.units, 0)
    union all
    select 'a completed flow is not reported once', to_json(r) from (select sum(flows) as flows from reported) r
    where coalesce(r.flows, 0) <> (select count(*) from flow where state = 'completed')
    union all
    select 'a day of picking is not the sum of its hours', to_json(d)
    from (select (at at time zone 'UTC')::date as day, sum(picks) as picks, sum(units) as units, sum(flows) as flows, sum(seconds) as seconds
      from pick_hours where tenant_id = ${tenant.id} group by 1) h
    full join (select day, sum(picks) as picks, sum(units) as units, sum(flows) as flows, sum(seconds) as seconds
      from pick_days where tenant_id = ${tenant.id} group by 1) d using (day) where h is distinct from d`.execute(db.kysely)
  expect(rows).toEqual([])
}

import { sql } from 'kysely'
import type { Database } from '@fulfillment/server/database/database.ts'
import { LOCATIONS, type Records } from './calls.ts'
import { totalsOf, type Model } from './model.ts'

/** The state of orders and stock, in a form that the service and the model share. */
interface Situation {
  orders: { state: number; picked: number[] }[]
  flows: Record<number, { order: number; state: string; items: number; quantity: number; picks: Record<string, boolean> }>
  stock: number[][]
  movements: number
}

/** The state according to the model. */
export function situationOf(model: Model): Situation {
  return {
    orders: model.orders.map((order) => ({ state: order.state, picked: order.lines.map((line) => line.picked) })),
    flows: Object.fromEntries(
      Object.entries(model.flows).map(([id, flow]) => {
        const [items, quantity] = totalsOf(flow)
        const picks = Object.fromEntries(Object.entries(flow.picks).map(([id, pick]) => [id, pick.undone]))
        return [id, { order: flow.order, state: flow.state, items, quantity, picks }]
      }),
    ),
    stock: model.stock,
    movements: model.movements,
  }
}

/** The state according to the database. */
export async function observe(db: Database, { tenant, products, orders }: Records): Promise<Situation> {
  const { rows } = await sql<{ situation: Situation }>`
    select json_build_object(
      'orders', (
        select json_agg(json_build_object('state', o.state_id, 'picked', (
          select json_agg((l.picked_quantity * 1000)::int order by l.id) from order_lines l where l.tenant_id = o.tenant_id and l.order_id = o.id
        )) order by o.id) from orders o where o.tenant_id = ${tenant.id}
      ),
      'flows', (
        select coalesce(json_object_agg(f.id, json_build_object(
          'order', array_position(${orders.map(({ id }) => id)}::bigint[], f.order_id) - 1, 'state', f.state, 'items', f.items_picked,
          'quantity', (f.total_quantity_picked * 1000)::int,
          'picks', (
            select coalesce(json_object_agg(p.id, p.undone_at is not null), '{}') from picks p where p.tenant_id = f.tenant_id and p.flow_id = f.id
          ))), '{}') from picking_flows f where f.tenant_id = ${tenant.id}
      ),
      'stock', (
        select json_agg((
          select json_agg((v.quantity * 1000)::int order by v.location_id) from stock_levels v
          where v.tenant_id = ${tenant.id} and v.product_id = p.id and v.location_id = any (${LOCATIONS})
        ) order by p.id) from products p where p.tenant_id = ${tenant.id} and p.id = any (${products.map(({ id }) => id)})
      ),
      'movements', (select count(*) from stock_movements where tenant_id = ${tenant.id})
    ) as situation`.execute(db.kysely)
  return (rows[0] as { situation: Situation }).situation
}

/** The topics of each order's events, and `movement` for each of its stock movements, in recorded order. */
export async function observeLogs(db: Database, { tenant, orders }: Records): Promise<string[][]> {
  const { rows } = await sql<{ order_id: number; topics: string[] }>`
    with event as (
      select id, topic, (body::json -> 'data' ->> 'order_id')::bigint as order_id, body::json -> 'data' ->> 'movement_id' as movement_id
      from events where tenant_id = ${tenant.id}
    )
    select coalesce(e.order_id, m.order_id) as order_id, array_agg(case when m.id is null then e.topic else 'movement' end order by e.id) as topics
    from event e left join stock_movements m on m.tenant_id = ${tenant.id} and m.id = e.movement_id::bigint
    where coalesce(e.order_id, m.order_id) is not null
    group by 1`.execute(db.kysely)
  return orders.map(({ id }) => rows.find((row) => row.order_id === id)?.topics ?? [])
}

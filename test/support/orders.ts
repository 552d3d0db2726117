import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { dataOf, type Topic } from './topics.ts'
import { eventsOf } from './events.ts'
import type { ServiceResponse, TestService, TestTenant } from './service.ts'
import { newProduct } from './stock.ts'

let orders = 0

/** A valid order. Unless `fields` has lines, creates a product and adds one line for it. */
export async function orderFor(
  tenant: TestTenant,
  fields: object = {},
): Promise<{ order_tenant_id: string } & Record<string, unknown>> {
  const order_detail =
    'order_detail' in fields ? fields.order_detail : [{ barcode: (await newProduct(tenant)).barcode, quantity: 2 }]
  return { order_tenant_id: `order ${++orders}`, assembly_date: '2026-11-30', ...fields, order_detail }
}

/** Submits an order and returns it with its id. */
export async function newOrder(tenant: TestTenant, fields: object = {}): Promise<{ id: number; order_tenant_id: string }> {
  const order = await orderFor(tenant, fields)
  const { body } = await tenant.request('POST', '/orders', order)
  return { id: body.data.orders[0].id, order_tenant_id: order.order_tenant_id }
}

/** The tenant's order events, oldest first. Checks that each has exactly the fields of its topic. Excludes `order/created` by default. */
export async function orderEvents(
  service: TestService,
  tenant: TestTenant,
  options = { created: false },
): Promise<{ event: Topic; data: Record<string, unknown> }[]> {
  const events = await eventsOf(service, tenant)
  return events
    .filter(({ event }) => event.startsWith('order/') && (options.created || event !== 'order/created'))
    .map(({ event, data }) => {
      const schema = dataOf(event)
      expect(schema.strict().safeParse(data).error).toBeUndefined()
      expect(Object.keys(data)).toEqual(Object.keys(schema.shape))
      return { event, data }
    })
}

/** Status and error code of a failed response. */
export const failure = ({ status, body }: ServiceResponse): [number, string] => [status, body.error?.code]

/** Invariant: the counts that lists add up match the orders. */
export async function expectConsistentCounts(db: Database, tenant: TestTenant): Promise<void> {
  const { rows } = await sql`
    with real as (
      select (created_at at time zone 'UTC')::date as created_day, assembly_date, state_id, count(*) as n
      from orders where tenant_id = ${tenant.id} group by 1, 2, 3
    ), change as (
      select created_day, assembly_date, state_id, change as n from order_count_changes where tenant_id = ${tenant.id}
    ), by_assembly_date as (
      select created_day, assembly_date, state_id, sum(n) as n from (
        select created_day, assembly_date, state_id, count as n from order_assembly_counts where tenant_id = ${tenant.id} union all select * from change
      ) c group by 1, 2, 3 having sum(n) <> 0
    ), by_day as (
      select created_day, state_id, sum(n) as n from (
        select created_day, state_id, count as n from order_counts where tenant_id = ${tenant.id} union all select created_day, state_id, n from change
      ) c group by 1, 2 having sum(n) <> 0
    ), by_month as (
      select created_month, state_id, sum(n) as n from (
        select created_month, state_id, count as n from order_month_counts where tenant_id = ${tenant.id}
        union all select date_trunc('month', created_day::timestamp)::date, state_id, n from change
      ) c group by 1, 2 having sum(n) <> 0
    ), by_state as (
      select state_id, sum(n) as n from (
        select state_id, count as n from order_totals where tenant_id = ${tenant.id} union all select state_id, n from change
      ) c group by 1 having sum(n) <> 0
    )
    select 'assembly date' as wrong, to_json(r) as real, to_json(c) as counted
    from real r full join by_assembly_date c using (created_day, assembly_date, state_id) where r.n is distinct from c.n
    union all
    select 'day', to_json(r), to_json(c) from (select created_day, state_id, sum(n) as n from real group by 1, 2) r
    full join by_day c using (created_day, state_id) where r.n is distinct from c.n
    union all
    select 'month', to_json(r), to_json(c)
    from (select date_trunc('month', created_day::timestamp)::date as created_month, state_id, sum(n) as n from real group by 1, 2) r
    full join by_month c using (created_month, state_id) where r.n is distinct from c.n
    union all
    select 'state', to_json(r), to_json(c) from (select state_id, sum(n) as n from real group by 1) r
    full join by_state c using (state_id) where r.n is distinct from c.n`.execute(db.kysely)
  expect(rows).toEqual([])
}

/** Spreads the tenant's orders over ten days and all states, many at the same time, some at midnight. Then recomputes their counts. */
export async function spreadOrders(db: Database, tenant: TestTenant): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`
      update orders set created_at = '2026-03-10T00:00:00Z'::timestamptz - make_interval(days => (id % 10)::int, mins => (id % 7)::int),
        state_id = (array[1, 2, 3, 5, 7])[id / 11 % 5 + 1], assembly_date = '2026-04-01'::date + (id % 3)::int
      where tenant_id = ${tenant.id}`.execute(tx.kysely)
    for (const table of ['order_count_changes', 'order_totals', 'order_counts', 'order_month_counts', 'order_assembly_counts']) {
      await sql`delete from ${sql.table(table)} where tenant_id = ${tenant.id}`.execute(tx.kysely)
    }
    await sql`
      insert into order_count_changes (tenant_id, created_day, assembly_date, state_id, change)
      select tenant_id, (created_at at time zone 'UTC')::date, assembly_date, state_id, 1 from orders where tenant_id = ${tenant.id}`.execute(
      tx.kysely,
    )
  })
}

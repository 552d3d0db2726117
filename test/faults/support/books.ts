import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import type { TestTenant } from '../../support/service.ts'
import { expectConsistentStock } from '../../support/stock.ts'
import type { Received } from '../../support/receiver.ts'
import type { Write } from './load.ts'

/** Expects the database to be consistent, and to match the responses that callers got. */
export async function expectBalancedBooks(db: Database, tenant: TestTenant, writes: readonly Write[]): Promise<void> {
  await expectKept(db, tenant, writes)
  await expectWhole(db, tenant)
  await expectConsistentStock(db, tenant)
  await expectAudited(db, tenant, writes)
}

/** An acknowledged write exists exactly once. A refused write does not exist. A write with unknown outcome exists at most once. */
async function expectKept(db: Database, tenant: TestTenant, writes: readonly Write[]): Promise<void> {
  const orders = await sql<{ mark: string; times: number }>`
    select order_tenant_id as mark, count(*) as times from orders where tenant_id = ${tenant.id} group by 1`.execute(db.kysely)
  const movements = await sql<{ mark: string; times: number }>`
    select reason as mark, count(*) as times from stock_movements where tenant_id = ${tenant.id} and reason is not null group by 1`.execute(
    db.kysely,
  )
  const times = {
    order: new Map(orders.rows.map((row) => [row.mark, row.times])),
    movement: new Map(movements.rows.map((row) => [row.mark, row.times])),
  }
  const wrong = writes.filter(({ kind, mark, outcome }) => {
    const kept = times[kind].get(mark) ?? 0
    return outcome === 'acknowledged' ? kept !== 1 : outcome === 'refused' ? kept !== 0 : kept > 1
  })
  expect(wrong).toEqual([])
}

/** No write is incomplete: every order has its lines, every change its event, every event its change, every pick its movement. */
async function expectWhole(db: Database, tenant: TestTenant): Promise<void> {
  const { rows } = await sql`
    with sent as (
      select topic, body::json -> 'data' as data from events where tenant_id = ${tenant.id}
    ), own_order as (
      select * from orders where tenant_id = ${tenant.id}
    ), line as (
      select order_id, count(*) as lines, sum(quantity) as quantity, sum(picked_quantity) as picked
      from order_lines where tenant_id = ${tenant.id} group by 1
    ), moved as (
      select order_id, -sum(new_quantity - previous_quantity) as picked
      from stock_movements where tenant_id = ${tenant.id} and order_id is not null group by 1
    )
    select 'an order does not have its lines' as problem, o.id::text as record
    from own_order o left join line l on l.order_id = o.id
    where l.lines is distinct from o.items_count or l.quantity is distinct from o.total_quantity
    union all
    select 'an order and its event order/created are not one to one', coalesce(o.id::text, s.order_id)
    from own_order o full join (select data ->> 'order_id' as order_id, count(*) as times from sent where topic = 'order/created' group by 1) s
      on s.order_id = o.id::text
    where s.times is distinct from 1 or o.id is null
    union all
    select 'a movement and its event are not one to one', coalesce(m.id::text, s.movement_id)
    from (select * from stock_movements where tenant_id = ${tenant.id}) m
    full join (select data ->> 'movement_id' as movement_id, count(*) as times from sent where topic = 'stock/movement_created' group by 1) s
      on s.movement_id = m.id::text
    where s.times is distinct from 1 or m.id is null
    union all
    select 'what was picked for an order did not leave the stock', l.order_id::text
    from line l left join moved m using (order_id) where l.picked <> coalesce(m.picked, 0)
    union all
    select 'a running flow and the state of its order do not fit', o.id::text
    from own_order o left join picking_flows f on f.tenant_id = o.tenant_id and f.order_id = o.id and f.state = 'started'
    where (o.state_id = 3) <> (f.id is not null)
    union all
    select 'a completed order is not picked', o.id::text from own_order o join line l on l.order_id = o.id where o.state_id = 5 and l.picked <> l.quantity
    union all
    select 'a total is not the number of orders', t.state_id::text from (
      select state_id, sum(n) as n from (
        select state_id, count as n from order_totals where tenant_id = ${tenant.id}
        union all select state_id, change from order_count_changes where tenant_id = ${tenant.id}
      ) c group by 1
    ) t full join (select state_id, count(*) as n from own_order group by 1) o using (state_id)
    where coalesce(t.n, 0) <> coalesce(o.n, 0)`.execute(db.kysely)
  expect(rows).toEqual([])
}

/** The writes that the database contains. */
async function keptOf(db: Database, tenant: TestTenant, writes: readonly Write[]): Promise<Write[]> {
  const { rows } = await sql<{ mark: string }>`
    select reason as mark from stock_movements where tenant_id = ${tenant.id} and reason is not null
    union all select order_tenant_id from orders where tenant_id = ${tenant.id}`.execute(db.kysely)
  const marks = new Set(rows.map(({ mark }) => mark))
  return writes.filter(({ mark }) => marks.has(mark))
}

/** For a server that stopped cleanly: a call without a response has written nothing. */
export async function expectNoneKeptUnacknowledged(db: Database, tenant: TestTenant, writes: readonly Write[]): Promise<void> {
  const unacknowledged = writes.filter(({ outcome, isRepeated }) => outcome === 'unknown' && !isRepeated)
  expect(await keptOf(db, tenant, unacknowledged)).toEqual([])
}

/** The audit log has an entry for every write in the database. The entry of an acknowledged write has no error. */
async function expectAudited(db: Database, tenant: TestTenant, writes: readonly Write[]): Promise<void> {
  const entries = await sql<{ request_id: string; error: string | null }>`
    select request_id, error from audit_log where tenant_id = ${tenant.id}`.execute(db.kysely)
  const audited = new Set(entries.rows.map(({ request_id }) => request_id))
  const succeeded = new Set(entries.rows.filter(({ error }) => error === null).map(({ request_id }) => request_id))
  expect(writes.filter(({ outcome, requestId }) => outcome === 'acknowledged' && !succeeded.has(requestId))).toEqual([])
  expect((await keptOf(db, tenant, writes)).filter(({ requestId }) => !audited.has(requestId))).toEqual([])
}

/** The receiver got every event at least once, always with the same body. */
export async function expectDelivered(db: Database, tenant: TestTenant, received: readonly Received[]): Promise<void> {
  const { rows } = await sql<{ id: string; body: string }>`
    select id, body from events where tenant_id = ${tenant.id}`.execute(db.kysely)
  const bodies = new Map<string, Set<string>>()
  for (const { event, body } of received) bodies.set(event.id, (bodies.get(event.id) ?? new Set()).add(body))
  expect(
    rows.filter(({ id, body }) => !(bodies.get(id)?.has(body) === true && bodies.get(id)?.size === 1)).map(({ id }) => id),
  ).toEqual([])
  const known = new Set(rows.map(({ id }) => id))
  expect([...bodies.keys()].filter((id) => !known.has(id))).toEqual([])
}

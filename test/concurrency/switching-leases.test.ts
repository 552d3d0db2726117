import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { switchReserving } from '@fulfillment/server/domain/reservations/switch-reserving.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { it as base } from '../support/it.ts'
import { atMost } from '../support/patience.ts'

/** `call` is a connection with a transaction that has begun. */
const it = base
  .extend('call', async ({ database }, { onCleanup }) => {
    const call = new pg.Client({ connectionString: database.url })
    await call.connect()
    onCleanup(() => call.end())
    await call.query('begin')
    return call
  })
  .extend('error', () => (error: unknown) => expect.unreachable(String(error)))

/** A tenant whose reserving is in this phase, with a hold. */
async function tenantIn(db: Database, phase: 'clearing' | 'collecting'): Promise<number> {
  const { id } = await createTenant(db, 'test tenant')
  await sql`
    insert into tenant_settings (tenant_id, reservation_policy, reservation_phase, reservation_switches)
    values (${id}, 'track', ${phase}, 1)`.execute(db.kysely)
  await sql`insert into products (tenant_id, barcode, name) values (${id}, '1', 'Tea')`.execute(db.kysely)
  await sql`
    insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity, reserved, held)
    select p.tenant_id, p.id, w.id, 5, 2, 2 from products p join warehouses w on w.tenant_id = p.tenant_id where p.tenant_id = ${id}`.execute(
    db.kysely,
  )
  await sql`
    insert into holds (tenant_id, reference, sent_hash, content_hash, warehouse_id, expires_at, created_by)
    select tenant_id, 'cart', '', '', id, now() + interval '1 hour', 'key' from warehouses where tenant_id = ${id}`.execute(
    db.kysely,
  )
  return id
}

const isOver = (work: Promise<void>): Promise<boolean> => Promise.race([work.then(() => true), delay(atMost(1_000), false)])

it('who waits for a transaction of before keeps the phase, however long it takes', async ({ database: { db }, call, error }) => {
  const tenant = await tenantIn(db, 'collecting')
  await call.query('lock table warehouse_stock in row exclusive mode')
  const switched = switchReserving(db, new AbortController().signal, error)
  const leaseOf = async (): Promise<number> => {
    const { rows } = await call.query(
      `select extract(epoch from switching_until - now())::float8 as seconds from tenant_settings where tenant_id = $1`,
      [tenant],
    )
    return rows[0].seconds
  }
  await expect.poll(leaseOf).toBeGreaterThan(0)
  const first = await leaseOf()
  await delay(7_000)
  expect(await leaseOf()).toBeGreaterThan(first)
  await call.query('commit')
  await switched
})

it('who was stopped for too long leaves the phase to the one that has taken over', async ({ database, call, error }) => {
  const { db } = database
  const tenant = await tenantIn(db, 'clearing')
  const never = new AbortController().signal
  await call.query('select from holds where tenant_id = $1 for update', [tenant])
  const first = switchReserving(db, never, error)
  const waiting = async () =>
    (await call.query('select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))')).rowCount
  await expect.poll(waiting).toBe(1)
  await sql`update tenant_settings set switching_until = now() - interval '1 second' where tenant_id = ${tenant}`.execute(
    db.kysely,
  )
  const second = switchReserving(db, never, error)
  // It has taken over, and waits for the statement of the first one.
  const isTaken = async () =>
    (await call.query('select from tenant_settings where tenant_id = $1 and switching_until > clock_timestamp()', [tenant]))
      .rowCount
  await expect.poll(isTaken).toBe(1)
  const later = new pg.Client({ connectionString: database.url })
  await later.connect()
  await later.query('begin')
  await later.query('select from warehouse_stock where tenant_id = $1 for update', [tenant])
  await call.query('commit')
  expect(await isOver(first)).toBe(true)
  expect(await isOver(second)).toBe(false)
  await later.query('commit')
  await second
  await later.end()
  const stateOf = async () => {
    await switchReserving(db, never, error)
    const { rows } = await sql`
      select s.reservation_phase as phase, w.reserved::float8, h.state
      from tenant_settings s join warehouse_stock w using (tenant_id) join holds h using (tenant_id) where tenant_id = ${tenant}`.execute(
      db.kysely,
    )
    return rows
  }
  await expect.poll(stateOf).toEqual([{ phase: 'ready', reserved: 0, state: 'released' }])
})

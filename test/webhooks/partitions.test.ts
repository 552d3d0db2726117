import { describe, expect, inject } from 'vitest'
import { it as base } from './support/it.ts'
import { maintainAllPartitions } from '@fulfillment/server/maintenance.ts'
import { send, startService, type TestService, type TestTenant } from '../support/service.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { countInState, subscribe, writeEvents } from './support/deliveries.ts'
import { atMost } from '../support/patience.ts'

const DAY_MS = 86_400_000

/** Tests change the partitions, so each has its own service. */
const it = base
  .extend('own', async ({ settings }, { onCleanup }) => {
    const { url, db, drop } = await openTestDatabase(inject('postgresUrl'))
    // The template tells of its own deletions: with them, nothing would show the first run of the server.
    await db.dedicatedPool.query('delete from deletion_progress')
    const own = await startService({ ...settings, databaseUrl: url })
    onCleanup(async () => {
      await own.stop()
      await drop()
    })
    return own
  })
  .extend('tenant', async ({ own }) => await own.newTenant())

async function partitions(own: TestService): Promise<string[]> {
  const { rows } = await own.db.dedicatedPool.query(
    `select inhrelid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhparent where c.relname in ('events', 'finished_deliveries') order by 1`,
  )
  return rows.map(({ name }) => name)
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10).replaceAll('-', '')
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS)

/** Creates the partitions of a past day, as a server would have created them at that time. */
async function makePartitions(own: TestService, daysAgo: number): Promise<void> {
  for (const table of ['events', 'finished_deliveries']) {
    const bounds = [daysAgo, daysAgo - 1].map((days) => `'${inDays(-days).toISOString().slice(0, 10)} 00:00:00+00'`)
    await own.db.dedicatedPool.query(
      `create table ${table}_${dayOf(inDays(-daysAgo))} partition of ${table} for values from (${bounds[0]}) to (${bounds[1]})`,
    )
  }
}

/** Makes an event and its deliveries `days` days older. */
async function age(own: TestService, tenant: TestTenant, eventId: string | undefined, days: number): Promise<void> {
  const [by, values] = [`interval '${days} days'`, [tenant.id, eventId]]
  await own.db.dedicatedPool.query(`update events set created_at = created_at - ${by} where tenant_id = $1 and id = $2`, values)
  await own.db.dedicatedPool.query(
    `update finished_deliveries set event_created_at = event_created_at - ${by} where tenant_id = $1 and event_id = $2`,
    values,
  )
}

/** Waits for the server's own first run, a second after its start. Its next one is an hour later. */
async function firstRun(own: TestService): Promise<void> {
  const progress = `select count(*)::int as tables from deletion_progress where table_name in ('events', 'finished_deliveries')`
  await expect.poll(async () => (await own.db.dedicatedPool.query(progress)).rows[0].tables).toBe(2)
}

/** Simulates that the last deletion was an hour earlier. */
async function anHourLater(own: TestService): Promise<void> {
  await own.db.dedicatedPool.query(`update deletion_progress set deleted_at = deleted_at - interval '1 hour'`)
}

async function countIn(own: TestService, table: string): Promise<number> {
  return (await own.db.dedicatedPool.query(`select count(*) from ${table}`)).rows[0].count
}

/** The value of the gauge. */
async function daysAhead(own: TestService): Promise<number> {
  const text = await (await fetch(`${own.url}/metrics`)).text()
  return Number(/^fulfillment_partition_days_ahead (\d+)$/m.exec(text)?.[1])
}

describe('a server whose clock is 400 days ahead', () => {
  it('deletes nothing, and its audit entries have the time of the database', async ({ own, tenant, startProcess }) => {
    const [eventId] = await writeEvents(own, tenant, 1)
    await tenant.request('POST', '/warehouses', { name: 'before' })
    const before = await partitions(own)
    const ahead = await startProcess({
      DATABASE_URL: own.databaseUrl,
      ROLE: 'api',
      NODE_OPTIONS: `--import=${new URL('../support/clock-ahead.ts', import.meta.url).href}`,
    })
    const change = await send(`${ahead.url}/api/v1/warehouses`, 'POST', { name: 'ahead' }, { key: tenant.key })
    expect(change.status).toBe(200)
    const [, loggedAt] = await ahead.printed(/"time":(\d+)/)
    expect(Number(loggedAt)).toBeGreaterThan(Date.now() + 399 * DAY_MS)
    await ahead.end('SIGTERM')
    expect(await partitions(own)).toEqual(before)
    expect((await tenant.request('GET', `/events/${eventId}`)).status).toBe(200)
    const { entries } = (await tenant.request('GET', '/audit-log')).body.data
    expect(entries.map(({ input }: { input: { name: string } }) => input.name)).toEqual(['ahead', 'before'])
    expect(Math.abs(Date.parse(entries[0].at) - Date.now())).toBeLessThan(DAY_MS / 24)
  })
})

describe('the partitions of events and deliveries', () => {
  it('are created for today and a week ahead, once for all processes', async ({ own }) => {
    for (const name of await partitions(own)) if (/_\d{8}$/.test(name)) await own.db.dedicatedPool.query(`drop table ${name}`)
    await Promise.all(Array.from({ length: 3 }, () => maintainAllPartitions(own.db)))
    const names = await partitions(own)
    for (const table of ['events', 'finished_deliveries']) {
      for (let day = 0; day <= 7; day++) expect(names).toContain(`${table}_${dayOf(inDays(day))}`)
    }
    await maintainAllPartitions(own.db)
    expect(await partitions(own)).toEqual(names)
  })

  it('are not vacuumed after inserts, so that new rows are not spread over old pages', async ({ own }) => {
    await own.db.dedicatedPool.query(`drop table events_${dayOf(inDays(7))}`)
    await maintainAllPartitions(own.db)
    const { rows } = await own.db.dedicatedPool.query(
      `select inhrelid::regclass::text as name, c.reloptions from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r'`,
    )
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['events_default', `events_${dayOf(inDays(7))}`, `audit_log_${dayOf(new Date())}`]),
    )
    for (const { reloptions } of rows) expect(reloptions ?? []).toContain('autovacuum_vacuum_insert_threshold=-1')
  })

  it('hold the rows, and are dropped after 30 days', async ({ own, tenant, receiver, startWorker }) => {
    const { id } = await subscribe(tenant, receiver.url)
    const [expired, kept] = await writeEvents(own, tenant, 2)
    const worker = startWorker(own)
    await countInState(tenant, id, 'succeeded', 2)
    // Its own first run would drop what is made old below.
    await worker.stop()
    expect([await countIn(own, 'events_default'), await countIn(own, 'finished_deliveries_default')]).toEqual([0, 0])
    await firstRun(own)
    await makePartitions(own, 31)
    await makePartitions(own, 30)
    await age(own, tenant, expired, 31)
    await age(own, tenant, kept, 30)
    expect((await tenant.request('GET', `/events/${expired}`)).status).toBe(200)
    await anHourLater(own)
    await maintainAllPartitions(own.db)
    expect((await tenant.request('GET', `/events/${expired}`)).status).toBe(404)
    expect((await tenant.request('GET', `/events/${kept}`)).status).toBe(200)
    const { deliveries } = (await tenant.request('GET', `/webhooks/${id}/deliveries`)).body.data
    expect(deliveries.map(({ event_id }: { event_id: string }) => event_id)).toEqual([kept])
    const names = await partitions(own)
    expect([31, 30].map((days) => names.includes(`events_${dayOf(inDays(-days))}`))).toEqual([false, true])
  })

  it('can be missing: the default partition holds the rows, and they are deleted in time', async ({ own, tenant }) => {
    const today = dayOf(new Date())
    await firstRun(own)
    await own.db.dedicatedPool.query(`drop table events_${today}, finished_deliveries_${today}`)
    await writeEvents(own, tenant, 3)
    await maintainAllPartitions(own.db)
    expect(await countIn(own, 'events_default')).toBe(3)
    await writeEvents(own, tenant, 1)
    expect(await countIn(own, 'events')).toBe(4)
    expect(await partitions(own)).toContain(`events_${dayOf(inDays(1))}`)
    await own.db.dedicatedPool.query(`update events set created_at = created_at - interval '31 days'`)
    await anHourLater(own)
    await maintainAllPartitions(own.db)
    expect(await countIn(own, 'events')).toBe(0)
  })

  it('are dropped one day at a time, once an hour, oldest first', async ({ own }) => {
    await firstRun(own)
    await own.db.dedicatedPool.query('delete from deletion_progress')
    for (const days of [34, 33, 32, 31]) await makePartitions(own, days)
    const left = async (): Promise<number[]> => {
      const names = await partitions(own)
      return [34, 33, 32, 31].filter((days) => names.includes(`events_${dayOf(inDays(-days))}`))
    }
    await maintainAllPartitions(own.db)
    expect(await left()).toEqual([33, 32, 31])
    await Promise.all([maintainAllPartitions(own.db), maintainAllPartitions(own.db)])
    expect(await left()).toEqual([33, 32, 31])
    await anHourLater(own)
    await Promise.all([maintainAllPartitions(own.db), maintainAllPartitions(own.db)])
    expect(await left()).toEqual([32, 31])
  })

  it('are dropped after their pending deliveries, which are deleted in batches', async ({ own, tenant }) => {
    await firstRun(own)
    const { id } = await subscribe(tenant, 'http://127.0.0.1:1024/')
    const wait = (days: number, count: number) =>
      own.db.dedicatedPool.query(
        `insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
         select $1, $2, 'evt_' || n || '_' || $3::int, now() - make_interval(days => $3::int), 'order/created', now(), now() from generate_series(1, $4::int) n`,
        [tenant.id, id, days, count],
      )
    await wait(31, 11_000)
    await wait(30, 10)
    await anHourLater(own)
    await maintainAllPartitions(own.db)
    expect(await countIn(own, 'waiting_deliveries')).toBe(10)
  })

  it('are created and dropped even if those of another table cannot be dropped', async ({ own, tenant }) => {
    const { dedicatedPool } = own.db
    await firstRun(own)
    const { id } = await subscribe(tenant, 'http://127.0.0.1:1024/')
    await dedicatedPool.query(
      `insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
       values ($1, $2, 'evt_old', now() - interval '31 days', 'order/created', now(), now())`,
      [tenant.id, id],
    )
    // As when there are too many to delete them in time.
    await dedicatedPool.query(`
      create function take_too_long() returns trigger language plpgsql as $$ begin raise query_canceled; end $$;
      create trigger too_long before delete on waiting_deliveries for each row execute function take_too_long()`)
    await makePartitions(own, 31)
    const ahead = dayOf(inDays(7))
    await dedicatedPool.query(`drop table events_${ahead}, finished_deliveries_${ahead}, audit_log_${ahead}`)
    await expect.poll(() => daysAhead(own)).toBe(6)
    await anHourLater(own)
    const failure = await maintainAllPartitions(own.db).catch((error: unknown) => error)
    const names = await partitions(own)
    const past = dayOf(inDays(-31))
    const ofBothTables = (day: string) => names.filter((name) => name.endsWith(day))
    expect([ofBothTables(ahead), ofBothTables(past)]).toEqual([
      [`events_${ahead}`, `finished_deliveries_${ahead}`],
      [`events_${past}`],
    ])
    await expect.poll(() => daysAhead(own)).toBe(7)
    expect(failure).toMatchObject({ message: 'The partitions of events were not maintained', cause: { code: '57014' } })
  })

  it('are maintained without blocking writers, even while a long read is in progress', async ({ own, tenant }) => {
    const reader = await own.db.dedicatedPool.connect()
    for (let day = 0; day <= 7; day++) await own.db.dedicatedPool.query(`drop table events_${dayOf(inDays(day))}`)
    await reader.query('begin')
    await reader.query('select count(*) from events')
    const maintained = maintainAllPartitions(own.db)
    await new Promise((resolve) => setTimeout(resolve, 100))
    let slowestMs = 0
    for (let n = 0; n < 30; n++) {
      const started = performance.now()
      await tenant.request('POST', '/products', { name: 'x', barcode: `b-${n}` })
      slowestMs = Math.max(slowestMs, performance.now() - started)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(slowestMs).toBeLessThan(atMost(1_000))
    await reader.query('commit')
    reader.release()
    await maintained
    await maintainAllPartitions(own.db)
    expect(await partitions(own)).toContain(`events_${dayOf(inDays(7))}`)
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maintainPartitions } from '../../server/src/events/index.ts'
import { startServerProcess } from '../support/server-process.ts'
import { send, type TestService, type TestTenant } from '../support/service.ts'
import { countInState, startApi, startWorker, subscribe, writeEvents } from './support/deliveries.ts'
import { startReceiver } from './support/receiver.ts'
import { atMost } from '../support/patience.ts'

const DAY_MS = 86_400_000

let service: TestService
let tenant: TestTenant
beforeEach(async () => {
  service = await startApi()
  tenant = await service.newTenant()
})
afterEach(() => service.stop())

async function partitions(): Promise<string[]> {
  const { rows } = await service.db.pool.query(
    `select inhrelid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhparent where c.relname in ('events', 'finished_deliveries') order by 1`,
  )
  return rows.map(({ name }) => name)
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10).replaceAll('-', '')
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS)

/** Makes the partitions of a day in the past, as a server that ran then had made them. */
async function makePartitions(daysAgo: number): Promise<void> {
  for (const table of ['events', 'finished_deliveries']) {
    const bounds = [daysAgo, daysAgo - 1].map((days) => `'${inDays(-days).toISOString().slice(0, 10)} 00:00:00+00'`)
    await service.db.pool.query(
      `create table ${table}_${dayOf(inDays(-daysAgo))} partition of ${table} for values from (${bounds[0]}) to (${bounds[1]})`,
    )
  }
}

/** Makes an event so many days older, with its deliveries. */
async function age(eventId: string | undefined, days: number): Promise<void> {
  const [by, values] = [`interval '${days} days'`, [tenant.id, eventId]]
  await service.db.pool.query(`update events set created_at = created_at - ${by} where tenant_id = $1 and id = $2`, values)
  await service.db.pool.query(
    `update finished_deliveries set event_created_at = event_created_at - ${by} where tenant_id = $1 and event_id = $2`,
    values,
  )
}

/** As if the last deletion had been an hour ago. */
async function anHourLater(): Promise<void> {
  await service.db.pool.query(`update deletion_progress set deleted_at = deleted_at - interval '1 hour'`)
}

async function countIn(table: string): Promise<number> {
  return (await service.db.pool.query(`select count(*) from ${table}`)).rows[0].count
}

describe('a server whose clock is 400 days ahead', () => {
  it('deletes nothing, and its changes are in the audit log at the time of the database', async () => {
    const [eventId] = await writeEvents(service, tenant, 1)
    await tenant.request('POST', '/warehouses', { name: 'before' })
    const before = await partitions()
    const ahead = await startServerProcess({
      DATABASE_URL: service.databaseUrl,
      ROLE: 'api',
      NODE_OPTIONS: `--import=${new URL('../support/clock-ahead.ts', import.meta.url).href}`,
    })
    const change = await send(`${ahead.url}/api/v1/warehouses`, 'POST', { name: 'ahead' }, { key: tenant.key })
    expect(change.status).toBe(200)
    const [, loggedAt] = /"time":(\d+)/.exec(ahead.output()) ?? []
    expect(Number(loggedAt)).toBeGreaterThan(Date.now() + 399 * DAY_MS)
    await ahead.end('SIGTERM')
    expect(await partitions()).toEqual(before)
    expect((await tenant.request('GET', `/events/${eventId}`)).status).toBe(200)
    const { entries } = (await tenant.request('GET', '/audit-log')).body.data
    expect(entries.map(({ input }: { input: { name: string } }) => input.name)).toEqual(['ahead', 'before'])
    expect(Math.abs(Date.parse(entries[0].at) - Date.now())).toBeLessThan(DAY_MS / 24)
  })
})

describe('the partitions of events and deliveries', () => {
  it('are made for today and a week ahead, and made only once by several processes', async () => {
    for (const name of await partitions()) if (/_\d{8}$/.test(name)) await service.db.pool.query(`drop table ${name}`)
    await Promise.all(Array.from({ length: 3 }, () => maintainPartitions(service.db)))
    const names = await partitions()
    for (const table of ['events', 'finished_deliveries']) {
      for (let day = 0; day <= 7; day++) expect(names).toContain(`${table}_${dayOf(inDays(day))}`)
    }
    await maintainPartitions(service.db)
    expect(await partitions()).toEqual(names)
  })

  it('are left alone by vacuum, which would spread new rows over old pages', async () => {
    await service.db.pool.query(`drop table events_${dayOf(inDays(7))}`)
    await maintainPartitions(service.db)
    const { rows } = await service.db.pool.query(
      `select inhrelid::regclass::text as name, c.reloptions from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r'`,
    )
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['events_default', `events_${dayOf(inDays(7))}`, `audit_log_${dayOf(new Date())}`]),
    )
    for (const { reloptions } of rows) expect(reloptions ?? []).toContain('autovacuum_vacuum_insert_threshold=-1')
  })

  it('take the rows, and are dropped after 30 days with everything in them', async () => {
    const receiver = await startReceiver()
    const { id } = await subscribe(tenant, receiver.url)
    const [expired, kept] = await writeEvents(service, tenant, 2)
    const worker = startWorker(service)
    await countInState(tenant, id, 'succeeded', 2)
    expect([await countIn('events_default'), await countIn('finished_deliveries_default')]).toEqual([0, 0])
    await makePartitions(31)
    await makePartitions(30)
    await age(expired, 31)
    await age(kept, 30)
    expect((await tenant.request('GET', `/events/${expired}`)).status).toBe(200)
    await anHourLater()
    await maintainPartitions(service.db)
    expect((await tenant.request('GET', `/events/${expired}`)).status).toBe(404)
    expect((await tenant.request('GET', `/events/${kept}`)).status).toBe(200)
    const { deliveries } = (await tenant.request('GET', `/webhooks/${id}/deliveries`)).body.data
    expect(deliveries.map(({ event_id }: { event_id: string }) => event_id)).toEqual([kept])
    const names = await partitions()
    expect([31, 30].map((days) => names.includes(`events_${dayOf(inDays(-days))}`))).toEqual([false, true])
    await worker.stop()
    await receiver.close()
  })

  it('may be missing: the rows are kept in the default one, and deleted from there in time', async () => {
    const today = dayOf(new Date())
    await service.db.pool.query(`drop table events_${today}, finished_deliveries_${today}`)
    await writeEvents(service, tenant, 3)
    await maintainPartitions(service.db)
    expect(await countIn('events_default')).toBe(3)
    await writeEvents(service, tenant, 1)
    expect(await countIn('events')).toBe(4)
    expect(await partitions()).toContain(`events_${dayOf(inDays(1))}`)
    await service.db.pool.query(`update events set created_at = created_at - interval '31 days'`)
    await anHourLater()
    await maintainPartitions(service.db)
    expect(await countIn('events')).toBe(0)
  })

  it('are dropped a day at a time, once an hour, from the oldest on', async () => {
    await service.db.pool.query('delete from deletion_progress')
    for (const days of [34, 33, 32, 31]) await makePartitions(days)
    const left = async (): Promise<number[]> => {
      const names = await partitions()
      return [34, 33, 32, 31].filter((days) => names.includes(`events_${dayOf(inDays(-days))}`))
    }
    await maintainPartitions(service.db)
    expect(await left()).toEqual([33, 32, 31])
    await Promise.all([maintainPartitions(service.db), maintainPartitions(service.db)])
    expect(await left()).toEqual([33, 32, 31])
    await anHourLater()
    await Promise.all([maintainPartitions(service.db), maintainPartitions(service.db)])
    expect(await left()).toEqual([32, 31])
  })

  it('take the deliveries with them that wait still, in pieces', async () => {
    const { id } = await subscribe(tenant, 'http://127.0.0.1:1024/')
    const wait = (days: number, count: number) =>
      service.db.pool.query(
        `insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
         select $1, $2, 'evt_' || n || '_' || $3::int, now() - make_interval(days => $3::int), 'order/created', now(), now() from generate_series(1, $4::int) n`,
        [tenant.id, id, days, count],
      )
    await wait(31, 11_000)
    await wait(30, 10)
    await anHourLater()
    await maintainPartitions(service.db)
    expect(await countIn('waiting_deliveries')).toBe(10)
  })

  it('are maintained without holding up a writer, even when a long reader is in the way', async () => {
    const reader = await service.db.pool.connect()
    for (let day = 0; day <= 7; day++) await service.db.pool.query(`drop table events_${dayOf(inDays(day))}`)
    await reader.query('begin')
    await reader.query('select count(*) from events')
    const maintained = maintainPartitions(service.db)
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
    await maintainPartitions(service.db)
    expect(await partitions()).toContain(`events_${dayOf(inDays(7))}`)
  })
})

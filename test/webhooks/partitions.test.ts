import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maintainPartitions } from '../../server/src/events/index.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { countInState, startApi, startWorker, subscribe, writeEvents } from './support/deliveries.ts'
import { startReceiver } from './support/receiver.ts'

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

async function countIn(table: string): Promise<number> {
  return (await service.db.pool.query(`select count(*) from ${table}`)).rows[0].count
}

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
    await maintainPartitions(service.db, inDays(1))
    const { rows } = await service.db.pool.query(
      `select inhrelid::regclass::text as name, c.reloptions from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r'`,
    )
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['events_default', `events_${dayOf(inDays(8))}`, `audit_log_${dayOf(new Date())}`]),
    )
    for (const { reloptions } of rows) expect(reloptions ?? []).toContain('autovacuum_vacuum_insert_threshold=-1')
  })

  it('take the rows, and are dropped after 30 days with everything in them', async () => {
    const receiver = await startReceiver()
    const { id } = await subscribe(tenant, receiver.url)
    const [eventId] = await writeEvents(service, tenant, 2)
    const worker = startWorker(service)
    await countInState(tenant, id, 'succeeded', 2)
    expect([await countIn('events_default'), await countIn('finished_deliveries_default')]).toEqual([0, 0])
    await maintainPartitions(service.db, inDays(30))
    expect((await tenant.request('GET', `/events/${eventId}`)).status).toBe(200)
    await maintainPartitions(service.db, inDays(31))
    expect((await tenant.request('GET', `/events/${eventId}`)).status).toBe(404)
    expect((await tenant.request('GET', `/webhooks/${id}/deliveries`)).body.data.deliveries).toEqual([])
    expect((await partitions()).some((name) => name.endsWith(dayOf(new Date())))).toBe(false)
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
    await maintainPartitions(service.db, inDays(31))
    expect(await countIn('events')).toBe(0)
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
    expect(slowestMs).toBeLessThan(1_000)
    await reader.query('commit')
    reader.release()
    await maintained
    await maintainPartitions(service.db)
    expect(await partitions()).toContain(`events_${dayOf(inDays(7))}`)
  })
})

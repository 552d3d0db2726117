import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { RequestContext } from '../../server/src/context.ts'
import { openDatabase } from '../../server/src/database/database.ts'
import { FeedHorizon, maintainPartitions } from '../../server/src/events/index.ts'
import { getEvent } from '../../server/src/events/get-event.ts'
import { listEvents } from '../../server/src/events/list-events.ts'
import { createTenant } from '../../server/src/tenants/index.ts'
import { cloneDatabase } from '../support/test-database.ts'
import { Recorder } from './explain.ts'

/** Over eight days; every thousandth is of another topic. */
const EVENTS = 100_000

let recorder: Recorder
let context: RequestContext
let end: () => Promise<void>

beforeAll(async () => {
  const database = await cloneDatabase(inject('postgresUrl'))
  const db = openDatabase(database.url)
  await maintainPartitions(db)
  const { id: tenantId } = await createTenant(db, 'large')
  await db.pool.query(`insert into events (tenant_id, id, topic, created_at, body)
    select ${tenantId}, id, topic, now() + n * interval '7 days' / ${EVENTS},
      json_build_object('id', id, 'event', topic, 'created_at', '2026-01-01T00:00:00.000Z', 'data', '{}'::json)
    from (select n, 'evt_1' || lpad(to_hex(nextval('event_sequence')), 23, '0') as id,
      case n % 1000 when 0 then 'product/created' else 'product/updated' end as topic from generate_series(1, ${EVENTS}) n) e`)
  await db.pool.query('vacuum analyze events')
  const client = new pg.Client({
    connectionString: database.url,
    options: '-c timezone=UTC -c plan_cache_mode=force_generic_plan',
  })
  await client.connect()
  recorder = new Recorder(client)
  const feedHorizon = new FeedHorizon(db)
  context = { ...recorder.contextOf({ tenantId, defaultWarehouse: { id: 1, name: 'Main' }, keyName: 'test' }), feedHorizon }
  end = async () => {
    feedHorizon.close()
    await client.end()
    await db.close()
    await database.drop()
  }
}, 120_000)
afterAll(() => end())

const idOf = (number: number): string => `evt_1${number.toString(16).padStart(23, '0')}`
const day = (offset: number): Date => new Date(Date.now() + offset * 86_400_000)

describe('the feed of a tenant with very many events reads', () => {
  const cases: [name: string, query: object, most: number, found: number][] = [
    // The first event of each partition, and what is shown.
    ['little more than a page shows', {}, 51 + 9, 50],
    ['no more in the middle', { after: idOf(EVENTS / 2) }, 51 + 9, 50],
    ['nothing behind the last event', { after: idOf(EVENTS) }, 9, 0],
    [
      'up to the last event that it shows, with a rare topic',
      { event: 'product/created', after: idOf(90_500), limit: 2 },
      5_000 + 9,
      2,
    ],
    ['all that is left, when the topic is too rare', { event: 'product/created', after: idOf(90_500) }, 9_500 + 9 * 3 + 10, 10],
    ['only the days of a period', { event: 'product/created', since: day(6.9), until: day(7.1) }, 20_000, 1],
  ]
  it.each(cases)('%s', async (_name, query, most, found) => {
    let events: unknown[] = []
    const reads = await recorder.readsOf(async () => {
      ;({ events } = await listEvents(context, { limit: 50, ...query } as never))
    })
    expect(events.length).toBeGreaterThanOrEqual(found)
    expect(reads.whole).toEqual([])
    expect(
      Object.entries(reads.rows)
        .filter(([table]) => table.startsWith('events'))
        .reduce((sum, [, rows]) => sum + rows, 0),
    ).toBeLessThanOrEqual(most)
  })

  it('one event by its key', async () => {
    const reads = await recorder.readsOf(() => getEvent(context, { id: idOf(777) }))
    expect(reads.whole.filter((table) => table !== 'events_default')).toEqual([])
    expect(Object.values(reads.rows).reduce((sum, rows) => sum + rows, 0)).toBe(1)
  })
})

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { readConfig } from '../../server/src/config.ts'
import type { RequestContext } from '../../server/src/context.ts'
import { openDatabase, type Queryable } from '../../server/src/database/database.ts'
import { startEmbeddedPostgres } from '../../server/src/database/embedded-postgres.ts'
import { migrate } from '../../server/src/database/migrate.ts'
import { FeedHorizon } from '../../server/src/events/index.ts'
import { listEvents } from '../../server/src/events/list-events.ts'
import { startServer } from '../../server/src/server.ts'
import { send, type TestService, type TestTenant } from '../support/service.ts'
import { createDatabase, dropDatabase } from '../support/test-database.ts'
import { startApi, writeEvents } from './support/deliveries.ts'
import { until } from './support/receiver.ts'

let service: TestService
let tenant: TestTenant
beforeAll(async () => {
  service = await startApi()
})
afterAll(() => service.stop())
beforeEach(async () => {
  tenant = await service.newTenant()
})

interface Page {
  events: { id: string; event: string; created_at: string; data: Record<string, unknown> }[]
  next_cursor: string | null
}

async function feed(query = ''): Promise<Page> {
  return (await tenant.request('GET', `/events?${query}`)).body.data
}

/** Reads the feed until it holds the event; transactions of other tests may hold it back for a moment. */
async function feedWith(id: string | undefined, query = ''): Promise<Page> {
  let page = await feed(query)
  await until(async () => {
    page = await feed(query)
    return page.events.some((event) => event.id === id)
  }, `event ${id} in the feed`)
  return page
}

describe('the feed of events', () => {
  it('holds every event of the tenant, oldest first, subscribed to or not', async () => {
    const product = await tenant.request('POST', '/products', { name: 'Cup', barcode: 'cup' })
    await tenant.request('PUT', `/products/${product.body.data.id}`, { price: 4 })
    await writeEvents(service, await service.newTenant(), 1)
    const [last] = await writeEvents(service, tenant, 1)
    const { events, next_cursor } = await feedWith(last)
    expect(events.map(({ event }) => event)).toEqual(['product/created', 'product/updated', 'product/deleted'])
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      event: 'product/created',
      created_at: expect.any(String),
      data: expect.any(Object),
    })
    expect(next_cursor).toBeNull()
    expect((await tenant.request('GET', `/events/${events[1]?.id}`)).body.data).toEqual(events[1])
  })

  it('is read page by page without gap or repetition', async () => {
    const ids = await writeEvents(service, tenant, 25)
    await feedWith(ids.at(-1))
    const read: string[] = []
    for (let query = 'limit=10'; ;) {
      const { events, next_cursor } = await feed(query)
      read.push(...events.map(({ id }) => id))
      if (next_cursor === null) break
      query = `limit=10&cursor=${next_cursor}`
    }
    expect(read).toEqual(ids)
    expect(await feed(`cursor=${ids.at(-1)}`)).toEqual({ events: [], next_cursor: null })
  })

  it('goes on behind `after` as behind `cursor`, and refuses two that differ', async () => {
    const [first, second, third] = await writeEvents(service, tenant, 3)
    await feedWith(third)
    const idsBehind = async (query: string) => (await feed(query)).events.map(({ id }) => id)
    expect(await idsBehind(`after=${first}`)).toEqual([second, third])
    expect(await idsBehind(`cursor=${first}`)).toEqual([second, third])
    expect(await idsBehind(`cursor=${first}&after=${first}`)).toEqual([second, third])
    const { status, body } = await tenant.request('GET', `/events?cursor=${first}&after=${second}`)
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'validation_error', message: 'cursor: must be the same as after, or be given without it' }),
    ])
  })

  it('never skips an event that is committed late', async () => {
    const [first] = await writeEvents(service, tenant, 1)
    await feedWith(first)
    const { promise: held, resolve: commit } = Promise.withResolvers<void>()
    const { promise: written, resolve: hasWritten } = Promise.withResolvers<string[]>()
    const late = service.db.transaction(async (tx) => {
      hasWritten(await writeEvents({ db: tx }, tenant, 1))
      await held
    })
    const lateIds = await written
    const early = await writeEvents(service, tenant, 3)

    // The early events are committed, but a reader who saw them would go on behind the late one.
    const before = await feedWith(first)
    expect(before.events.map(({ id }) => id)).toEqual([first])
    commit()
    await late
    const after = await feedWith(early.at(-1), `after=${first}`)
    expect(after.events.map(({ id }) => id)).toEqual([...lateIds, ...early])
  })

  it('follows 8 parallel writers without missing or repeating an event', async () => {
    const seen: string[] = []
    let writing = true
    const reader = (async () => {
      for (let last = ''; ;) {
        const done = !writing
        const { events } = await feed(`limit=7${last === '' ? '' : `&after=${last}`}`)
        seen.push(...events.map(({ id }) => id))
        last = events.at(-1)?.id ?? last
        if (done && events.length === 0) return
      }
    })()
    const writers = Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 10; n++) await service.db.transaction((tx) => writeEvents({ db: tx }, tenant, 2))
    })
    await Promise.all(writers)
    const { rows } = await service.db.pool.query('select id from events where tenant_id = $1 order by id', [tenant.id])
    await feedWith(rows.at(-1)?.id, `after=${rows.at(-2)?.id}`)
    writing = false
    await reader
    expect(seen).toEqual(rows.map(({ id }) => id))
  })

  it('is filtered by topic and time', async () => {
    const [first] = await writeEvents(service, tenant, 1, 'product/created')
    await new Promise((resolve) => setTimeout(resolve, 5))
    const [second] = await writeEvents(service, tenant, 1, 'product/deleted')
    const { events } = await feedWith(second)
    const at = events[1]?.created_at ?? ''
    const today = at.slice(0, 10)
    const idsOf = async (query: string) => (await feed(query)).events.map(({ id }) => id)
    expect(await idsOf('event=product/created')).toEqual([first])
    expect(await idsOf(`since=${at}`)).toEqual([second])
    expect(await idsOf(`until=${at}`)).toEqual([first, second])
    expect(await idsOf(`until=${events[0]?.created_at}`)).toEqual([first])
    expect(await idsOf(`since=${today}&until=${today}`)).toEqual([first, second])
    expect(await idsOf('until=2020-01-01')).toEqual([])
    expect(await idsOf('since=2999-01-01')).toEqual([])
    expect(await idsOf('since=0001-01-01&until=9999-12-31T23:59:59-23:59'.replace('+', '%2B'))).toEqual([first, second])
  })

  it.each([
    'event=order/unknown',
    'since=yesterday',
    'until=2026-02-30',
    'after=abc',
    'cursor=abc',
    'after=evt_test_000000000000000000000000',
    'limit=0',
  ])('refuses %s', async (query) => {
    const { status, body } = await tenant.request('GET', `/events?${query}`)
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
  })

  it('has no event of another tenant', async () => {
    const [id] = await writeEvents(service, await service.newTenant(), 1)
    const { status, body } = await tenant.request('GET', `/events/${id}`)
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })
})

/** A connection that is closed at the end of the test. */
async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Another server on the database, which has not seen what happened before. */
async function startAnother(databaseUrl: string): Promise<(query?: string) => Promise<Page>> {
  const settings = { PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0', ROLE: 'api', ENCRYPTION_KEY: 'key of the tests' }
  const server = await startServer({ ...readConfig(settings), databaseUrl })
  onTestFinished(() => server.stop())
  return async (query = '') =>
    (await send(`${server.url}/api/v1/events?${query}`, 'GET', undefined, { key: tenant.key })).body.data
}

const idsIn = ({ events }: Page): string[] => events.map(({ id }) => id)

it('a server that starts while a transaction with events is open refuses to read the feed, rather than to skip them', async () => {
  const { promise: held, resolve: commit } = Promise.withResolvers<void>()
  const { promise: written, resolve: hasWritten } = Promise.withResolvers<string[]>()
  const late = service.db.transaction(async (tx) => {
    hasWritten(await writeEvents({ db: tx }, tenant, 1))
    await held
  })
  const lateIds = await written
  const early = await writeEvents(service, tenant, 1)
  const horizon = new FeedHorizon(service.db)
  onTestFinished(() => horizon.close())
  await expect(horizon.bounds()).rejects.toMatchObject({ errorCode: 'service_unavailable', retryAfterSeconds: 1 })
  commit()
  await late
  const { final, latest } = await horizon.bounds()
  expect(final).toBeGreaterThanOrEqual(latest)
  expect(idsIn(await feedWith(early[0]))).toEqual([...lateIds, ...early])
})

describe('the feed is not held back', () => {
  it('by an open transaction of another database of the cluster, however old', async () => {
    const url = await createDatabase(inject('postgresUrl'), `other_${randomBytes(8).toString('hex')}`)
    onTestFinished(() => dropDatabase(url))
    const other = await connectTo(url)
    await other.query('begin; create table t (id int)')
    const ids = await writeEvents(service, tenant, 3)
    expect(idsIn(await feedWith(ids.at(-1)))).toEqual(ids)
    const askAnother = await startAnother(service.databaseUrl)
    expect(idsIn(await askAnother())).toEqual(ids)
    await other.query('rollback')
  })

  it('by an open or prepared transaction that writes no events, but by one that did', async () => {
    const client = await connectTo(service.databaseUrl)
    const { rows } = await client.query<{ max: number }>(`select current_setting('max_prepared_transactions')::int as max`)
    expect(rows[0]?.max, 'the server of TEST_DATABASE_URL needs max_prepared_transactions').toBeGreaterThan(0)
    // What is prepared outlives its connection, and would keep the database from being dropped.
    onTestFinished(async () => {
      const { rows } = await service.db.pool.query('select gid from pg_prepared_xacts where database = current_database()')
      for (const { gid } of rows) await service.db.pool.query(`rollback prepared '${gid}'`)
    })
    await client.query('begin; create table anything (id int)')
    const first = await writeEvents(service, tenant, 1)
    expect(idsIn(await feedWith(first[0]))).toEqual(first)
    await client.query(`prepare transaction 'without events'`)
    const second = await writeEvents(service, tenant, 1)
    expect(idsIn(await feedWith(second[0]))).toEqual([...first, ...second])

    await client.query('begin')
    const run = async ({ text }: { text: string }, values: readonly unknown[]) => (await client.query(text, [...values])).rows
    const held = await writeEvents({ db: { run } as unknown as Queryable }, tenant, 1)
    await client.query(`prepare transaction 'with events'`)
    const third = await writeEvents(service, tenant, 1)
    await delay(600)
    expect(idsIn(await feed())).toEqual([...first, ...second])
    await client.query(`commit prepared 'with events'`)
    expect(idsIn(await feedWith(third[0]))).toEqual([...first, ...second, ...held, ...third])
  })
})

it('the feed of a database that was dumped and restored into a new cluster has its old events, and new ones behind them', async () => {
  // As pg_dump and psql do it: the rows as they are, before there are triggers, and the value of the sequence.
  const old = `evt_${(10 ** 9).toString(16).padStart(12, '0')}${'1'.padStart(12, '0')}`
  const client = await connectTo(service.databaseUrl)
  await client.query(`set fulfillment.keep_event_ids = 'on'`)
  await client.query(
    `insert into events (tenant_id, id, topic, body) values ($1, $2, 'order/created',
     json_build_object('id', $2::text, 'event', 'order/created', 'created_at', '2026-01-01T00:00:00.000Z', 'data', '{}'::json)::text)`,
    [tenant.id, old],
  )
  const ids = [old, ...(await writeEvents(service, tenant, 3))]
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fulfillment-restored-'))
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
  onTestFinished(async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const db = openDatabase(postgres.connectionString, { maxConnections: 1, pipelinedConnections: 1 })
  onTestFinished(() => db.close())
  await db.unhurried(migrate)
  await db.pool.query('alter table events disable trigger user')
  for (const table of ['tenants', 'api_keys', 'warehouses', 'events']) {
    const { rows } = await client.query(`select json_agg(t) as rows from ${table} t`)
    await db.pool.query(
      `insert into ${table} ${table === 'events' ? '' : 'overriding system value'} select * from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[0].rows)],
    )
  }
  await db.pool.query('alter table events enable trigger user')
  const { rows } = await client.query('select last_value from event_sequence')
  await db.pool.query(`select setval('event_sequence', $1)`, [rows[0].last_value])

  const ask = await startAnother(postgres.connectionString)
  expect(idsIn(await ask())).toEqual(ids)
  const added = await writeEvents({ db }, tenant, 2)
  expect(idsIn(await ask(`after=${ids.at(-1)}`))).toEqual(added)
}, 60_000)

describe('a rare topic', () => {
  /** Thousands of events, three of them of the topic: the first, one in the middle, and the last. */
  async function writeMany(): Promise<string[]> {
    const [first] = await writeEvents(service, tenant, 1, 'product/created')
    await writeEvents(service, tenant, 7_000)
    const [second] = await writeEvents(service, tenant, 1, 'product/created')
    await writeEvents(service, tenant, 7_000)
    const [third] = await writeEvents(service, tenant, 1, 'product/created')
    return [first, second, third] as string[]
  }

  it('is found among all others, page by page', async () => {
    const rare = await writeMany()
    await feedWith(rare[2], `after=${rare[1]}&event=product/created`)
    expect(idsIn(await feed('event=product/created'))).toEqual(rare)
    expect(await feed(`event=product/created&after=${rare[2]}`)).toEqual({ events: [], next_cursor: null })
    const pages: string[][] = []
    for (let query = ''; pages.length < 5;) {
      const page = await feed(`event=product/created&limit=1${query}`)
      pages.push(idsIn(page))
      if (page.next_cursor === null) break
      query = `&cursor=${page.next_cursor}`
    }
    expect(pages).toEqual(rare.map((id) => [id]))
  })

  it('is looked for no longer than a second: the next page goes on where that was', async () => {
    const rare = await writeMany()
    await feedWith(rare[2], `after=${rare[1]}&event=product/created`)
    // A database that takes 600 ms for a statement: two are begun within the second.
    const runApart: typeof service.db.runApart = async (...call) => {
      await delay(600)
      return await service.db.runApart(...call)
    }
    const horizon = new FeedHorizon(service.db)
    onTestFinished(() => horizon.close())
    const context = { db: { runApart }, caller: { tenantId: tenant.id }, feedHorizon: horizon } as unknown as RequestContext
    const found: string[] = []
    const cursors: (string | null)[] = []
    for (let after: string | undefined; ;) {
      const { events, next_cursor } = await listEvents(context, { event: 'product/created', limit: 50, after } as never)
      found.push(...events.map(({ id }) => id))
      cursors.push(next_cursor)
      if (next_cursor === null) break
      after = next_cursor
    }
    expect(found).toEqual(rare)
    expect(cursors).toEqual([expect.stringMatching(/^evt_1/), null])
  })
})

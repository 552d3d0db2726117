import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { it } from './support/it.ts'
import { readConfig } from '@fulfillment/server/config.ts'
import type { RequestContext } from '@fulfillment/server/procedures/context.ts'
import { openDatabase, type Queryable } from '@fulfillment/server/database/database.ts'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { migrate } from '@fulfillment/server/database/migrate.ts'
import { FeedHorizon } from '@fulfillment/server/domain/events/index.ts'
import { listEvents } from '@fulfillment/server/domain/events/list-events.ts'
import { startServer } from '@fulfillment/server/server.ts'
import { send, type TestService, type TestTenant } from '../support/service.ts'
import { createDatabase, dropDatabase } from '../support/test-database.ts'
import { writeEvents } from './support/deliveries.ts'
import { until } from '../support/receiver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Page {
  events: { id: string; event: string; created_at: string; data: Record<string, unknown> }[]
  next_cursor: string | null
}

async function feed(tenant: TestTenant, query = ''): Promise<Page> {
  return (await tenant.request('GET', `/events?${query}`)).body.data
}

/** Reads the feed until it contains the event. Transactions of other tests may hold it back for a moment. */
async function feedWith(tenant: TestTenant, id: string | undefined, query = ''): Promise<Page> {
  let page = await feed(tenant, query)
  await until(async () => {
    page = await feed(tenant, query)
    return page.events.some((event) => event.id === id)
  }, `event ${id} in the feed`)
  return page
}

/** Writes an event in a transaction that stays open until `commit`. */
async function writeUncommitted({ db }: TestService, tenant: TestTenant): Promise<{ ids: string[]; commit(): Promise<void> }> {
  const held = Promise.withResolvers<void>()
  const written = Promise.withResolvers<string[]>()
  const transaction = db.transaction(async (tx) => {
    written.resolve(await writeEvents({ db: tx }, tenant, 1))
    await held.promise
  })
  return {
    ids: await written.promise,
    commit: async () => {
      held.resolve()
      await transaction
    },
  }
}

describe('the feed of events', () => {
  it('contains every event of the tenant, oldest first, with or without a subscription', async ({ service, tenant }) => {
    const product = await tenant.request('POST', '/products', { name: 'Cup', barcode: 'cup' })
    await tenant.request('PUT', `/products/${product.body.data.id}`, { price: 4 })
    await writeEvents(service, await service.newTenant(), 1)
    const [last] = await writeEvents(service, tenant, 1)
    const { events, next_cursor } = await feedWith(tenant, last)
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

  it('can be read in pages without gaps or duplicates', async ({ service, tenant }) => {
    const ids = await writeEvents(service, tenant, 25)
    await feedWith(tenant, ids.at(-1))
    const read: string[] = []
    for (let query = 'limit=10'; ;) {
      const { events, next_cursor } = await feed(tenant, query)
      read.push(...events.map(({ id }) => id))
      if (next_cursor === null) break
      query = `limit=10&cursor=${next_cursor}`
    }
    expect(read).toEqual(ids)
    expect(await feed(tenant, `cursor=${ids.at(-1)}`)).toEqual({ events: [], next_cursor: null })
  })

  it('continues after `after` or `cursor`, and rejects both if they differ', async ({ service, tenant }) => {
    const [first, second, third] = await writeEvents(service, tenant, 3)
    await feedWith(tenant, third)
    const idsBehind = async (query: string) => (await feed(tenant, query)).events.map(({ id }) => id)
    expect(await idsBehind(`after=${first}`)).toEqual([second, third])
    expect(await idsBehind(`cursor=${first}`)).toEqual([second, third])
    expect(await idsBehind(`cursor=${first}&after=${first}`)).toEqual([second, third])
    const { status, body } = await tenant.request('GET', `/events?cursor=${first}&after=${second}`)
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'validation_error', message: 'cursor: must be the same as after, or be given without it' }),
    ])
  })

  it('can be read newest first, in pages, by topic and time', async ({ service, tenant }) => {
    const created = await writeEvents(service, tenant, 12, 'product/created')
    const deleted = await writeEvents(service, tenant, 13, 'product/deleted')
    const ids = [...created, ...deleted]
    await feedWith(tenant, ids.at(-1))
    const today = new Date().toISOString().slice(0, 10)
    for (const [filter, expected] of [
      ['', ids],
      ['&event=product/created', created],
      [`&since=2020-01-01&until=2999-01-01`, ids],
      [`&since=2020-01-01&event=product/deleted`, deleted],
      [`&until=2020-01-01`, []],
      [`&since=2999-01-01`, []],
    ] as const) {
      const read: string[] = []
      for (let query = `order=desc&limit=5${filter}`; ;) {
        const { events, next_cursor } = await feed(tenant, query)
        expect(events.length, filter).toBeLessThanOrEqual(5)
        read.push(...events.map(({ id }) => id))
        if (next_cursor === null) break
        query = `order=desc&limit=5${filter}&cursor=${next_cursor}`
      }
      expect(read, filter).toEqual([...expected].toReversed())
    }
    expect((await feed(tenant, `order=desc&cursor=${ids[0]}`)).events).toEqual([])
    expect((await feed(tenant, `order=desc&since=${today}&cursor=${ids[2]}`)).events.map(({ id }) => id)).toEqual([
      ids[1],
      ids[0],
    ])
    expect((await tenant.request('GET', '/events?order=newest')).body.error.code).toBe('validation_error')
  })

  it('newest first, begins with the event of the last call, while others write', async ({ service, tenant }) => {
    const other = await service.newTenant()
    const end = new AbortController()
    const writing = (async () => {
      while (!end.signal.aborted) await writeEvents(service, other, 1)
    })()
    for (let round = 0; round < 5; round++) {
      const { body } = await tenant.request('POST', '/products', { name: `Cup ${round}`, barcode: `cup ${round}` })
      // Usually in the first reading, which waits for it for a quarter of a second.
      const newest = async () => (await feed(tenant, 'order=desc&limit=1')).events[0]?.data
      await expect.poll(newest).toMatchObject({ product_id: body.data.id })
    }
    end.abort()
    await writing
  })

  it('never skips an event that commits late', async ({ service, tenant }) => {
    const [first] = await writeEvents(service, tenant, 1)
    await feedWith(tenant, first)
    const { ids: lateIds, commit } = await writeUncommitted(service, tenant)
    const early = await writeEvents(service, tenant, 3)

    // The other events are committed, but must stay hidden: a reader who saw them would continue after the late event and miss it.
    const before = await feedWith(tenant, first)
    expect(before.events.map(({ id }) => id)).toEqual([first])
    await commit()
    const after = await feedWith(tenant, early.at(-1), `after=${first}`)
    expect(after.events.map(({ id }) => id)).toEqual([...lateIds, ...early])
  })

  it('has no gaps or duplicates with 8 parallel writers', async ({ service, tenant }) => {
    const seen: string[] = []
    let writing = true
    const reader = (async () => {
      for (let last = ''; ;) {
        const done = !writing
        const { events } = await feed(tenant, `limit=7${last === '' ? '' : `&after=${last}`}`)
        seen.push(...events.map(({ id }) => id))
        last = events.at(-1)?.id ?? last
        if (done && events.length === 0) return
      }
    })()
    const writers = Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 10; n++) await service.db.transaction((tx) => writeEvents({ db: tx }, tenant, 2))
    })
    await Promise.all(writers)
    const { rows } = await service.db.dedicatedPool.query('select id from events where tenant_id = $1 order by id', [tenant.id])
    await feedWith(tenant, rows.at(-1)?.id, `after=${rows.at(-2)?.id}`)
    writing = false
    await reader
    expect(seen).toEqual(rows.map(({ id }) => id))
  })

  it('can be filtered by topic and time', async ({ service, tenant }) => {
    const [first] = await writeEvents(service, tenant, 1, 'product/created')
    await new Promise((resolve) => setTimeout(resolve, 5))
    const [second] = await writeEvents(service, tenant, 1, 'product/deleted')
    const { events } = await feedWith(tenant, second)
    const at = events[1]?.created_at ?? ''
    const today = at.slice(0, 10)
    const idsOf = async (query: string) => (await feed(tenant, query)).events.map(({ id }) => id)
    expect(await idsOf('event=product/created')).toEqual([first])
    expect(await idsOf(`since=${at}`)).toEqual([second])
    expect(await idsOf(`until=${at}`)).toEqual([first, second])
    expect(await idsOf(`until=${events[0]?.created_at}`)).toEqual([first])
    expect(await idsOf(`since=${today}&until=${today}`)).toEqual([first, second])
    expect(await idsOf('until=2020-01-01')).toEqual([])
    expect(await idsOf('since=2999-01-01')).toEqual([])
    expect(await idsOf('since=0001-01-01&until=9999-12-31T23:59:59-23:59'.replace('+', '%2B'))).toEqual([first, second])
  })

  it.for([
    'event=order/unknown',
    'since=yesterday',
    'until=2026-02-30',
    'after=abc',
    'cursor=abc',
    'after=evt_test_000000000000000000000000',
    'limit=0',
  ])('refuses %s', async (query, { tenant }) => {
    const { status, body } = await tenant.request('GET', `/events?${query}`)
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
  })

  it('contains no event of another tenant', async ({ service, tenant }) => {
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

/** Starts another server on the database, without knowledge of earlier transactions. */
async function startAnother(tenant: TestTenant, databaseUrl: string): Promise<(query?: string) => Promise<Page>> {
  const settings = { PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0', ROLE: 'api' }
  const server = await startServer({ ...readConfig(settings), encryptionKey: 'encryption key of the tests', databaseUrl })
  onTestFinished(() => server.stop())
  return async (query = '') =>
    (await send(`${server.url}/api/v1/events?${query}`, 'GET', undefined, { key: tenant.key })).body.data
}

const idsIn = ({ events }: Page): string[] => events.map(({ id }) => id)

it('a server that starts during a transaction with events refuses to read the feed until the transaction ends', async ({
  service,
  tenant,
}) => {
  const { ids: lateIds, commit } = await writeUncommitted(service, tenant)
  const early = await writeEvents(service, tenant, 1)
  const horizon = new FeedHorizon(service.db)
  onTestFinished(() => horizon.close())
  await expect(horizon.bounds()).rejects.toMatchObject({ errorCode: 'service_unavailable', retryAfterSeconds: 1 })
  await commit()
  const { final, latest } = await horizon.bounds()
  expect(final).toBeGreaterThanOrEqual(latest)
  expect(idsIn(await feedWith(tenant, early[0]))).toEqual([...lateIds, ...early])
})

describe('the feed is not held back', () => {
  it('by an open transaction in another database of the cluster', async ({ service, tenant }) => {
    const url = await createDatabase(inject('postgresUrl'), `other_${randomBytes(8).toString('hex')}`)
    onTestFinished(() => dropDatabase(url))
    const other = await connectTo(url)
    await other.query('begin; create table t (id int)')
    const ids = await writeEvents(service, tenant, 3)
    expect(idsIn(await feedWith(tenant, ids.at(-1)))).toEqual(ids)
    const askAnother = await startAnother(tenant, service.databaseUrl)
    expect(idsIn(await askAnother())).toEqual(ids)
    await other.query('rollback')
  })

  it('by an open or prepared transaction without events, only by one with events', async ({ service, tenant }) => {
    const client = await connectTo(service.databaseUrl)
    const { rows } = await client.query<{ max: number }>(`select current_setting('max_prepared_transactions')::int as max`)
    expect(rows[0]?.max, 'the server of TEST_DATABASE_URL needs max_prepared_transactions').toBeGreaterThan(0)
    // A prepared transaction outlives its connection, and would prevent dropping the database.
    onTestFinished(async () => {
      const { rows } = await service.db.dedicatedPool.query(
        'select gid from pg_prepared_xacts where database = current_database()',
      )
      for (const { gid } of rows) await service.db.dedicatedPool.query(`rollback prepared '${gid}'`)
    })
    await client.query('begin; create table anything (id int)')
    const first = await writeEvents(service, tenant, 1)
    expect(idsIn(await feedWith(tenant, first[0]))).toEqual(first)
    await client.query(`prepare transaction 'without events'`)
    const second = await writeEvents(service, tenant, 1)
    expect(idsIn(await feedWith(tenant, second[0]))).toEqual([...first, ...second])

    await client.query('begin')
    const run = async ({ sql }: { sql: string }, values: readonly unknown[]) => (await client.query(sql, [...values])).rows
    const held = await writeEvents({ db: { run } as unknown as Queryable }, tenant, 1)
    await client.query(`prepare transaction 'with events'`)
    const third = await writeEvents(service, tenant, 1)
    await delay(600)
    expect(idsIn(await feed(tenant))).toEqual([...first, ...second])
    await client.query(`commit prepared 'with events'`)
    expect(idsIn(await feedWith(tenant, third[0]))).toEqual([...first, ...second, ...held, ...third])
  })
})

it('after a dump is restored into a new cluster, the feed has the old events, followed by new ones', async ({
  service,
  tenant,
}) => {
  // Restores like pg_dump and psql: inserts the rows unchanged, without triggers, and sets the sequence.
  const old = `evt_${(10 ** 9).toString(16).padStart(12, '0')}${'1'.padStart(12, '0')}`
  const client = await connectTo(service.databaseUrl)
  await client.query(`set fulfillment.keep_event_ids = 'on'`)
  await client.query(
    `insert into events (tenant_id, id, topic, body) values ($1, $2, 'order/created',
     json_build_object('id', $2::text, 'event', 'order/created', 'created_at', '2026-01-01T00:00:00.000Z', 'data', '{}'::json)::text)`,
    [tenant.id, old],
  )
  const ids = [old, ...(await writeEvents(service, tenant, 3))]
  const dataDir = await temporaryFolder('fulfillment-restored-')
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
  onTestFinished(async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const db = openDatabase(postgres.connectionString, { exclusiveConnections: 1, pipelinedConnections: 1 })
  onTestFinished(() => db.close())
  await db.withoutTimeLimits(migrate)
  await db.dedicatedPool.query('alter table events disable trigger user')
  for (const table of ['tenants', 'api_keys', 'warehouses', 'events']) {
    const { rows } = await client.query(`select json_agg(t) as rows from ${table} t`)
    await db.dedicatedPool.query(
      `insert into ${table} ${table === 'events' ? '' : 'overriding system value'} select * from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[0].rows)],
    )
  }
  await db.dedicatedPool.query('alter table events enable trigger user')
  const { rows } = await client.query('select last_value from event_sequence')
  await db.dedicatedPool.query(`select setval('event_sequence', $1)`, [rows[0].last_value])

  const ask = await startAnother(tenant, postgres.connectionString)
  expect(idsIn(await ask())).toEqual(ids)
  const added = await writeEvents({ db }, tenant, 2)
  expect(idsIn(await ask(`after=${ids.at(-1)}`))).toEqual(added)
})

describe('a rare topic', () => {
  /** Writes thousands of events. Three have the rare topic: the first, one in the middle, and the last. */
  async function writeMany(service: TestService, tenant: TestTenant): Promise<string[]> {
    const [first] = await writeEvents(service, tenant, 1, 'product/created')
    await writeEvents(service, tenant, 7_000)
    const [second] = await writeEvents(service, tenant, 1, 'product/created')
    await writeEvents(service, tenant, 7_000)
    const [third] = await writeEvents(service, tenant, 1, 'product/created')
    return [first, second, third] as string[]
  }

  it('is found among other topics, page by page', async ({ service, tenant }) => {
    const rare = await writeMany(service, tenant)
    await feedWith(tenant, rare[2], `after=${rare[1]}&event=product/created`)
    expect(idsIn(await feed(tenant, 'event=product/created'))).toEqual(rare)
    expect(await feed(tenant, `event=product/created&after=${rare[2]}`)).toEqual({ events: [], next_cursor: null })
    const pages: string[][] = []
    for (let query = ''; pages.length < 5;) {
      const page = await feed(tenant, `event=product/created&limit=1${query}`)
      pages.push(idsIn(page))
      if (page.next_cursor === null) break
      query = `&cursor=${page.next_cursor}`
    }
    expect(pages).toEqual(rare.map((id) => [id]))
  })

  it('and the first event of a long feed are found newest first', async ({ service, tenant }) => {
    const rare = await writeMany(service, tenant)
    await feedWith(tenant, rare[2], `after=${rare[1]}&event=product/created`)
    expect(idsIn(await feed(tenant, 'event=product/created&order=desc'))).toEqual(rare.toReversed())
    const [first] = (await feed(tenant, 'limit=1')).events
    const found: string[] = []
    let cursor: string | null = 'evt_ffffffffffffffffffffffff'
    for (let pages = 0; cursor !== null && pages < 10; pages++) {
      const page = await feed(tenant, `order=desc&until=${first?.created_at}&limit=100&cursor=${cursor}`)
      found.push(...idsIn(page))
      cursor = page.next_cursor
    }
    expect(cursor).toBeNull()
    expect(found.at(-1)).toBe(rare[0])
  })

  it('and a period is searched for at most a second per page: the next page continues there', async ({ service, tenant }) => {
    const rare = await writeMany(service, tenant)
    const { events: last } = await feedWith(tenant, rare[2], `after=${rare[1]}&event=product/created`)
    const since = new Date(last[0]?.created_at ?? NaN)
    // Simulates a database that takes half a second per statement: two statements begin within a second.
    const run: typeof service.db.run = async (...call) => {
      await delay(510)
      return await service.db.run(...call)
    }
    const horizon = new FeedHorizon(service.db)
    onTestFinished(() => horizon.close())
    const context = { db: { run }, caller: { tenantId: tenant.id }, feedHorizon: horizon } as unknown as RequestContext
    const found: string[] = []
    const cursors: (string | null)[] = []
    for (let after: string | undefined; ;) {
      const { events, next_cursor } = await listEvents.run(context, { since, event: ['*'], order: 'asc', limit: 50, after })
      found.push(...events.map(({ id }) => id))
      cursors.push(next_cursor)
      if (next_cursor === null) break
      after = next_cursor
    }
    expect(found.at(-1)).toBe(rare[2])
    expect(cursors).toEqual([expect.stringMatching(/^evt_1/), null])
  })
})

it.for(['asc', 'desc'] as const)(
  'many events that `*` leaves out are passed over a part at a time, and the next page continues there: %s',
  async (order, { service, tenant }) => {
    const [first] = await writeEvents(service, tenant, 1)
    await writeEvents(service, tenant, 12_000, 'inbound/updated')
    const [last] = await writeEvents(service, tenant, 1)
    await feedWith(tenant, last, 'order=desc&limit=1')
    // Simulates a database that takes more than a second per statement: no further one begins after the second.
    const connections: string[] = []
    const run: typeof service.db.run = async (...call) => {
      connections.push(call[0].connection)
      await delay(1_100)
      return await service.db.run(...call)
    }
    const horizon = new FeedHorizon(service.db)
    onTestFinished(() => horizon.close())
    const context = { db: { run }, caller: { tenantId: tenant.id }, feedHorizon: horizon } as unknown as RequestContext
    const pages: unknown[] = []
    for (let after: string | undefined; ;) {
      const { events, next_cursor } = await listEvents.run(context, { event: ['*'], order, limit: 50, after })
      pages.push({ ids: events.map(({ id }) => id), connections: connections.splice(0), next_cursor })
      if (next_cursor === null) break
      after = next_cursor
    }
    const ends = order === 'asc' ? [first, last] : [last, first]
    expect(pages).toEqual([
      { ids: [ends[0]], connections: ['read', 'slow'], next_cursor: expect.stringMatching(/^evt_1/) },
      { ids: [ends[1]], connections: ['read'], next_cursor: null },
    ])
  },
)

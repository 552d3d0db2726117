import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { DatabaseConnectionError } from '@fulfillment/server/database/errors.ts'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { send, startService, type RequestOptions, type ServiceResponse } from '../support/service.ts'
import { expectConsistentStock, newProduct } from '../support/stock.ts'
import { it as base } from './support/it.ts'
import { atMost } from '../support/patience.ts'

/** `npm run test:faults` also runs the long tests. */
const LONG = process.env.FAULTS === 'long'

/** Maximum time of a response, regardless of the state of the database. */
const RESPONSE_MS = atMost(2_000)

/** The sessions that wait for the one that asks. `pg_stat_activity` would be the same throughout its transaction, and `pg_locks` alone has those of other tests. */
const BLOCKED = 'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))'

type Call = () => Promise<ServiceResponse>

/**
 * `it` with a server that connects to the database of `service` through `proxy`, and `calls` to that server. An uncaught error of the server,
 * which runs in this process, fails the test.
 */
const it = base
  .extend('proxy', { scope: 'file' }, async ({ service, startProxy }) => await startProxy(service.databaseUrl))
  .extend('exposed', { scope: 'file' }, async ({ proxy }, { onCleanup }) => {
    const exposed = await startService({ databaseUrl: proxy.url })
    onCleanup(() => exposed.stop())
    return exposed
  })
  .extend('calls', { scope: 'file' }, async ({ service, exposed }) => {
    const tenant = await service.newTenant()
    const product = await newProduct(tenant)
    const request = (method: string, path: string, body?: unknown, options?: RequestOptions): Promise<ServiceResponse> =>
      send(`${exposed.url}/api/v1${path}`, method, body, { key: tenant.key, ...options })
    const addTo = (product_id: number): Promise<ServiceResponse> =>
      request('POST', '/stock/adjustment', { product_id, location_id: 'A', adjustment_quantity: 1 })
    const read: Call = () => request('GET', `/products/${product.id}`)
    const write: Call = () => addTo(product.id)
    const all: Call[] = [
      read,
      () => request('GET', '/products'),
      write,
      () => request('POST', '/stock/bulk', { updates: [{ product_id: product.id, location_id: 'B', quantity: 5 }] }),
      () => request('POST', '/warehouses', { name: 'North' }, { headers: { 'idempotency-key': crypto.randomUUID() } }),
    ]
    /** Sends requests over every kind of the server's connections at once. */
    const everyPath = (times = 1): Promise<ServiceResponse[]> =>
      Promise.all(Array.from({ length: times }, () => all.map((call) => call())).flat())
    return { tenant, product, request, addTo, read, write, everyPath }
  })
  .extend('crashes', { auto: true }, async ({}, { onCleanup }) => {
    const crashes: unknown[] = []
    const note = (error: unknown): void => void crashes.push(error)
    process.on('uncaughtException', note).on('unhandledRejection', note)
    onCleanup(() => {
      process.off('uncaughtException', note).off('unhandledRejection', note)
      expect(crashes).toEqual([])
    })
  })

const statusesOf = (responses: readonly ServiceResponse[]): number[] =>
  [...new Set(responses.map(({ status }) => status))].toSorted()

function expectUnavailable(responses: readonly ServiceResponse[]): void {
  for (const { status, body, headers } of responses) {
    expect([status, body.error?.code]).toEqual([503, 'service_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
}

async function expectWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await work
  expect(performance.now() - started).toBeLessThan(ms)
  return result
}

/** Waits until every kind of request succeeds again. */
async function expectRecovery(everyPath: () => Promise<ServiceResponse[]>): Promise<void> {
  const deadline = performance.now() + 60_000
  let statuses: number[] = []
  while (performance.now() < deadline) {
    statuses = statusesOf(await everyPath())
    if (statuses.length === 1 && statuses[0] === 200) return
    await delay(50)
  }
  expect(statuses).toEqual([200])
}

describe('when the database refuses connections', () => {
  it('responds with 503 and Retry-After immediately, and recovers when the database is back', async ({
    proxy,
    calls: { everyPath },
  }) => {
    expect(statusesOf(await everyPath(4))).toEqual([200])
    await proxy.refuse()
    expectUnavailable(await expectWithin(RESPONSE_MS, everyPath(4)))
    await delay(1_000)
    expectUnavailable(await expectWithin(RESPONSE_MS, everyPath()))
    await proxy.accept()
    await expectRecovery(everyPath)
  })
})

describe('the metric of the database', () => {
  const isUp = async (url: string): Promise<number> =>
    Number(/^fulfillment_database_up (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])
  // A response is kept for a second.
  const poll = { timeout: 30_000, interval: 1_100 }

  it('is 0 while it refuses connections', async ({ exposed, proxy, calls: { everyPath } }) => {
    await expect.poll(() => isUp(exposed.url), poll).toBe(1)
    await proxy.refuse()
    await expect.poll(() => isUp(exposed.url), poll).toBe(0)
    await proxy.accept()
    await expectRecovery(everyPath)
    await expect.poll(() => isUp(exposed.url), poll).toBe(1)
  })

  it('is 0 while it is frozen, without other requests', async ({ exposed, proxy, calls: { everyPath } }) => {
    proxy.freeze()
    await expect.poll(() => isUp(exposed.url), poll).toBe(0)
    proxy.thaw()
    await expectRecovery(everyPath)
    await expect.poll(() => isUp(exposed.url), poll).toBe(1)
  })
})

describe('when the database freezes', () => {
  it('responds with 503 within 2 seconds, also to requests in progress, and recovers afterwards', async ({
    proxy,
    calls: { everyPath },
  }) => {
    await everyPath(4)
    const underWay = everyPath(10)
    proxy.freeze()
    const responses = await expectWithin(RESPONSE_MS, Promise.all([underWay, everyPath(2)]))
    expect(statusesOf(responses.flat()).filter((status) => status !== 200)).toEqual([503])
    for (const _ of [1, 2, 3]) expectUnavailable(await expectWithin(RESPONSE_MS, everyPath(2)))
    proxy.thaw()
    await expectRecovery(everyPath)
  })

  it('rejects requests immediately once it has noticed', async ({ proxy, calls: { everyPath } }) => {
    proxy.freeze()
    await everyPath()
    await delay(1_000)
    expectUnavailable(await expectWithin(atMost(500), everyPath(10)))
    proxy.thaw()
    await expectRecovery(everyPath)
  })

  it('stops within seconds', async ({ proxy, calls: { tenant, product, everyPath } }) => {
    const other = await startService({ databaseUrl: proxy.url })
    const ask = (): Promise<unknown> =>
      send(`${other.url}/api/v1/products/${product.id}`, 'GET', undefined, { key: tenant.key }).catch(() => {})
    await Promise.all(Array.from({ length: 10 }, ask))
    proxy.freeze()
    const underWay = Array.from({ length: 5 }, ask)
    await expectWithin(atMost(10_000), other.stopServer())
    await Promise.all(underWay)
    proxy.thaw()
    // Not earlier: Postgres cannot drop a database while a session waits for its client during authentication.
    await other.stop()
    await expectRecovery(everyPath)
  })
})

describe('when connections break', () => {
  it('responds to requests in progress with 200 or 503, and keeps acknowledged writes exactly once', async ({
    service,
    proxy,
    calls: { tenant, addTo, everyPath },
  }) => {
    const own = await newProduct(tenant)
    const addOne: Call = () => addTo(own.id)
    const writes: ServiceResponse[] = []
    const others: ServiceResponse[] = []
    for (let round = 0; round < 10; round++) {
      const underWay = [Promise.all(Array.from({ length: 50 }, addOne)), everyPath(2)] as const
      await delay(Math.random() * 20)
      proxy.cut()
      writes.push(...(await underWay[0]))
      others.push(...(await underWay[1]))
    }
    await expectRecovery(everyPath)
    expectUnavailable([...writes, ...others].filter(({ status }) => status !== 200))
    const acknowledged = writes.filter(({ status }) => status === 200).length
    expect(acknowledged).toBeLessThan(writes.length)
    const kept = (await tenant.request('GET', `/stock/sku/${own.sku}`)).body.data.total_quantity
    expect(kept).toBeGreaterThanOrEqual(acknowledged)
    expect(kept).toBeLessThanOrEqual(writes.length)
    await expectConsistentStock(service.db, tenant)
  })

  it('uses none again that broke under a query of the query builder', async ({
    service,
    proxy,
    calls: { tenant, request, read, everyPath },
  }) => {
    await everyPath()
    // As many as one tenant reads slowly at a time.
    const ids: number[] = []
    for (const name of ['one', 'two'])
      ids.push((await tenant.request('POST', '/api-keys', { name, scopes: ['read:stock'] })).body.data.id)
    const revoke = (): Promise<ServiceResponse[]> => Promise.all(ids.map((id) => request('DELETE', `/api-keys/${id}`)))
    const blocker = await service.db.dedicatedPool.connect()
    await blocker.query('begin')
    await blocker.query('select from api_keys where id = any ($1) for update', [ids])
    const lost = revoke()
    await expect.poll(async () => (await blocker.query(BLOCKED)).rowCount, { interval: 20 }).toBe(ids.length)
    proxy.cut()
    expectUnavailable(await lost)
    await blocker.query('rollback')
    blocker.release()
    await expect.poll(async () => (await read()).status).toBe(200)
    expect(statusesOf(await revoke())).toEqual([200])
  })

  it('shows no error in the audit log for a call with a key that was committed but whose response was lost', async ({
    service,
    proxy,
    calls: { tenant, request, addTo, everyPath },
  }) => {
    await everyPath()
    const own = await newProduct(tenant)
    await addTo(own.id)
    const adjust = (key: string, adjustment_quantity: number): Promise<ServiceResponse> =>
      request(
        'POST',
        '/stock/adjustment',
        { product_id: own.id, location_id: 'A', adjustment_quantity },
        { headers: { 'idempotency-key': key, 'x-request-id': key } },
      )
    const levelOf = async (): Promise<number> => (await tenant.request('GET', `/stock/sku/${own.sku}`)).body.data.total_quantity
    const blocker = await service.db.dedicatedPool.connect()
    await blocker.query('begin')
    // The statement that stores the response, and commits, waits for this row.
    await blocker.query(
      `insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext) values ($1, 'lost', '', 'anything')`,
      [tenant.id],
    )
    const lost = adjust('lost', 5)
    await expect.poll(async () => (await blocker.query(BLOCKED)).rowCount, { interval: 20 }).toBeGreaterThan(0)
    proxy.freezeResponses()
    await blocker.query('rollback')
    blocker.release()
    await expect.poll(levelOf).toBe(6)
    proxy.cut()
    expectUnavailable([await lost])
    await expectRecovery(everyPath)
    expect((await adjust('lost', 5)).headers.get('idempotency-replayed')).toBe('true')
    expect((await adjust('refused', -100)).body.error.code).toBe('adjustment_error')
    const errors = async (): Promise<unknown> =>
      Object.fromEntries(
        (await tenant.request('GET', '/audit-log?limit=5')).body.data.entries
          .filter(({ request_id }: { request_id: string }) => ['lost', 'refused'].includes(request_id))
          .map(({ request_id, error }: { request_id: string; error: string | null }) => [request_id, error]),
      )
    await expect.poll(errors).toEqual({ lost: null, refused: 'adjustment_error' })
  })

  it('keeps working when Postgres terminates every session repeatedly', async ({ service, calls: { everyPath } }) => {
    for (let round = 0; round < 10; round++) {
      const underWay = everyPath(10)
      await delay(Math.random() * 20)
      await service.db.dedicatedPool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      const failed = (await underWay).filter(({ status }) => status !== 200)
      expectUnavailable(failed)
    }
    await expectRecovery(everyPath)
  })
})

describe('the connections of the pool', () => {
  it('are released after every kind of failure', async ({ exposed, proxy, calls: { everyPath } }) => {
    const used = async (): Promise<number> => {
      const text = await (await fetch(`${exposed.url}/metrics`)).text()
      const gauge = (name: string): number =>
        Number(new RegExp(`^fulfillment_database_pool_${name} (\\d+)$`, 'm').exec(text)?.[1])
      return gauge('connections') - gauge('idle_connections')
    }
    for (let round = 0; round < 10; round++) {
      const underWay = everyPath(5)
      await delay(Math.random() * 50)
      proxy.cut()
      await underWay
    }
    await expectRecovery(everyPath)
    // The delivery engine holds one connection. Measuring the delivery backlog uses another.
    await expect.poll(used, { interval: 1_100 }).toBeLessThanOrEqual(2)
  })
})

describe('when statements wait', () => {
  it('responds with 503 if no connection of the pool becomes free, and still serves single statements', async ({
    service,
    calls: { tenant, request, read },
  }) => {
    // The catalog's lock, taken without a transaction: an open transaction would hold back the event feeds of other test files.
    const blocker = await service.db.dedicatedPool.connect()
    await blocker.query('select pg_advisory_lock($1::int, 0)', [tenant.id])
    // A product that is not there yet: calls that only update products do not wait for that lock.
    const products = [{ barcode: 'new', name: 'New' }]
    const waiting = Array.from({ length: 14 }, () => request('POST', '/products/bulk', { products }))
    await delay(500)
    expect((await read()).status).toBe(200)
    const refused = await Promise.race(waiting)
    expectUnavailable([refused])
    await blocker.query('select pg_advisory_unlock_all()')
    blocker.release()
    const responses = await Promise.all(waiting)
    expect(responses.some(({ status }) => status === 200)).toBe(true)
    expectUnavailable(responses.filter(({ status }) => status !== 200))
  })

  it.runIf(LONG)(
    'responds with 503 when a statement reaches its time limit',
    async ({ service, calls: { product, write, everyPath } }) => {
      const blocker = await service.db.dedicatedPool.connect()
      await blocker.query('begin')
      await blocker.query('set local idle_in_transaction_session_timeout = 0')
      await blocker.query(`select from stock_levels where product_id = $1 for update`, [product.id])
      expectUnavailable([await expectWithin(17_000, write())])
      await blocker.query('rollback')
      blocker.release()
      await expectRecovery(everyPath)
    },
  )

  it.runIf(LONG)('gives up a single connection that hangs', async ({ proxy, calls: { everyPath } }) => {
    await everyPath(4)
    proxy.freezeOne()
    const responses = await expectWithin(25_000, everyPath(4))
    expectUnavailable(responses.filter(({ status }) => status !== 200))
    proxy.thaw()
    await expectRecovery(everyPath)
  })
})

describe('pipelined statements', () => {
  it('are retried if the preparation of an earlier one with the same name failed', async ({ service }) => {
    const db = openDatabase(service.databaseUrl, { pipelinedConnections: 1 })
    const early = statement<[], { id: number }>({
      name: 'early',
      connection: 'read',
      sql: 'select id from comes_later',
    })
    const results = await Promise.allSettled([db.run(early, []), db.run(early, []), db.run(early, [])])
    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(['42P01', '42P01', '42P01'])
    await db.dedicatedPool.query('create table comes_later (id bigint)')
    expect(await Promise.all([db.run(early, []), db.run(early, [])])).toEqual([[], []])
    await db.close()
  })

  it('fail after the database was closed, instead of reconnecting', async ({ service }) => {
    const db = openDatabase(service.databaseUrl)
    const one = statement<[], { one: number }>({
      name: 'one',
      connection: 'read',
      sql: 'select 1 as one',
    })
    expect(await db.run(one, [])).toEqual([{ one: 1 }])
    const underWay = db.run(one, [])
    await db.close()
    expect(await underWay).toEqual([{ one: 1 }])
    await expect(db.run(one, [])).rejects.toThrow(DatabaseConnectionError)
  })
})

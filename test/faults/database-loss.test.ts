import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../server/src/database/database.ts'
import { ConnectionFailure } from '../../server/src/database/errors.ts'
import { statement } from '../../server/src/database/statement.ts'
import { send, startService, type Answer, type RequestOptions, type TestService, type TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct } from '../support/stock.ts'
import { startDatabaseProxy, type DatabaseProxy } from './support/database-proxy.ts'
import { atMost } from '../support/patience.ts'

/** `npm run test:faults`: what takes long, too. */
const LONG = process.env.FAULTS === 'long'

/** A request must be answered within this, whatever the database does. */
const ANSWER_MS = atMost(2_000)

/** A server that reaches its database through the proxy, and one that reaches the same database past it. */
let service: TestService
let direct: TestService
let proxy: DatabaseProxy
let tenant: TestTenant
let product: { id: number; sku: string; barcode: string }
const crashes: unknown[] = []
const noteCrash = (error: unknown): void => void crashes.push(error)

beforeAll(async () => {
  direct = await startService()
  proxy = await startDatabaseProxy(direct.databaseUrl)
  service = await startService({ databaseUrl: proxy.url })
  tenant = await direct.newTenant()
  product = await newProduct(tenant)
  process.on('uncaughtException', noteCrash).on('unhandledRejection', noteCrash)
})
afterEach(() => expect(crashes).toEqual([]))
afterAll(async () => {
  await service.stop()
  await direct.stop()
  await proxy.close()
  process.off('uncaughtException', noteCrash).off('unhandledRejection', noteCrash)
})

const request = (method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer> =>
  send(`${service.url}/api/v1${path}`, method, body, { key: tenant.key, ...options })
const read = (): Promise<Answer> => request('GET', `/products/${product.id}`)
const list = (): Promise<Answer> => request('GET', '/products')
const write = (): Promise<Answer> =>
  request('POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity: 1 })
const bulk = (): Promise<Answer> =>
  request('POST', '/stock/bulk', { updates: [{ product_id: product.id, location_id: 'B', quantity: 5 }] })
const withIdempotencyKey = (): Promise<Answer> =>
  request('POST', '/warehouses', { name: 'North' }, { headers: { 'idempotency-key': crypto.randomUUID() } })
const EVERY_PATH = [read, list, write, bulk, withIdempotencyKey]

/** Requests over every kind of connection that the server has, at once. */
const everyPath = (times = 1): Promise<Answer[]> =>
  Promise.all(Array.from({ length: times }, () => EVERY_PATH.map((request) => request())).flat())

const statusesOf = (answers: readonly Answer[]): number[] => [...new Set(answers.map(({ status }) => status))].toSorted()

function expectUnavailable(answers: readonly Answer[]): void {
  for (const { status, body, headers } of answers) {
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
async function expectRecovery(withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs
  let statuses: number[] = []
  while (performance.now() < deadline) {
    statuses = statusesOf(await everyPath())
    if (statuses.length === 1 && statuses[0] === 200) return
    await delay(50)
  }
  expect(statuses).toEqual([200])
}

describe('when the database refuses connections', () => {
  it('answers 503 with Retry-After at once, and serves again when the database is back', async () => {
    expect(statusesOf(await everyPath(4))).toEqual([200])
    await proxy.refuse()
    expectUnavailable(await expectWithin(ANSWER_MS, everyPath(4)))
    await delay(1_000)
    expectUnavailable(await expectWithin(ANSWER_MS, everyPath()))
    await proxy.accept()
    await expectRecovery()
  })
})

describe('when the database freezes', () => {
  it('answers 503 within 2 seconds, those under way too, and serves again when it thaws', async () => {
    await everyPath(4)
    const underWay = everyPath(10)
    proxy.freeze()
    const answers = await expectWithin(ANSWER_MS, Promise.all([underWay, everyPath(2)]))
    expect(statusesOf(answers.flat()).filter((status) => status !== 200)).toEqual([503])
    for (const _ of [1, 2, 3]) expectUnavailable(await expectWithin(ANSWER_MS, everyPath(2)))
    proxy.thaw()
    await expectRecovery()
  })

  it('refuses quickly once it knows', async () => {
    proxy.freeze()
    await everyPath()
    await delay(1_000)
    expectUnavailable(await expectWithin(atMost(500), everyPath(10)))
    proxy.thaw()
    await expectRecovery()
  })

  it('stops within seconds', async () => {
    const other = await startService({ databaseUrl: proxy.url })
    const ask = (): Promise<unknown> =>
      send(`${other.url}/api/v1/products/${product.id}`, 'GET', undefined, { key: tenant.key }).catch(() => {})
    await Promise.all(Array.from({ length: 10 }, ask))
    proxy.freeze()
    const underWay = Array.from({ length: 5 }, ask)
    await expectWithin(atMost(10_000), other.stopServer())
    await Promise.all(underWay)
    proxy.thaw()
    // Only now: Postgres drops no database while a session waits for its client in the midst of logging in.
    await other.stop()
    await expectRecovery()
  })
})

describe('when connections break', () => {
  it('answers what is in flight with 200 or 503, and keeps what it acknowledged, once', async () => {
    const own = await newProduct(tenant)
    const addOne = (): Promise<Answer> =>
      request('POST', '/stock/adjustment', { product_id: own.id, location_id: 'A', adjustment_quantity: 1 })
    const writes: Answer[] = []
    const others: Answer[] = []
    for (let round = 0; round < 10; round++) {
      const underWay = [Promise.all(Array.from({ length: 50 }, addOne)), everyPath(2)] as const
      await delay(Math.random() * 20)
      proxy.cut()
      writes.push(...(await underWay[0]))
      others.push(...(await underWay[1]))
    }
    await expectRecovery()
    expectUnavailable([...writes, ...others].filter(({ status }) => status !== 200))
    const acknowledged = writes.filter(({ status }) => status === 200).length
    expect(acknowledged).toBeLessThan(writes.length)
    const kept = (await tenant.request('GET', `/stock/sku/${own.sku}`)).body.data.total_quantity
    expect(kept).toBeGreaterThanOrEqual(acknowledged)
    expect(kept).toBeLessThanOrEqual(writes.length)
    await expectConsistentStock(direct.db, tenant)
  })

  it('goes on when Postgres ends every session, again and again', async () => {
    for (let round = 0; round < 10; round++) {
      const underWay = everyPath(10)
      await delay(Math.random() * 20)
      await direct.db.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      const failed = (await underWay).filter(({ status }) => status !== 200)
      expectUnavailable(failed)
    }
    await expectRecovery()
  })
})

describe('the connections of the pool', () => {
  it('are given back, whatever broke', async () => {
    const used = async (): Promise<number> => {
      const text = await (await fetch(`${service.url}/metrics`)).text()
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
    await expectRecovery()
    // The delivery engine keeps one, and one is used to count what waits to be delivered.
    await expect.poll(used, { interval: 1_100 }).toBeLessThanOrEqual(2)
  })
})

describe('when statements wait', () => {
  it('answers 503 when no connection of the pool becomes free, and serves single statements meanwhile', async () => {
    // The catalog's lock, taken so that no transaction is open: one that is holds up the feeds of events of other test files.
    const blocker = await direct.db.pool.connect()
    await blocker.query('select pg_advisory_lock($1::int, 0)', [tenant.id])
    const products = [{ barcode: product.barcode, price: 1 }]
    const waiting = Array.from({ length: 14 }, () => request('POST', '/products/bulk', { products }))
    await delay(500)
    expect((await read()).status).toBe(200)
    const refused = await Promise.race(waiting)
    expectUnavailable([refused])
    await blocker.query('select pg_advisory_unlock_all()')
    blocker.release()
    const answers = await Promise.all(waiting)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expectUnavailable(answers.filter(({ status }) => status !== 200))
  })

  it.runIf(LONG)('answers 503 when a statement reaches its time limit', async () => {
    const blocker = await direct.db.pool.connect()
    await blocker.query('begin')
    await blocker.query('set local idle_in_transaction_session_timeout = 0')
    await blocker.query(`select from stock_levels where product_id = $1 for update`, [product.id])
    expectUnavailable([await expectWithin(17_000, write())])
    await blocker.query('rollback')
    blocker.release()
    await expectRecovery()
  })

  it.runIf(LONG)('gives up a single connection that hangs', async () => {
    await everyPath(4)
    proxy.freezeOne()
    const answers = await expectWithin(25_000, everyPath(4))
    expectUnavailable(answers.filter(({ status }) => status !== 200))
    proxy.thaw()
    await expectRecovery()
  })
})

describe('pipelined statements', () => {
  it('run again when the one before them, of the same name, could not be prepared', async () => {
    const db = openDatabase(direct.databaseUrl, { pipelinedConnections: 1 })
    const early = statement<[], { id: number }>('early', 'select id from comes_later')
    const results = await Promise.allSettled([db.run(early, []), db.run(early, []), db.run(early, [])])
    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(['42P01', '42P01', '42P01'])
    await db.pool.query('create table comes_later (id bigint)')
    expect(await Promise.all([db.run(early, []), db.run(early, [])])).toEqual([[], []])
    await db.close()
  })

  it('fail once the database is closed, instead of connecting again', async () => {
    const db = openDatabase(direct.databaseUrl)
    const one = statement<[], { one: number }>('one', 'select 1 as one')
    expect(await db.run(one, [])).toEqual([{ one: 1 }])
    const underWay = db.run(one, [])
    await db.close()
    expect(await underWay).toEqual([{ one: 1 }])
    await expect(db.run(one, [])).rejects.toThrow(ConnectionFailure)
  })
})

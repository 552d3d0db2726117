import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newOrder, orderFor } from '../support/orders.ts'
import { startService, type Answer, type TestService, type TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { atMost } from '../support/patience.ts'

let service: TestService
/** A session of its own, whose locks are what the flooding tenant waits for. */
let blocker: pg.Client
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let flooding: TestTenant
let other: TestTenant
beforeEach(async () => {
  ;[flooding, other] = await Promise.all([service.newTenant(), service.newTenant()])
  blocker = new pg.Client({ connectionString: service.databaseUrl })
  await blocker.connect()
})
afterEach(() => blocker.end())

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

/** Asks everything of every kind, one after the other, and returns the slowest answer's time. */
async function askEverything(tenant: TestTenant, ms: number): Promise<number> {
  const product = await newProduct(tenant)
  const order = await newOrder(tenant)
  const requests: [method: string, path: string, body?: unknown, keyed?: boolean][] = [
    ['GET', `/products/${product.id}`],
    ['GET', `/orders/${order.id}`],
    ['GET', '/products?search=product'],
    ['GET', '/orders'],
    ['POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity: 5 }],
    ['POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity: 5 }, true],
    ['POST', '/stock/transfer', { product_id: product.id, from_location_id: 'A', to_location_id: 'B', quantity: 1 }],
    ['PUT', `/orders/${order.id}`, { customer_name: 'Somebody' }],
    ['POST', '/products/bulk', { products: [{ barcode: product.barcode, price: 3 }] }],
  ]
  let slowest = 0
  const until = performance.now() + ms
  while (performance.now() < until) {
    for (const [method, path, body, keyed] of requests) {
      const startedAt = performance.now()
      const options = keyed === true ? { headers: { 'idempotency-key': crypto.randomUUID() } } : {}
      const answer = await tenant.request(method, path, body, options)
      expect([method, path, answer.status]).toEqual([method, path, 200])
      slowest = Math.max(slowest, performance.now() - startedAt)
    }
  }
  return slowest
}

const statuses = (answers: readonly Answer[]): number[] => [...new Set(answers.map(({ status }) => status))].toSorted()

function expectTooMuch(answers: readonly Answer[]): void {
  expect(answers.length).toBeGreaterThan(0)
  for (const { status, headers, body } of answers) {
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1'])
    expect(body.error.message).toContain('of this tenant')
  }
}

describe('while one tenant floods', () => {
  it('with writes that wait for a lock, others are served, and what is refused is its own', async () => {
    const product = await newProduct(flooding)
    const order = await newOrder(flooding)
    const stock = { product_id: product.id, location_id: 'A' }
    await flooding.request('POST', '/stock/adjustment', { ...stock, adjustment_quantity: 1_000 })
    await blocker.query('begin')
    await blocker.query('select from stock_levels where tenant_id = $1 for update', [flooding.id])
    await blocker.query('select from orders where tenant_id = $1 for update', [flooding.id])
    await blocker.query('select from products where tenant_id = $1 for update', [flooding.id])
    const transfer = { product_id: product.id, from_location_id: 'A', to_location_id: 'B', quantity: 1 }
    const flood = times(12, () => [
      flooding.request('POST', '/stock/transfer', transfer),
      flooding.request('PUT', `/orders/${order.id}`, { customer_name: 'Waits' }),
      flooding.request('POST', '/stock/bulk', { updates: [{ ...stock, quantity: 5 }] }),
      flooding.request('POST', '/products/bulk', { products: [{ barcode: product.barcode, price: 1 }] }),
      flooding.request('POST', '/stock/adjustment', { ...stock, adjustment_quantity: 1 }),
      flooding.request('POST', '/stock/transfer', transfer, { headers: { 'idempotency-key': crypto.randomUUID() } }),
    ]).flat()
    await delay(300)
    // Its reads go on, too.
    expect((await flooding.request('GET', `/products/${product.id}`)).status).toBe(200)
    expect(await askEverything(other, 6_000)).toBeLessThan(atMost(1_000))
    await blocker.query('rollback')
    const answers = await Promise.all(flood)
    expect(statuses(answers)).toEqual([200, 503])
    expectTooMuch(answers.filter(({ status }) => status !== 200))
    expect((await flooding.request('POST', '/stock/transfer', transfer)).status).toBe(200)
  })

  it('with searches and reports, others are served, and as few statements as may be run at a time', async () => {
    await blocker.query(
      `insert into products (tenant_id, barcode, name, description)
       select $1, 'b' || n, repeat('a product that is long to read ', 6) || n, 'x' from generate_series(1, 60000) n`,
      [flooding.id],
    )
    const isOver = new AbortController()
    const asked: Answer[] = []
    const flood = times(40, async () => {
      while (!isOver.signal.aborted) asked.push(await flooding.request('GET', '/products?search=zzz'))
    })
    let most = 0
    const watch = (async () => {
      while (!isOver.signal.aborted) {
        const { rows } = await blocker.query(
          `select count(*)::int as running from pg_stat_activity
           where datname = current_database() and state = 'active' and query ilike '%ilike%' and pid <> pg_backend_pid()`,
        )
        most = Math.max(most, rows[0].running)
        await delay(20)
      }
    })()
    const slowest = await askEverything(other, 4_000)
    isOver.abort()
    await Promise.all([...flood, watch])
    expect(slowest).toBeLessThan(atMost(1_000))
    expect(asked.length).toBeGreaterThan(0)
    // Two of its own, and one of the other tenant.
    expect([most >= 2, most <= 3]).toEqual([true, true])
  })

  it('with batches, a tenant has two statements under way, and the rest of its calls wait for them alone', async () => {
    const product = await newProduct(flooding)
    const stock = { product_id: product.id, location_id: 'A' }
    await flooding.request('POST', '/stock/adjustment', { ...stock, adjustment_quantity: 1 })
    await blocker.query('begin')
    await blocker.query('select from stock_levels where tenant_id = $1 for update', [flooding.id])
    const flood = times(200, () => flooding.request('POST', '/stock/adjustment', { ...stock, adjustment_quantity: 1 }))
    const orders = await Promise.all(times(20, () => orderFor(other)))
    const answers = await Promise.all(orders.map((order) => other.request('POST', '/orders', order)))
    expect(statuses(answers)).toEqual([200])
    expect(await askEverything(other, 500)).toBeLessThan(atMost(1_000))
    await blocker.query('rollback')
    expect(statuses(await Promise.all(flood))).toEqual([200])
  })
})

describe('records that are long to read', () => {
  it('are whole: an order of many lines, a product at many locations', async () => {
    const product = await newProduct(other)
    const lines = times(101, (index) => ({ barcode: product.barcode, quantity: index + 1 }))
    const long = await newOrder(other, { order_detail: lines })
    const short = await newOrder(other, { order_detail: lines.slice(0, 100) })
    for (const [order, count] of [
      [long, 101],
      [short, 100],
    ] as const) {
      const { order_detail } = (await other.request('GET', `/orders/${order.id}`)).body.data
      expect(order_detail.map(({ quantity }: { quantity: number }) => quantity)).toEqual(times(count, (index) => index + 1))
    }
    for (const locations of [100, 101, 150]) {
      const updates = times(locations, (index) => ({ product_id: product.id, location_id: `L${index}`, quantity: index + 1 }))
      expect((await other.request('POST', '/stock/bulk', { updates })).body.data.success).toBe(locations)
      const total = (locations * (locations + 1)) / 2
      const bySku = (await other.request('GET', `/stock/sku/${product.sku}`)).body.data
      expect([bySku.total_quantity, bySku.locations.length]).toEqual([total, locations])
      expect((await other.request('GET', `/products/${product.id}`)).body.data.stock).toHaveLength(locations)
      expect((await other.request('GET', `/products/sku/${product.sku}`)).body.data.stock).toHaveLength(locations)
    }
  })
})

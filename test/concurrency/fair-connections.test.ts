import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { newOrder, orderFor } from '../support/orders.ts'
import { send, type ServiceResponse, type TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { atMost } from '../support/patience.ts'

const it = base
  .extend('flooding', async ({ service }) => await service.newTenant())
  .extend('other', async ({ service }) => await service.newTenant())
  // A session whose locks the flooding tenant waits for.
  .extend('blocker', async ({ service }, { onCleanup }) => {
    const blocker = new pg.Client({ connectionString: service.databaseUrl })
    await blocker.connect()
    onCleanup(() => blocker.end())
    return blocker
  })

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

/** Sends a request of every kind, one after the other, and returns the duration of the slowest. */
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
      const response = await tenant.request(method, path, body, options)
      expect([method, path, response.status]).toEqual([method, path, 200])
      slowest = Math.max(slowest, performance.now() - startedAt)
    }
  }
  return slowest
}

const statuses = (responses: readonly ServiceResponse[]): number[] =>
  [...new Set(responses.map(({ status }) => status))].toSorted()

function expectTooMuch(responses: readonly ServiceResponse[]): void {
  expect(responses.length).toBeGreaterThan(0)
  for (const { status, headers, body } of responses) {
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1'])
    expect(body.error.message).toContain('of this tenant')
  }
}

describe('while one tenant overloads the service', () => {
  it('with writes that wait for a lock, other tenants are served, and only its own calls are rejected', async ({
    flooding,
    other,
    blocker,
  }) => {
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
      flooding.request('POST', '/stock/bulk', { updates: [{ ...stock, quantity: 1_000 }] }),
      flooding.request('POST', '/products/bulk', { products: [{ barcode: product.barcode, price: 1 }] }),
      flooding.request('POST', '/stock/adjustment', { ...stock, adjustment_quantity: 1 }),
      flooding.request('POST', '/stock/transfer', transfer, { headers: { 'idempotency-key': crypto.randomUUID() } }),
    ]).flat()
    await delay(300)
    // The reads of the flooding tenant still work.
    expect((await flooding.request('GET', `/products/${product.id}`)).status).toBe(200)
    expect(await askEverything(other, 6_000)).toBeLessThan(atMost(1_000))
    await blocker.query('rollback')
    const responses = await Promise.all(flood)
    expect(statuses(responses)).toEqual([200, 503])
    expectTooMuch(responses.filter(({ status }) => status !== 200))
    expect((await flooding.request('POST', '/stock/transfer', transfer)).status).toBe(200)
  })

  it('with searches and reports, other tenants are served, and the limit of slow statements holds', async ({
    flooding,
    other,
    blocker,
  }) => {
    await blocker.query(
      `insert into products (tenant_id, barcode, name, description)
       select $1, 'b' || n, repeat('a product that is long to read ', 6) || n, 'x' from generate_series(1, 10000) n`,
      [flooding.id],
    )
    const isOver = new AbortController()
    const asked: ServiceResponse[] = []
    const flood = times(40, async () => {
      while (!isOver.signal.aborted) asked.push(await flooding.request('GET', '/products?search=zz'))
    })
    let most = 0
    const watch = (async () => {
      while (!isOver.signal.aborted) {
        const { rows } = await blocker.query(
          `select count(*)::int as running from pg_stat_activity
           where datname = current_database() and state = 'active' and query like '%strpos(case when octet_length(%' and pid <> pg_backend_pid()`,
        )
        most = Math.max(most, rows[0].running)
        await delay(20)
      }
    })()
    const slowest = await askEverything(other, 2_500)
    isOver.abort()
    await Promise.all([...flood, watch])
    expect(slowest).toBeLessThan(atMost(1_000))
    expect(asked.length).toBeGreaterThan(0)
    // At most two of this tenant and one of the other. The samples depend on the speed of the searches.
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(3)
  })

  it.for([
    ['batches', () => ({})],
    ['batches of calls with a key', () => ({ headers: { 'idempotency-key': crypto.randomUUID() } })],
  ] as const)(
    'with %s, it has two statements in progress, and only its own calls wait for them',
    async ([, optionsOf], { flooding, other, blocker }) => {
      const product = await newProduct(flooding)
      const stock = { product_id: product.id, location_id: 'A' }
      await flooding.request('POST', '/stock/adjustment', { ...stock, adjustment_quantity: 1 })
      await blocker.query('begin')
      await blocker.query('select from stock_levels where tenant_id = $1 for update', [flooding.id])
      const body = { ...stock, adjustment_quantity: 1 }
      const flood = times(200, () => flooding.request('POST', '/stock/adjustment', body, optionsOf()))
      const orders = await Promise.all(times(20, () => orderFor(other)))
      const responses = await Promise.all(orders.map((order) => other.request('POST', '/orders', order, optionsOf())))
      expect(statuses(responses)).toEqual([200])
      const { rows } = await blocker.query(
        'select count(*)::int as waiting from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
      )
      expect([1, 2]).toContain(rows[0].waiting)
      expect(await askEverything(other, 500)).toBeLessThan(atMost(1_000))
      await blocker.query('rollback')
      expect(statuses(await Promise.all(flood))).toEqual([200])
    },
  )
})

it('a process whose tenants all wait has the 27 connections of docs/operating.md', async ({
  service,
  startProcess,
  blocker,
  onTestFinished,
}) => {
  const own = new URL(service.databaseUrl)
  own.searchParams.set('application_name', 'counted')
  const { url } = await startProcess({ DATABASE_URL: own.href, ENCRYPTION_KEY: 'encryption key of the tests' })
  const tenants = await Promise.all(times(30, () => service.newTenant()))
  await blocker.query('begin')
  await blocker.query('lock table products in exclusive mode')
  const over = new AbortController()
  onTestFinished(() => over.abort())
  // A call may be refused, or give up, before all connections are open.
  const callAgain = async (method: string, path: string, key: string, body?: unknown): Promise<void> => {
    while (!over.signal.aborted) await send(`${url}/api/v1${path}`, method, body, { key })
  }
  const callers = tenants.flatMap(({ key }) => [
    ...times(2, (n) => callAgain('POST', '/products', key, { barcode: `${n}`, name: 'Tea' })),
    ...times(2, () => callAgain('GET', '/stock/movements', key)),
  ])
  let most = 0
  const mostConnections = async (): Promise<number> => {
    const { rowCount } = await service.db.dedicatedPool.query(`select from pg_stat_activity where application_name = 'counted'`)
    most = Math.max(most, rowCount ?? 0)
    return most
  }
  await expect.poll(mostConnections, { interval: 50 }).toBe(27)
  await delay(1_000)
  expect(await mostConnections()).toBe(27)
  over.abort()
  await blocker.query('rollback')
  await Promise.all(callers)
})

describe('records that are long to read', () => {
  it('are complete: an order with many lines, a product at many locations', async ({ other }) => {
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

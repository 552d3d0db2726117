import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { foldCounts } from '../../server/src/counts/index.ts'
import { send, startService, type Answer, type TestService, type TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct, stockEvents } from '../support/stock.ts'

let service: TestService
let servers: TestService[]
beforeAll(async () => {
  service = await startService()
  // A server has few connections for single statements: with several on one database more of them really run at once.
  servers = [service, ...(await Promise.all([1, 2, 3].map(() => startService({ databaseUrl: service.databaseUrl }))))]
})
afterAll(async () => {
  for (const server of servers.toReversed()) await server.stop()
})

/** A tenant whose requests go to the servers in turn. */
async function newTenant(): Promise<TestTenant> {
  const tenant = await service.newTenant()
  let requests = 0
  const request: TestTenant['request'] = (method, path, body, options) => {
    const server = servers[requests++ % servers.length] ?? service
    return send(`${server.url}/api/v1${path}`, method, body, { key: tenant.key, ...options })
  }
  return { ...tenant, request }
}

const atOnce = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

const adjust = (tenant: TestTenant, product: { id: number }, location_id: string, adjustment_quantity: number) =>
  tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id, adjustment_quantity })

const transfer = (
  tenant: TestTenant,
  product: { id: number },
  from_location_id: string,
  to_location_id: string,
  quantity: number,
) => tenant.request('POST', '/stock/transfer', { product_id: product.id, from_location_id, to_location_id, quantity })

const statuses = (answers: readonly Answer[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, some]) => [status, some?.length ?? 0]),
  )

async function totalOf(tenant: TestTenant, product: { sku: string }): Promise<number> {
  return (await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data.total_quantity
}

async function waitForALockWait(): Promise<void> {
  const waiting = sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await vi.waitFor(async () => expect((await waiting.execute(service.db.kysely)).rows[0]?.count).toBeGreaterThan(0), {
    timeout: 10_000,
  })
}

describe('stock under parallel calls', () => {
  it('loses none of 50 additions at a location that none of them found', async () => {
    const tenant = await newTenant()
    const product = await newProduct(tenant)
    const answers = await atOnce(50, () => adjust(tenant, product, 'new', 1))
    expect(statuses(answers)).toEqual({ 200: 50 })
    const results = answers.map(({ body }) => body.data.stock.new_quantity).toSorted((a, b) => a - b)
    expect(results).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
    await expectConsistentStock(service.db, tenant)
  })

  it('makes a location once, whoever names it first', async () => {
    const tenant = await newTenant()
    const products = await atOnce(8, () => newProduct(tenant))
    for (let round = 1; round <= 25; round++) {
      const answers = await Promise.all(products.map((product) => adjust(tenant, product, `new ${round}`, 1)))
      expect(statuses(answers)).toEqual({ 200: 8 })
    }
    expect((await tenant.request('GET', '/locations')).body.data.pagination.total).toBe(25)
  })

  it('lets 50 removals take exactly what is there', async () => {
    const tenant = await newTenant()
    const product = await newProduct(tenant)
    await adjust(tenant, product, 'A', 20)
    const answers = await atOnce(50, () => adjust(tenant, product, 'A', -1))
    expect(statuses(answers)).toEqual({ 200: 20, 400: 30 })
    expect(new Set(answers.filter(({ status }) => status === 400).map(({ body }) => body.error.code))).toEqual(
      new Set(['adjustment_error']),
    )
    expect(await totalOf(tenant, product)).toBe(0)
    expect((await tenant.request('GET', '/stock/movements')).body.data.pagination.total).toBe(21)
    await expectConsistentStock(service.db, tenant)
  })

  it('applies sets and adjustments of one level one after the other', async () => {
    const tenant = await newTenant()
    const product = await newProduct(tenant)
    const answers = await atOnce(40, (index) =>
      index % 2 === 0
        ? tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 100 + index })
        : adjust(tenant, product, 'A', index),
    )
    expect(statuses(answers)).toEqual({ 200: 40 })
    await expectConsistentStock(service.db, tenant)
  })

  it('moves stock to and fro without losing any and without standing still', async () => {
    const tenant = await newTenant()
    const product = await newProduct(tenant)
    await adjust(tenant, product, 'A', 100)
    await adjust(tenant, product, 'B', 100)
    const answers = await atOnce(60, (index) => {
      const [from, to] = [
        ['A', 'B'],
        ['B', 'A'],
        ['A', 'C'],
        ['C', 'B'],
      ][index % 4] as [string, string]
      return transfer(tenant, product, from, to, 1 + (index % 5))
    })
    expect(Object.keys(statuses(answers)).filter((status) => status !== '200' && status !== '400')).toEqual([])
    expect(await totalOf(tenant, product)).toBe(200)
    await expectConsistentStock(service.db, tenant)
  })

  it('applies bulk updates of the same levels in opposite orders', async () => {
    const tenant = await newTenant()
    const products = await atOnce(12, () => newProduct(tenant))
    const answers = await atOnce(12, (quantity) => {
      const items = products.flatMap(({ id }) =>
        ['A', 'B', 'C'].map((location_id) => ({ product_id: id, location_id, quantity })),
      )
      return tenant.request('POST', '/stock/bulk', { updates: quantity % 2 === 0 ? items : items.toReversed() })
    })
    expect(statuses(answers)).toEqual({ 200: 12 })
    for (const { body } of answers) expect(body.data).toEqual({ success: 36, errors: [] })
    await expectConsistentStock(service.db, tenant)
  })

  it('sends one low alert when calls at two locations bring the total below the threshold', async () => {
    const tenant = await newTenant()
    const products = await atOnce(5, () => newProduct(tenant, { minimum_threshold: 10 }))
    await Promise.all(products.flatMap((product) => [adjust(tenant, product, 'A', 10), adjust(tenant, product, 'B', 10)]))
    await Promise.all(products.map((product) => atOnce(20, (index) => adjust(tenant, product, index % 2 === 0 ? 'A' : 'B', -1))))
    const alerts = (await stockEvents(service.db, tenant))
      .filter(({ event }) => event === 'stock/low_alert')
      .map(({ data }) => data)
    expect(
      alerts.map(({ product_id, current_quantity }) => [product_id, current_quantity]).toSorted(([a], [b]) => a - b),
    ).toEqual(products.map(({ id }) => [id, 9]).toSorted(([a], [b]) => (a ?? 0) - (b ?? 0)))
    await expectConsistentStock(service.db, tenant)
  })

  it('counts stock in the right warehouse while its location is moved between warehouses', async () => {
    const tenant = await newTenant()
    const products = await atOnce(4, () => newProduct(tenant))
    const main = (await tenant.request('GET', '/warehouses')).body.data.warehouses[0].id as number
    const north = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data.id as number
    await Promise.all(products.flatMap((product) => ['A', 'B'].map((location) => adjust(tenant, product, location, 50))))
    const fresh = await atOnce(6, () => newProduct(tenant))
    const answers = await atOnce(90, (index) => {
      const product = products[index % products.length] as { id: number }
      if (index % 9 === 0)
        return tenant.request('PUT', `/locations/${index % 2 === 0 ? 'A' : 'B'}`, { warehouse_id: index % 4 < 2 ? north : main })
      if (index % 9 === 1) return transfer(tenant, product, 'A', 'B', 1)
      if (index % 9 === 2) return transfer(tenant, product, 'B', 'A', 1)
      if (index % 9 === 3) return adjust(tenant, fresh[index % fresh.length] as { id: number }, index % 2 === 0 ? 'A' : 'B', 2)
      return adjust(tenant, product, index % 2 === 0 ? 'A' : 'B', index % 3 === 0 ? -1 : 1)
    })
    expect(statuses(answers)).toEqual({ 200: 90 })
    await expectConsistentStock(service.db, tenant)
  })

  it.each<Record<string, string>>([{}, { 'idempotency-key': 'first delivery' }])(
    'puts a new level into the warehouse that its location just got (%j)',
    async (headers) => {
      const tenant = await service.newTenant()
      const products = await atOnce(2, () => newProduct(tenant))
      const north = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data.id as number
      await adjust(tenant, products[0] as { id: number }, 'A', 1)
      const body = { product_id: products[1]?.id, location_id: 'A', adjustment_quantity: 5 }
      // Stands for a PUT of the location that ends when the adjustment has read the old warehouse and waits.
      const adjustment = await service.db.kysely.transaction().execute(async (tx) => {
        await tx
          .updateTable('locations')
          .set({ warehouse_id: north })
          .where('tenant_id', '=', tenant.id)
          .where('id', '=', 'A')
          .execute()
        await tx.updateTable('warehouse_stock').set({ warehouse_id: north }).where('tenant_id', '=', tenant.id).execute()
        const answer = tenant.request('POST', '/stock/adjustment', body, { headers })
        await waitForALockWait()
        return { answer }
      })
      expect((await adjustment.answer).status).toBe(200)
      await expectConsistentStock(service.db, tenant)
    },
  )

  it('shows the same exact total while counts are folded, by several processes at once', async () => {
    const tenant = await newTenant()
    const product = await newProduct(tenant)
    const updates = Array.from({ length: 300 }, (_, index) => ({
      product_id: product.id,
      location_id: `L${index % 20}`,
      quantity: index,
    }))
    await tenant.request('POST', '/stock/bulk', { updates })
    const totals = await Promise.all([
      ...Array.from(
        { length: 40 },
        async () => (await tenant.request('GET', '/stock/movements?limit=1')).body.data.pagination.total,
      ),
      ...Array.from({ length: 6 }, () => foldCounts(service.db).then(() => 300)),
    ])
    expect(new Set(totals)).toEqual(new Set([300]))
    await Promise.all([atOnce(30, () => adjust(tenant, product, 'L1', 1)), atOnce(10, () => foldCounts(service.db))])
    expect((await tenant.request('GET', '/stock/movements?limit=1')).body.data.pagination.total).toBe(330)
    await expectConsistentStock(service.db, tenant)
  })
})

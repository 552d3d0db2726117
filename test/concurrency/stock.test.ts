import { type Kysely, sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import { it } from './support/it.ts'
import type { Schema } from '@fulfillment/server/database/schema.ts'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import type { ServiceResponse, TestService, TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct, stockEvents } from '../support/stock.ts'

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

const statuses = (responses: readonly ServiceResponse[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(responses, ({ status }) => status)).map(([status, some]) => [status, some?.length ?? 0]),
  )

async function totalOf(tenant: TestTenant, product: { sku: string }): Promise<number> {
  return (await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data.total_quantity
}

async function waitForALockWait(service: TestService): Promise<void> {
  const waiting = sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await vi.waitFor(async () => expect((await waiting.execute(service.db.kysely)).rows[0]?.count).toBeGreaterThan(0), {
    timeout: 60_000,
  })
}

const bulkOf = ({ id }: { id: number }): [method: string, path: string, body: object] => [
  'POST',
  '/stock/bulk',
  { updates: [{ product_id: id, location_id: 'A', quantity: 5 }] },
]

/** Does what a PUT of the location `A` does that moves it, with the stock of one product, to another warehouse. */
async function moveStock(tx: Kysely<Schema>, tenant: TestTenant, warehouseId: number): Promise<void> {
  await sql`update locations set warehouse_id = ${warehouseId} where tenant_id = ${tenant.id} and id = 'A'`.execute(tx)
  await sql`update warehouse_stock set warehouse_id = ${warehouseId} where tenant_id = ${tenant.id}`.execute(tx)
  await sql`insert into stocked_count_changes (tenant_id, warehouse_id, change)
    select ${tenant.id}, id, case when is_default then -1 else 1 end from warehouses where tenant_id = ${tenant.id}`.execute(tx)
}

/** Makes a warehouse that a statement which has begun does not see. */
async function newWarehouse(tx: Kysely<Schema>, tenant: TestTenant): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into warehouses (tenant_id, name) values (${tenant.id}, 'North') returning id`.execute(tx)
  return Number(rows[0]?.id)
}

describe('stock under parallel calls', () => {
  it('loses none of 50 additions at a new location', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    const responses = await atOnce(50, () => adjust(tenant, product, 'new', 1))
    expect(statuses(responses)).toEqual({ 200: 50 })
    const results = responses.map(({ body }) => body.data.stock.new_quantity).toSorted((a, b) => a - b)
    expect(results).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
    await expectConsistentStock(service.db, tenant)
  })

  it('creates a location once', async ({ tenant }) => {
    const products = await atOnce(8, () => newProduct(tenant))
    for (let round = 1; round <= 25; round++) {
      const responses = await Promise.all(products.map((product) => adjust(tenant, product, `new ${round}`, 1)))
      expect(statuses(responses)).toEqual({ 200: 8 })
    }
    expect((await tenant.request('GET', '/locations')).body.data.pagination.total).toBe(25)
  })

  it('lets 50 removals take exactly the stock', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    await adjust(tenant, product, 'A', 20)
    const responses = await atOnce(50, () => adjust(tenant, product, 'A', -1))
    expect(statuses(responses)).toEqual({ 200: 20, 400: 30 })
    expect(new Set(responses.filter(({ status }) => status === 400).map(({ body }) => body.error.code))).toEqual(
      new Set(['adjustment_error']),
    )
    expect(await totalOf(tenant, product)).toBe(0)
    expect((await tenant.request('GET', '/stock/movements')).body.data.pagination.total).toBe(21)
    await expectConsistentStock(service.db, tenant)
  })

  it('serializes sets and adjustments of one level', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    const responses = await atOnce(40, (index) =>
      index % 2 === 0
        ? tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 100 + index })
        : adjust(tenant, product, 'A', index),
    )
    expect(statuses(responses)).toEqual({ 200: 40 })
    await expectConsistentStock(service.db, tenant)
  })

  it('moves stock back and forth without losses or deadlocks', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    await adjust(tenant, product, 'A', 100)
    await adjust(tenant, product, 'B', 100)
    const responses = await atOnce(60, (index) => {
      const [from, to] = [
        ['A', 'B'],
        ['B', 'A'],
        ['A', 'C'],
        ['C', 'B'],
      ][index % 4] as [string, string]
      return transfer(tenant, product, from, to, 1 + (index % 5))
    })
    expect(Object.keys(statuses(responses)).filter((status) => status !== '200' && status !== '400')).toEqual([])
    expect(await totalOf(tenant, product)).toBe(200)
    await expectConsistentStock(service.db, tenant)
  })

  it('applies bulk updates of the same levels in opposite orders', async ({ service, tenant }) => {
    const products = await atOnce(12, () => newProduct(tenant))
    const responses = await atOnce(12, (quantity) => {
      const items = products.flatMap(({ id }) =>
        ['A', 'B', 'C'].map((location_id) => ({ product_id: id, location_id, quantity })),
      )
      return tenant.request('POST', '/stock/bulk', { updates: quantity % 2 === 0 ? items : items.toReversed() })
    })
    expect(statuses(responses)).toEqual({ 200: 12 })
    for (const { body } of responses) expect(body.data).toEqual({ success: 36, errors: [] })
    await expectConsistentStock(service.db, tenant)
  })

  it('sends one low alert when calls at two locations bring the total below the threshold', async ({ service, tenant }) => {
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

  it('counts stock in the right warehouse while its location is moved between warehouses', async ({ service, tenant }) => {
    const products = await atOnce(4, () => newProduct(tenant))
    const main = (await tenant.request('GET', '/warehouses')).body.data.warehouses[0].id as number
    const north = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data.id as number
    await Promise.all(products.flatMap((product) => ['A', 'B'].map((location) => adjust(tenant, product, location, 50))))
    const fresh = await atOnce(6, () => newProduct(tenant))
    const responses = await atOnce(90, (index) => {
      const product = products[index % products.length] as { id: number }
      // Each location twice: a change of a new level that meets a move is repeated, up to four times, and a transfer can meet those of both.
      if (index % 23 === 0)
        return tenant.request('PUT', `/locations/${index % 2 === 0 ? 'A' : 'B'}`, { warehouse_id: index < 46 ? north : main })
      if (index % 9 === 1) return transfer(tenant, product, 'A', 'B', 1)
      if (index % 9 === 2) return transfer(tenant, product, 'B', 'A', 1)
      if (index % 9 === 3) return adjust(tenant, fresh[index % fresh.length] as { id: number }, index % 2 === 0 ? 'A' : 'B', 2)
      return adjust(tenant, product, index % 2 === 0 ? 'A' : 'B', index % 3 === 0 ? -1 : 1)
    })
    expect(statuses(responses)).toEqual({ 200: 90 })
    await expectConsistentStock(service.db, tenant)
  })

  it.for<Record<string, string>>([{}, { 'idempotency-key': 'first delivery' }])(
    'puts a new level into the warehouse that its location just got (%j)',
    async (headers, { service, tenant }) => {
      const products = await atOnce(2, () => newProduct(tenant))
      const north = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data.id as number
      await adjust(tenant, products[0] as { id: number }, 'A', 1)
      const body = { product_id: products[1]?.id, location_id: 'A', adjustment_quantity: 5 }
      // The adjustment has read the old warehouse and waits for the location.
      const adjustment = await service.db.kysely.transaction().execute(async (tx) => {
        await moveStock(tx, tenant, north)
        const response = tenant.request('POST', '/stock/adjustment', body, { headers })
        await waitForALockWait(service)
        return { response }
      })
      expect((await adjustment.response).status).toBe(200)
      await expectConsistentStock(service.db, tenant)
    },
  )

  it.for<
    [name: string, isNewWarehouse: boolean, call: (product: { id: number }) => [method: string, path: string, body: object]]
  >([
    ['POST /stock/bulk', false, bulkOf],
    ['POST /stock/bulk', true, bulkOf],
    ['PUT /stock/product/{productId}', true, ({ id }) => ['PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 5 }]],
  ])(
    'sends the events of a level whose location is moved meanwhile (%s, to a warehouse that is new: %s)',
    async ([, isNewWarehouse, callOf], { service, tenant }) => {
      const product = await newProduct(tenant)
      await adjust(tenant, product, 'A', 1)
      const before = (await stockEvents(service.db, tenant)).length
      const known = isNewWarehouse
        ? undefined
        : ((await tenant.request('POST', '/warehouses', { name: 'North' })).body.data.id as number)
      const call = await service.db.kysely.transaction().execute(async (tx) => {
        const north = known ?? (await newWarehouse(tx, tenant))
        await moveStock(tx, tenant, north)
        const response = tenant.request(...callOf(product))
        await waitForALockWait(service)
        return { north, response }
      })
      expect((await call.response).status).toBe(200)
      expect((await stockEvents(service.db, tenant)).slice(before).map(({ event, data }) => [event, data.warehouse_id])).toEqual([
        ['stock/movement_created', call.north],
        ['stock/updated', call.north],
      ])
      await expectConsistentStock(service.db, tenant)
    },
  )

  it('shows the same exact total while counts are folded, by several processes at once', async ({ service, tenant }) => {
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
      ...Array.from({ length: 6 }, () => foldAllCounts(service.db).then(() => 300)),
    ])
    expect(new Set(totals)).toEqual(new Set([300]))
    await Promise.all([atOnce(30, () => adjust(tenant, product, 'L1', 1)), atOnce(10, () => foldAllCounts(service.db))])
    expect((await tenant.request('GET', '/stock/movements?limit=1')).body.data.pagination.total).toBe(330)
    await expectConsistentStock(service.db, tenant)
  })
})

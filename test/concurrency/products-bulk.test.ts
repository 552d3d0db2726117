import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { eventsOf } from '../support/events.ts'
import { it } from '../support/it.ts'
import { lockCatalog } from '@fulfillment/server/domain/products/catalog-lock.ts'
import type { ServiceResponse, TestService, TestTenant } from '../support/service.ts'

interface BulkItem {
  barcode: string
  name?: string
  sku?: string | null
  price?: number
}

const bulk = (tenant: TestTenant, products: BulkItem[]): Promise<ServiceResponse> =>
  tenant.request('POST', '/products/bulk', { products })
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
const sum = (responses: ServiceResponse[], field: 'created' | 'updated'): number =>
  responses.reduce((total, { body }) => total + body.data[field], 0)

/** The items in a different order for each `seed`. */
function shuffled<T>(items: T[], seed: number): T[] {
  return items
    .map((item, n) => ({ item, rank: ((n + 1) * (2 * seed + 1) * 7919) % 10_007 }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

async function productsOf(service: TestService, tenant: TestTenant) {
  return service.db.kysely.selectFrom('products').selectAll().where('tenant_id', '=', tenant.id).execute()
}

async function countEvents(service: TestService, tenant: TestTenant, topic: string): Promise<number> {
  return (
    await service.db.kysely
      .selectFrom('events')
      .select('id')
      .where('tenant_id', '=', tenant.id)
      .where('topic', '=', topic)
      .execute()
  ).length
}

async function deadlocks(service: TestService): Promise<number> {
  const { rows } = await sql<{
    deadlocks: number
  }>`select deadlocks from pg_stat_database where datname = current_database()`.execute(service.db.kysely)
  return rows[0]?.deadlocks ?? 0
}

describe('bulk calls at the same time', () => {
  it('neither deadlock nor lose items with the same barcodes in different orders', async ({ service, tenant }) => {
    const responses = await Promise.all(
      range(16).map((call) =>
        bulk(
          tenant,
          shuffled(
            range(200).map((n) => ({ barcode: `b${n}`, name: `n${n}`, sku: `s${n}`, price: call })),
            call,
          ),
        ),
      ),
    )
    expect(responses.map(({ status, body }) => [status, body.data?.errors])).toEqual(responses.map(() => [200, []]))
    expect([sum(responses, 'created'), sum(responses, 'updated')]).toEqual([200, 15 * 200])
    const products = await productsOf(service, tenant)
    expect(products).toHaveLength(200)
    // Each call is atomic, so all products have the price of the last call.
    expect(new Set(products.map(({ price }) => price)).size).toBe(1)
    expect(await countEvents(service, tenant, 'product/created')).toBe(200)
    expect(await countEvents(service, tenant, 'product/updated')).toBe(15 * 200)
    expect(await deadlocks(service)).toBe(0)
  })

  it('assign a contested SKU to one product, and report it to the others', async ({ service, tenant }) => {
    const responses = await Promise.all(
      range(12).map((call) =>
        bulk(tenant, [
          { barcode: `b${call}`, name: 'x', sku: 'WANTED' },
          { barcode: `free${call}`, name: 'y' },
        ]),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(responses.filter(({ body }) => body.data.created === 2)).toHaveLength(1)
    expect(responses.flatMap(({ body }) => body.data.errors)).toHaveLength(11)
    expect(await productsOf(service, tenant)).toHaveLength(13)
  })
})

describe('bulk calls and single calls at the same time', () => {
  it('create each barcode once', async ({ service, tenant }) => {
    const items = range(300).map((n) => ({ barcode: `b${n}`, name: 'bulk', sku: `s${n}` }))
    const bulkCalls = range(4).map((call) => bulk(tenant, shuffled(items, call)))
    const singleCalls = range(300).map((n) =>
      tenant.request('POST', '/products', { barcode: `b${n}`, name: 'single', sku: `s${n}` }),
    )
    const [bulkResponses, singleResponses] = await Promise.all([Promise.all(bulkCalls), Promise.all(singleCalls)])

    expect(bulkResponses.map(({ status, body }) => [status, body.data?.errors])).toEqual(bulkResponses.map(() => [200, []]))
    expect(singleResponses.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(sum(bulkResponses, 'created') + singleResponses.filter(({ status }) => status === 200).length).toBe(300)
    expect(sum(bulkResponses, 'created') + sum(bulkResponses, 'updated')).toBe(4 * 300)
    expect(await countEvents(service, tenant, 'product/created')).toBe(300)
    expect(await deadlocks(service)).toBe(0)
  })

  it('never fail as a whole because of an SKU', async ({ service, tenant }) => {
    await bulk(
      tenant,
      range(40).map((n) => ({ barcode: `b${n}`, name: 'x' })),
    )
    const products = await productsOf(service, tenant)
    const skus = range(10).map((n) => `s${n}`)
    const puts = products.map(({ id }, n) => tenant.request('PUT', `/products/${id}`, { sku: skus[n % 10] }))
    const bulks = range(8).map((call) =>
      bulk(
        tenant,
        shuffled(products, call).map(({ barcode }, n) => ({ barcode, sku: n % 3 === 0 ? null : skus[(n + call) % 10] })),
      ),
    )
    const creates = range(20).map((n) =>
      tenant.request('POST', '/products', { barcode: `new${n}`, name: 'y', sku: skus[n % 10] }),
    )
    const [putResponses, bulkResponses, createResponses] = await Promise.all([
      Promise.all(puts),
      Promise.all(bulks),
      Promise.all(creates),
    ])

    expect(
      bulkResponses.map(({ status, body }) => [
        status,
        body.data?.created,
        (body.data?.updated ?? 0) + (body.data?.errors.length ?? 0),
      ]),
    ).toEqual(bulkResponses.map(() => [200, 0, 40]))
    expect([...putResponses, ...createResponses].filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(await deadlocks(service)).toBe(0)
  })

  it('lose no change of a product', async ({ service, tenant }) => {
    const barcodes = range(30).map((n) => `b${n}`)
    await bulk(
      tenant,
      barcodes.map((barcode) => ({ barcode, name: 'x', category: 'old' })),
    )
    const products = await productsOf(service, tenant)
    await Promise.all([
      ...products.map(({ id }) => tenant.request('PUT', `/products/${id}`, { category: 'new' })),
      ...range(6).map((call) =>
        bulk(
          tenant,
          shuffled(barcodes, call).map((barcode) => ({ barcode, price: call })),
        ),
      ),
    ])
    expect((await productsOf(service, tenant)).filter(({ category, price }) => category !== 'new' || price === null)).toEqual([])
  })

  it.for([
    ['another field', { category: 'new' }, ['price']],
    ['the SKU that an item has', { external_id: 'OTHER' }, ['sku', 'price']],
  ] as const)('see what a call that they waited for has changed: %s', async ([, change, fields], { service, tenant }) => {
    const item = { barcode: '1', name: 'x', sku: 'S' }
    await bulk(tenant, [item, { barcode: '2', name: 'y' }])
    const changing = Promise.withResolvers<void>()
    const changed = Promise.withResolvers<void>()
    const other = service.db.transaction(async (tx) => {
      await tx.kysely.updateTable('products').set(change).where('tenant_id', '=', tenant.id).where('barcode', '=', '1').execute()
      changing.resolve()
      await changed.promise
    })
    await changing.promise
    const call = bulk(tenant, [
      { ...item, price: 5 },
      { barcode: '2', price: 6 },
    ])
    await someoneWaitsForARow(service)
    changed.resolve()
    await other
    expect((await call).body.data).toEqual({ created: 0, updated: 2, errors: [] })
    const one = (await productsOf(service, tenant)).find(({ barcode }) => barcode === '1')
    expect(one).toMatchObject({ ...change, external_id: 'S', price: 5 })
    const updates = (await eventsOf(service, tenant)).filter(({ event }) => event === 'product/updated')
    expect(updates.map(({ data }) => [data.barcode, data.updated_fields])).toEqual([
      ['1', fields],
      ['2', ['price']],
    ])
    expect(updates[0]?.data.updated_at).toBe(one?.updated_at)
  })

  it('do not block other tenants while a creation waits for a bulk call', async ({ service }) => {
    const [busy, other] = [await service.newTenant(), await service.newTenant()]
    const end = await startBulkCall(service, busy)
    const creations = range(6).map((n) => busy.request('POST', '/products', { barcode: `${n}`, name: 'x' }))
    await someoneWaits(service)
    const others = await Promise.all(range(20).map((n) => other.request('POST', '/products', { barcode: `${n}`, name: 'x' })))
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
    expect(await productsOf(service, busy)).toEqual([])
    await end()
    expect((await Promise.all(creations)).map(({ status }) => status)).toEqual(creations.map(() => 200))
  })

  it('do not block an update during a bulk call, unless it sets an SKU', async ({ service, tenant }) => {
    const { id } = (await tenant.request('POST', '/products', { barcode: '1', name: 'x' })).body.data
    const end = await startBulkCall(service, tenant)
    const withSku = tenant.request('PUT', `/products/${id}`, { sku: 'S' })
    await someoneWaits(service)
    expect((await tenant.request('PUT', `/products/${id}`, { name: 'y' })).status).toBe(200)
    expect(await productsOf(service, tenant)).toMatchObject([{ name: 'y', external_id: null }])
    await end()
    expect((await withSku).status).toBe(200)
    expect(await productsOf(service, tenant)).toMatchObject([{ name: 'y', external_id: 'S' }])
  })
})

/** Takes the locks that a bulk call takes first, and holds them until the returned function is called. */
async function startBulkCall(service: TestService, tenant: TestTenant): Promise<() => Promise<void>> {
  const [running, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const call = service.db.transaction(async (tx) => {
    await lockCatalog(tx, tenant.id)
    running.resolve()
    await end.promise
  })
  await running.promise
  return () => {
    end.resolve()
    return call
  }
}

async function someoneWaitsForARow(service: TestService): Promise<void> {
  const waits = sql`select from pg_stat_activity where wait_event_type = 'Lock' and wait_event = 'transactionid' and datname = current_database()`
  await expect.poll(async () => (await waits.execute(service.db.kysely)).rows.length).toBeGreaterThan(0)
}

async function someoneWaits(service: TestService): Promise<void> {
  const waits = sql`select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await waits.execute(service.db.kysely)).rows.length).toBeGreaterThan(0)
}

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockCatalog } from '../../server/src/products/catalog-lock.ts'
import { startService, type Answer, type TestService, type TestTenant } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

interface BulkItem {
  barcode: string
  name?: string
  sku?: string | null
  price?: number
}

const bulk = (tenant: TestTenant, products: BulkItem[]): Promise<Answer> => tenant.request('POST', '/products/bulk', { products })
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
const sum = (answers: Answer[], field: 'created' | 'updated'): number =>
  answers.reduce((total, { body }) => total + body.data[field], 0)

/** The same items in another order for every `seed`. */
function shuffled<T>(items: T[], seed: number): T[] {
  return items
    .map((item, n) => ({ item, rank: ((n + 1) * (2 * seed + 1) * 7919) % 10_007 }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

async function productsOf(tenant: TestTenant) {
  return service.db.kysely.selectFrom('products').selectAll().where('tenant_id', '=', tenant.id).execute()
}

async function countEvents(tenant: TestTenant, topic: string): Promise<number> {
  return (
    await service.db.kysely
      .selectFrom('events')
      .select('id')
      .where('tenant_id', '=', tenant.id)
      .where('topic', '=', topic)
      .execute()
  ).length
}

async function deadlocks(): Promise<number> {
  const { rows } = await sql<{
    deadlocks: number
  }>`select deadlocks from pg_stat_database where datname = current_database()`.execute(service.db.kysely)
  return rows[0]?.deadlocks ?? 0
}

describe('bulk calls at the same time', () => {
  it('neither deadlock nor lose items when they name the same barcodes in different orders', async () => {
    const tenant = await service.newTenant()
    const answers = await Promise.all(
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
    expect(answers.map(({ status, body }) => [status, body.data?.errors])).toEqual(answers.map(() => [200, []]))
    expect([sum(answers, 'created'), sum(answers, 'updated')]).toEqual([200, 15 * 200])
    const products = await productsOf(tenant)
    expect(products).toHaveLength(200)
    // Each call is applied as a whole: the last one decides about every product.
    expect(new Set(products.map(({ price }) => price)).size).toBe(1)
    expect(await countEvents(tenant, 'product/created')).toBe(200)
    expect(await countEvents(tenant, 'product/updated')).toBe(15 * 200)
    expect(await deadlocks()).toBe(0)
  })

  it('give an SKU that all of them want to one product, and report it to the others', async () => {
    const tenant = await service.newTenant()
    const answers = await Promise.all(
      range(12).map((call) =>
        bulk(tenant, [
          { barcode: `b${call}`, name: 'x', sku: 'WANTED' },
          { barcode: `free${call}`, name: 'y' },
        ]),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.filter(({ body }) => body.data.created === 2)).toHaveLength(1)
    expect(answers.flatMap(({ body }) => body.data.errors)).toHaveLength(11)
    expect(await productsOf(tenant)).toHaveLength(13)
  })
})

describe('bulk calls and single calls at the same time', () => {
  it('create each barcode once', async () => {
    const tenant = await service.newTenant()
    const items = range(300).map((n) => ({ barcode: `b${n}`, name: 'bulk', sku: `s${n}` }))
    const bulkCalls = range(4).map((call) => bulk(tenant, shuffled(items, call)))
    const singleCalls = range(300).map((n) =>
      tenant.request('POST', '/products', { barcode: `b${n}`, name: 'single', sku: `s${n}` }),
    )
    const [bulkAnswers, singleAnswers] = await Promise.all([Promise.all(bulkCalls), Promise.all(singleCalls)])

    expect(bulkAnswers.map(({ status, body }) => [status, body.data?.errors])).toEqual(bulkAnswers.map(() => [200, []]))
    expect(singleAnswers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(sum(bulkAnswers, 'created') + singleAnswers.filter(({ status }) => status === 200).length).toBe(300)
    expect(sum(bulkAnswers, 'created') + sum(bulkAnswers, 'updated')).toBe(4 * 300)
    expect(await countEvents(tenant, 'product/created')).toBe(300)
    expect(await deadlocks()).toBe(0)
  })

  it('never fail as a whole over an SKU', async () => {
    const tenant = await service.newTenant()
    await bulk(
      tenant,
      range(40).map((n) => ({ barcode: `b${n}`, name: 'x' })),
    )
    const products = await productsOf(tenant)
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
    const [putAnswers, bulkAnswers, createAnswers] = await Promise.all([
      Promise.all(puts),
      Promise.all(bulks),
      Promise.all(creates),
    ])

    expect(
      bulkAnswers.map(({ status, body }) => [
        status,
        body.data?.created,
        (body.data?.updated ?? 0) + (body.data?.errors.length ?? 0),
      ]),
    ).toEqual(bulkAnswers.map(() => [200, 0, 40]))
    expect([...putAnswers, ...createAnswers].filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(await deadlocks()).toBe(0)
  })

  it('lose no change of a product', async () => {
    const tenant = await service.newTenant()
    const barcodes = range(30).map((n) => `b${n}`)
    await bulk(
      tenant,
      barcodes.map((barcode) => ({ barcode, name: 'x', category: 'old' })),
    )
    const products = await productsOf(tenant)
    await Promise.all([
      ...products.map(({ id }) => tenant.request('PUT', `/products/${id}`, { category: 'new' })),
      ...range(6).map((call) =>
        bulk(
          tenant,
          shuffled(barcodes, call).map((barcode) => ({ barcode, price: call })),
        ),
      ),
    ])
    expect((await productsOf(tenant)).filter(({ category, price }) => category !== 'new' || price === null)).toEqual([])
  })

  it('let other tenants go on while a creation waits for a bulk call', async () => {
    const [busy, other] = [await service.newTenant(), await service.newTenant()]
    const end = await startBulkCall(busy)
    const creations = range(6).map((n) => busy.request('POST', '/products', { barcode: `${n}`, name: 'x' }))
    await someoneWaits()
    const others = await Promise.all(range(20).map((n) => other.request('POST', '/products', { barcode: `${n}`, name: 'x' })))
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
    expect(await productsOf(busy)).toEqual([])
    await end()
    expect((await Promise.all(creations)).map(({ status }) => status)).toEqual(creations.map(() => 200))
  })

  it('let an update go on during a bulk call, unless it gives an SKU', async () => {
    const tenant = await service.newTenant()
    const { id } = (await tenant.request('POST', '/products', { barcode: '1', name: 'x' })).body.data
    const end = await startBulkCall(tenant)
    const withSku = tenant.request('PUT', `/products/${id}`, { sku: 'S' })
    await someoneWaits()
    expect((await tenant.request('PUT', `/products/${id}`, { name: 'y' })).status).toBe(200)
    expect(await productsOf(tenant)).toMatchObject([{ name: 'y', external_id: null }])
    await end()
    expect((await withSku).status).toBe(200)
    expect(await productsOf(tenant)).toMatchObject([{ name: 'y', external_id: 'S' }])
  })
})

/** What a bulk call does first; it goes on until the returned function is called. */
async function startBulkCall(tenant: TestTenant): Promise<() => Promise<void>> {
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

async function someoneWaits(): Promise<void> {
  const waits = sql`select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await waits.execute(service.db.kysely)).rows.length).toBeGreaterThan(0)
}

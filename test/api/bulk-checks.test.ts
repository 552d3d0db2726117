import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { it } from '../support/it.ts'
import type { TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'

fc.configureGlobal({ seed: 7, numRuns: 40, endOnFailure: true })
const timeout = 300_000

/** Tables that calls and maintenance change at any time. */
const VOLATILE = new Set(['api_keys', 'usage_hours', 'write_positions', 'rate_limit_windows'])

/** Counts that maintenance folds. */
const PENDING = new Set(['order_count_changes', 'movement_count_changes', 'product_count_changes', 'flow_count_changes'])

/** A digest of every row that the tenant has, by table. */
async function rowsOf(db: Database, tenant: TestTenant): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'tenant_id' and c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    order by 1`.execute(db.kysely)
  const digests: Record<string, string> = {}
  for (const { name } of tables.filter((table) => !VOLATILE.has(table.name))) {
    const { rows } = await sql<{ digest: string }>`
      select count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as digest
      from ${sql.table(name)} t where tenant_id = ${tenant.id}`.execute(db.kysely)
    digests[name] = rows[0]?.digest ?? ''
  }
  return digests
}

/** The rows once maintenance has folded all counts. */
async function settledRows(db: Database, tenant: TestTenant): Promise<Record<string, string>> {
  await expect
    .poll(async () => Object.entries(await rowsOf(db, tenant)).filter(([name, digest]) => PENDING.has(name) && digest !== '0 '), {
      timeout: 60_000,
      interval: 200,
    })
    .toEqual([])
  return await rowsOf(db, tenant)
}

async function outcomeOf(tenant: TestTenant, path: string, body: object) {
  const { status, body: response } = await tenant.request('POST', path, body)
  expect(status).toBe(200)
  return response.data
}

/** Expects that the check responds as the call does afterwards, and that it leaves every table as it is. */
async function expectSame(db: Database, tenant: TestTenant, path: string, body: object): Promise<unknown> {
  const before = await settledRows(db, tenant)
  const checked = await outcomeOf(tenant, `${path}/check`, body)
  expect(await rowsOf(db, tenant)).toEqual(before)
  expect(checked).toEqual(await outcomeOf(tenant, path, body))
  expect(await rowsOf(db, tenant)).not.toEqual(before)
  return checked
}

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> => fc.option(fc.option(value), { nil: undefined })

const anyProduct = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      barcode: fc.constantFrom('1', '2', '3', ' 2 ', '4', ''),
      name: fc.constantFrom('Tea', undefined, ''),
      sku: maybe(fc.constantFrom('A', 'B', 'C')),
      price: maybe(fc.constantFrom(1, 2.5, -1)),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 'text', {}) },
)

describe('POST /products/bulk/check', () => {
  it('responds as the import that follows, and stores nothing', async ({ service, tenant }) => {
    await newProduct(tenant, { barcode: '1', sku: 'A' })
    const products = [
      { barcode: '1', price: 3 },
      { barcode: '2', name: 'Salt', sku: 'B' },
      { barcode: '2', name: 'Salt again' },
      { barcode: '3' },
      { barcode: '4', name: 'Thief', sku: 'A' },
      { barcode: '5', name: 'Negative', price: -1 },
      'not an object',
    ]
    expect(await expectSame(service.db, tenant, '/products/bulk', { products })).toEqual({
      created: 1,
      updated: 2,
      errors: [
        { barcode: '3', error: 'name: is required for a new product', index: 3 },
        { barcode: '4', error: 'sku: another product has this sku', index: 4 },
        { barcode: '5', error: expect.stringMatching(/^price: /), index: 5 },
        { barcode: '', error: expect.any(String), index: 6 },
      ],
    })
  })

  it('responds as the import to any batch', { timeout }, async ({ service }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyProduct, { maxLength: 12 }),
        fc.array(anyProduct, { minLength: 1, maxLength: 12 }),
        async (first, second) => {
          const tenant = await service.newTenant()
          await outcomeOf(tenant, '/products/bulk', { products: first })
          const checked = await outcomeOf(tenant, '/products/bulk/check', { products: second })
          expect(checked).toEqual(await outcomeOf(tenant, '/products/bulk', { products: second }))
        },
      ),
    )
  })

  it('needs the scope of the import', async ({ tenant }) => {
    const key = await tenant.createKey({ scopes: ['read:products', 'write:stock'] })
    const { status } = await tenant.request('POST', '/products/bulk/check', { products: [] }, { key })
    expect(status).toBe(403)
  })
})

describe('POST /stock/bulk/check', () => {
  it('responds as the import that follows, and stores nothing', async ({ service, tenant }) => {
    const tea = await newProduct(tenant)
    const salt = await newProduct(tenant)
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 5 })
    const updates = [
      { sku: tea.sku, location_id: 'A', quantity: 7, expected_quantity: 5 },
      { sku: tea.sku, location_id: 'A', quantity: 9, expected_quantity: 5 },
      { product_id: tea.id, location_id: 'A', quantity: 8, expected_quantity: 7 },
      { product_id: tea.id, sku: salt.sku, location_id: 'A', quantity: 1 },
      { sku: 'unknown', location_id: 'A', quantity: 1 },
      { sku: salt.sku, location_id: 'new', quantity: 2.5, expected_quantity: 0 },
      { sku: salt.sku, location_id: 'other', quantity: 1, expected_quantity: 1 },
      { sku: salt.sku, location_id: 'new', quantity: -1 },
    ]
    expect(await expectSame(service.db, tenant, '/stock/bulk', { updates })).toEqual({
      success: 3,
      errors: [
        { product_id: tea.id, error: 'expected_quantity: the level is 7, not 5', index: 1, current_quantity: 7 },
        { product_id: tea.id, error: 'sku: names a different product than product_id', index: 3 },
        { product_id: 0, error: 'Product not found', index: 4 },
        { product_id: salt.id, error: 'expected_quantity: the level is 0, not 1', index: 6, current_quantity: 0 },
        { product_id: 0, error: expect.stringMatching(/^quantity: /), index: 7 },
      ],
    })
  })

  it('responds as the import to any batch', { timeout }, async ({ service }) => {
    const update = fc.record({
      sku: fc.constantFrom('A', 'B', 'C', 'unknown'),
      location_id: fc.constantFrom('1', '2', ''),
      quantity: fc.constantFrom(0, 1, 2, 3, -1, 0.5),
      expected_quantity: maybe(fc.constantFrom(0, 1, 2, 3)),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(update, { maxLength: 12 }),
        fc.array(update, { minLength: 1, maxLength: 12 }),
        async (first, second) => {
          const tenant = await service.newTenant()
          const products = ['A', 'B', 'C'].map((sku) => ({ barcode: sku, name: sku, sku }))
          await outcomeOf(tenant, '/products/bulk', { products })
          await outcomeOf(tenant, '/stock/bulk', { updates: first })
          const checked = await outcomeOf(tenant, '/stock/bulk/check', { updates: second })
          expect(checked).toEqual(await outcomeOf(tenant, '/stock/bulk', { updates: second }))
        },
      ),
    )
  })
})

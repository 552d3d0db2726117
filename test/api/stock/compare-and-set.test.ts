import { describe, expect } from 'vitest'
import type { ServiceResponse, TestTenant } from '../../support/service.ts'
import { expectConsistentStock, newProduct, stockEvents } from '../../support/stock.ts'
import { expectNothingWritten, locationsOf, MAX, movementsOf } from './calls.ts'
import { it } from './it.ts'

const conflictAt = (current_quantity: number, expected: number) => ({
  code: 'quantity_conflict',
  message: `expected_quantity: the level is ${current_quantity}, not ${expected}`,
  details: [{ path: 'expected_quantity', error: `the level is ${current_quantity}, not ${expected}`, current_quantity }],
})

interface Change {
  product: { id: number; sku: string }
  location?: string
  /** What the level becomes. */
  to: number
  /** What it is now. */
  from: number
  expected: unknown
}

const CALLS: Record<string, (tenant: TestTenant, change: Change) => Promise<ServiceResponse>> = {
  'PUT /stock/product/{productId}': (tenant, { product, location = 'A', to, expected }) =>
    tenant.request('PUT', `/stock/product/${product.id}`, { location_id: location, quantity: to, expected_quantity: expected }),
  'POST /stock/adjustment': (tenant, { product, location = 'A', to, from, expected }) =>
    tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      location_id: location,
      adjustment_quantity: to - from,
      expected_quantity: expected,
    }),
  'POST /stock/adjustment by SKU': (tenant, { product, location = 'A', to, from, expected }) =>
    tenant.request('POST', '/stock/adjustment', {
      sku: product.sku,
      location_id: location,
      adjustment_quantity: to - from,
      expected_quantity: expected,
    }),
}

const set = (tenant: TestTenant, product: { id: number }, quantity: number, location_id = 'A') =>
  tenant.request('PUT', `/stock/product/${product.id}`, { location_id, quantity })

describe.each(Object.entries(CALLS))('%s with expected_quantity', (_, call) => {
  it('changes a level that is what is expected, and no other', async ({ service, tenant, product }) => {
    await set(tenant, product, 12.5)
    const before = (await stockEvents(service.db, tenant)).length
    const refused = await call(tenant, { product, from: 12.5, to: 20, expected: 12.499 })
    expect([refused.status, refused.body.error]).toEqual([409, conflictAt(12.5, 12.499)])
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
    expect((await stockEvents(service.db, tenant)).length).toBe(before)
    const { status } = await call(tenant, { product, from: 12.5, to: 20, expected: 12.5 })
    expect(status).toBe(200)
    expect((await movementsOf(tenant)).movements[0]).toMatchObject({ previous_quantity: 12.5, new_quantity: 20 })
    expect((await stockEvents(service.db, tenant)).slice(before).map(({ event }) => event)).toEqual([
      'stock/movement_created',
      'stock/updated',
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it('takes a level that does not exist for 0, and makes no location when it is refused', async ({
    service,
    tenant,
    product,
  }) => {
    const refused = await call(tenant, { product, from: 0, to: 4, expected: 3 })
    expect([refused.status, refused.body.error]).toEqual([409, conflictAt(0, 3)])
    await expectNothingWritten(service, tenant)
    expect((await call(tenant, { product, from: 0, to: 4, expected: 0 })).status).toBe(200)
    expect(await locationsOf(tenant)).toEqual(['A'])
    const other = await newProduct(tenant)
    expect((await call(tenant, { product: other, from: 0, to: 4, expected: 0 })).status).toBe(200)
    await expectConsistentStock(service.db, tenant)
  })

  it('takes null for not given', async ({ tenant, product }) => {
    expect((await call(tenant, { product, from: 0, to: 4, expected: null })).status).toBe(200)
  })

  it.for([-1, '5', 0.0001, MAX + 1, true, [], {}])('refuses %j', async (expected, { service, tenant, product }) => {
    const { status, body } = await call(tenant, { product, from: 0, to: 4, expected })
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    expect(body.error.message).toContain('expected_quantity')
    await expectNothingWritten(service, tenant)
  })

  it('says not_found of an unknown product, whatever is expected', async ({ service, tenant }) => {
    const stranger = await newProduct(await service.newTenant(), { sku: 'a SKU of another tenant' })
    for (const expected of [0, 5]) {
      const { status, body } = await call(tenant, { product: stranger, from: 0, to: 4, expected })
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
    await expectNothingWritten(service, tenant)
  })

  it('can be of a product that is not weighable and has a fraction', async ({ tenant }) => {
    const product = await newProduct(tenant, { weighable: false })
    const { status, body } = await call(tenant, { product, from: 0, to: 4, expected: 0.5 })
    expect([status, body.error.code]).toEqual([409, 'quantity_conflict'])
  })

  it('is repeated by its Idempotency-Key, and conflicts with its own first try without one', async ({ tenant, product }) => {
    const headers = { headers: { 'idempotency-key': 'set once' } }
    const body = { location_id: 'A', quantity: 5, expected_quantity: 0 }
    const first = await tenant.request('PUT', `/stock/product/${product.id}`, body, headers)
    const again = await tenant.request('PUT', `/stock/product/${product.id}`, body, headers)
    expect([again.status, again.body]).toEqual([200, first.body])
    const without = await tenant.request('PUT', `/stock/product/${product.id}`, body)
    expect([without.status, without.body.error]).toEqual([409, conflictAt(5, 0)])
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
  })

  it('leaves the Idempotency-Key of a refused call free', async ({ tenant, product }) => {
    const headers = { headers: { 'idempotency-key': 'set later' } }
    const body = { location_id: 'A', quantity: 5, expected_quantity: 2 }
    expect((await tenant.request('PUT', `/stock/product/${product.id}`, body, headers)).status).toBe(409)
    await set(tenant, product, 2)
    expect((await tenant.request('PUT', `/stock/product/${product.id}`, body, headers)).status).toBe(200)
  })
})

describe('POST /stock/adjustment with expected_quantity', () => {
  const adjust = (tenant: TestTenant, product: { id: number }, adjustment_quantity: number, expected_quantity: number) =>
    tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      location_id: 'A',
      adjustment_quantity,
      expected_quantity,
    })

  it('compares before it looks whether the stock suffices', async ({ tenant, product }) => {
    await set(tenant, product, 5)
    const cases: [change: number, expected: number, code: string][] = [
      [-6, 4, 'quantity_conflict'],
      [-6, 5, 'adjustment_error'],
      [MAX, 4, 'quantity_conflict'],
      [MAX, 5, 'adjustment_error'],
    ]
    for (const [change, expected, code] of cases)
      expect([change, expected, (await adjust(tenant, product, change, expected)).body.error.code]).toEqual([
        change,
        expected,
        code,
      ])
    const short = await adjust(tenant, product, -6, 5)
    expect([short.status, short.body.error.message]).toEqual([400, 'Cannot remove 6 from location A: only 5 in stock'])
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
  })

  it('makes no location for a removal from nothing', async ({ service, tenant, product }) => {
    expect((await adjust(tenant, product, -1, 0)).body.error.code).toBe('adjustment_error')
    await expectNothingWritten(service, tenant)
  })

  it('writes the movement and the response of any adjustment', async ({ tenant, product }) => {
    await set(tenant, product, 5)
    expect((await adjust(tenant, product, -2, 5)).body.data).toEqual({
      type: 'removal',
      quantity_adjusted: -2,
      stock: { product_id: product.id, location_id: 'A', previous_quantity: 5, new_quantity: 3 },
    })
    expect((await movementsOf(tenant)).movements[0]).toMatchObject({ movement_type: 'OUT', quantity: 2, new_quantity: 3 })
  })
})

describe('POST /stock/bulk with expected_quantity', () => {
  it('compares each item when its turn comes, and reports the level that it met', async ({ service, tenant, product }) => {
    const other = await newProduct(tenant)
    await set(tenant, product, 5)
    const before = (await stockEvents(service.db, tenant)).length
    const { status, body } = await tenant.request('POST', '/stock/bulk', {
      updates: [
        { product_id: product.id, location_id: 'A', quantity: 7, expected_quantity: 6 },
        { product_id: product.id, location_id: 'A', quantity: 8, expected_quantity: 5 },
        { sku: product.sku, location_id: 'A', quantity: 9, expected_quantity: 5 },
        { sku: product.sku, location_id: 'A', quantity: 10, expected_quantity: 8 },
        { product_id: product.id, location_id: 'A', quantity: 2, expected_quantity: null },
        { product_id: product.id, location_id: 'A', quantity: 3, expected_quantity: 2 },
        { product_id: other.id, location_id: 'B', quantity: 1, expected_quantity: 1 },
        { product_id: other.id, location_id: 'C', quantity: 1, expected_quantity: 0 },
        { sku: 'no such SKU', location_id: 'D', quantity: 1, expected_quantity: 0 },
        { product_id: other.id, location_id: 'E', quantity: 1, expected_quantity: -1 },
        { product_id: product.id, sku: other.sku, location_id: 'F', quantity: 1, expected_quantity: 0 },
      ],
    })
    expect(status).toBe(200)
    expect(body.data).toEqual({
      success: 5,
      errors: [
        { product_id: product.id, error: 'expected_quantity: the level is 5, not 6', index: 0, current_quantity: 5 },
        { product_id: product.id, error: 'expected_quantity: the level is 8, not 5', index: 2, current_quantity: 8 },
        { product_id: other.id, error: 'expected_quantity: the level is 0, not 1', index: 6, current_quantity: 0 },
        { product_id: 0, error: 'Product not found', index: 8 },
        { product_id: other.id, error: 'expected_quantity: must be at least 0', index: 9 },
        { product_id: product.id, error: expect.stringContaining('sku'), index: 10 },
      ],
    })
    expect(await locationsOf(tenant)).toEqual(['A', 'C'])
    const { movements } = await movementsOf(tenant, `?product_id=${product.id}&limit=4`)
    expect(
      movements.map((movement: { previous_quantity: number; new_quantity: number }) => [
        movement.previous_quantity,
        movement.new_quantity,
      ]),
    ).toEqual([
      [2, 3],
      [10, 2],
      [8, 10],
      [5, 8],
    ])
    const events = (await stockEvents(service.db, tenant)).slice(before)
    expect(
      events.filter(({ event }) => event === 'stock/updated').map(({ data }) => [data.previous_quantity, data.quantity]),
    ).toEqual([
      [5, 3],
      [0, 1],
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it('is repeated by its Idempotency-Key, with its errors', async ({ tenant, product }) => {
    const updates = [0, 0].map((expected_quantity) => ({
      product_id: product.id,
      location_id: 'A',
      quantity: 1,
      expected_quantity,
    }))
    const headers = { headers: { 'idempotency-key': 'bulk' } }
    const first = await tenant.request('POST', '/stock/bulk', { updates }, headers)
    expect(first.body.data).toMatchObject({ success: 1, errors: [{ index: 1, current_quantity: 1 }] })
    expect((await tenant.request('POST', '/stock/bulk', { updates }, headers)).body).toEqual(first.body)
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
  })

  it('counts 1,000 items of one level up in order, and takes 1,000 levels', async ({ service, tenant, product }) => {
    const bulk = async (locationOf: (index: number) => string, expectedOf: (index: number) => number) => {
      const updates = Array.from({ length: 1_000 }, (_, index) => ({
        product_id: product.id,
        location_id: locationOf(index),
        quantity: index + 1,
        expected_quantity: expectedOf(index),
      }))
      return (await tenant.request('POST', '/stock/bulk', { updates })).body.data
    }
    expect(
      await bulk(
        () => 'A',
        (index) => index,
      ),
    ).toEqual({ success: 1_000, errors: [] })
    expect(
      await bulk(
        (index) => `L${index}`,
        () => 0,
      ),
    ).toEqual({ success: 1_000, errors: [] })
    await expectConsistentStock(service.db, tenant)
  })
})

import { describe, expect } from 'vitest'
import { expectConsistentStock, newProduct } from '../../support/stock.ts'
import { MAX, movementsOf, expectNothingWritten } from './calls.ts'
import { it } from './it.ts'

describe('POST /stock/adjustment', () => {
  it('adds and removes quantities', async ({ service, tenant, product }) => {
    const added = await tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      location_id: 'A',
      adjustment_quantity: 0.1,
    })
    expect(added.body.data).toEqual({
      type: 'addition',
      quantity_adjusted: 0.1,
      stock: { product_id: product.id, location_id: 'A', previous_quantity: 0, new_quantity: 0.1 },
    })
    await tenant.request('POST', '/stock/adjustment', { sku: product.sku, location_id: 'A', adjustment_quantity: 0.2 })
    const removed = await tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      sku: product.sku,
      location_id: 'A',
      adjustment_quantity: -0.3,
      reason: 'damaged',
    })
    expect(removed.body.data).toEqual({
      type: 'removal',
      quantity_adjusted: -0.3,
      stock: { product_id: product.id, location_id: 'A', previous_quantity: 0.3, new_quantity: 0 },
    })
    expect((await movementsOf(tenant)).movements).toMatchObject([
      { movement_type: 'OUT', quantity: 0.3, previous_quantity: 0.3, new_quantity: 0, reason: 'damaged' },
      { movement_type: 'IN', quantity: 0.2, previous_quantity: 0.1, new_quantity: 0.3 },
      { movement_type: 'IN', quantity: 0.1, previous_quantity: 0, new_quantity: 0.1 },
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it('rejects a removal from an unknown level, without effect', async ({ service, tenant, product }) => {
    const response = await tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      location_id: 'A',
      adjustment_quantity: -1,
    })
    expect([response.status, response.body.error.code]).toEqual([400, 'adjustment_error'])
    await expectNothingWritten(service, tenant)
  })

  it('rejects a removal of more than the stock, and accepts a removal of the whole stock', async ({
    service,
    tenant,
    product,
  }) => {
    const adjust = (adjustment_quantity: number) =>
      tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity })
    await adjust(5)
    const refused = await adjust(-5.001)
    expect([refused.status, refused.body.error.code]).toEqual([400, 'adjustment_error'])
    expect(refused.body.error.message).toContain('5')
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
    expect((await adjust(-5)).body.data.stock.new_quantity).toBe(0)
    await expectConsistentStock(service.db, tenant)
  })

  it('rejects a quantity above the maximum, without effect', async ({ tenant, product }) => {
    const adjust = (adjustment_quantity: number) =>
      tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity })
    await adjust(MAX)
    for (const quantity of [0.001, 1, MAX]) {
      const refused = await adjust(quantity)
      expect([refused.status, refused.body.error.code]).toEqual([400, 'adjustment_error'])
    }
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
    expect((await adjust(-MAX)).status).toBe(200)
  })

  it.for([
    [{ location_id: 'A', adjustment_quantity: 1 }, 'product_id'],
    [{ product_id: null, sku: null, location_id: 'A', adjustment_quantity: 1 }, 'product_id'],
    [{ product_id: '1', location_id: 'A', adjustment_quantity: 1 }, 'product_id'],
    [{ product_id: 1.5, location_id: 'A', adjustment_quantity: 1 }, 'product_id'],
    [{ sku: '', location_id: 'A', adjustment_quantity: 1 }, 'sku'],
    [{ product_id: 1, adjustment_quantity: 1 }, 'location_id: is required'],
    [{ product_id: 1, location_id: 'A' }, 'adjustment_quantity: is required'],
    [{ product_id: 1, location_id: 'A', adjustment_quantity: 0 }, 'adjustment_quantity: must not be zero'],
    [{ product_id: 1, location_id: 'A', adjustment_quantity: true }, 'adjustment_quantity'],
    [{ product_id: 1, location_id: 'A', adjustment_quantity: 1.0005 }, 'adjustment_quantity'],
    [{ product_id: 1, location_id: 'A', adjustment_quantity: -MAX - 1 }, 'adjustment_quantity'],
  ] as const)('refuses %j', async ([body, named], { tenant }) => {
    const response = await tenant.request('POST', '/stock/adjustment', body)
    expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(named)
  })

  it('returns not_found for another tenant’s product, by id or SKU', async ({ service, tenant }) => {
    const product = await newProduct(await service.newTenant())
    for (const name of [{ product_id: product.id }, { sku: product.sku }, { product_id: product.id, sku: product.sku }]) {
      const response = await tenant.request('POST', '/stock/adjustment', { ...name, location_id: 'A', adjustment_quantity: 1 })
      expect([response.status, response.body.error.code]).toEqual([404, 'not_found'])
    }
    await expectNothingWritten(service, tenant)
  })

  it('rejects a product_id and a SKU of different products', async ({ service, tenant, product }) => {
    const other = await newProduct(tenant)
    for (const sku of [other.sku, 'no such SKU']) {
      const response = await tenant.request('POST', '/stock/adjustment', {
        product_id: product.id,
        sku,
        location_id: 'A',
        adjustment_quantity: 1,
      })
      expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
      expect(response.body.error.details).toEqual([{ path: 'sku', error: expect.any(String) }])
    }
    await expectNothingWritten(service, tenant)
  })

  it('rejects a product_id and a SKU if only one is known, and returns not_found if neither is', async ({
    service,
    tenant,
    product,
  }) => {
    const adjust = (name: object) =>
      tenant.request('POST', '/stock/adjustment', { ...name, location_id: 'A', adjustment_quantity: 1 })
    expect((await adjust({ product_id: product.id, sku: 'no such SKU' })).body.error.code).toBe('validation_error')
    expect((await adjust({ product_id: 999_999, sku: product.sku })).body.error.code).toBe('validation_error')
    expect((await adjust({ product_id: 999_999, sku: 'no such SKU' })).body.error.code).toBe('not_found')
    const update = { product_id: 999_999, sku: product.sku, location_id: 'A', quantity: 1 }
    const { body } = await tenant.request('POST', '/stock/bulk', { updates: [update] })
    expect(body.data.errors).toEqual([{ product_id: 999_999, index: 0, error: 'sku: names a different product than product_id' }])
    await expectNothingWritten(service, tenant)
  })

  it('reports all missing fields at once', async ({ tenant }) => {
    const missing = async (path: string, body: object) =>
      (await tenant.request('POST', path, body)).body.error.details.map(({ path: field }: { path: string }) => field)
    expect(await missing('/stock/adjustment', {})).toEqual(['location_id', 'adjustment_quantity', 'product_id'])
    expect(await missing('/stock/transfer', {})).toEqual(['from_location_id', 'to_location_id', 'quantity', 'product_id'])
    expect(await missing('/stock/adjustment', { sku: 5 })).toEqual(['sku', 'location_id', 'adjustment_quantity'])
    const { body } = await tenant.request('POST', '/stock/bulk', { updates: [{}, null] })
    expect(body.data.errors[0].error).toContain('product_id: is required unless sku is given')
    expect(body.data.errors[1].error).not.toContain('product_id')
  })

  it('finds a deleted product by id only', async ({ tenant, product }) => {
    await tenant.request('DELETE', `/products/${product.id}`)
    const adjust = (name: object) =>
      tenant.request('POST', '/stock/adjustment', { ...name, location_id: 'A', adjustment_quantity: 1 })
    expect((await adjust({ sku: product.sku })).status).toBe(404)
    expect((await adjust({ product_id: product.id })).status).toBe(200)
  })

  it('is executed once for an Idempotency-Key', async ({ tenant, product }) => {
    const headers = { 'idempotency-key': 'receipt 1' }
    const body = { product_id: product.id, location_id: 'A', adjustment_quantity: 4 }
    const first = await tenant.request('POST', '/stock/adjustment', body, { headers })
    const second = await tenant.request('POST', '/stock/adjustment', body, { headers })
    expect(second.body).toEqual(first.body)
    expect((await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data.total_quantity).toBe(4)
  })
})

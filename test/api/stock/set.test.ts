import { describe, expect } from 'vitest'
import { expectConsistentStock, newProduct, stockEvents } from '../../support/stock.ts'
import { MAX, movementsOf, expectNothingWritten } from './calls.ts'
import { it } from './it.ts'

describe('PUT /stock/product/{productId}', () => {
  it('sets the quantity and returns the previous one', async ({ service, tenant, product }) => {
    const first = await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A-1', quantity: 12.5 })
    expect(first.body.data).toEqual({
      product_id: product.id,
      location_id: 'A-1',
      previous_quantity: 0,
      new_quantity: 12.5,
      movement_id: expect.stringMatching(/^\d+$/),
    })
    const second = await tenant.request('PUT', `/stock/product/${product.id}`, {
      location_id: 'A-1',
      quantity: 0,
      reason: 'spoiled',
    })
    expect(second.body.data).toMatchObject({ previous_quantity: 12.5, new_quantity: 0 })
    const { movements } = await movementsOf(tenant)
    expect(movements).toEqual([
      {
        id: second.body.data.movement_id,
        product_id: product.id,
        product_name: product.name,
        location_id: 'A-1',
        movement_type: 'ADJUSTMENT',
        quantity: -12.5,
        previous_quantity: 12.5,
        new_quantity: 0,
        reason: 'spoiled',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
      expect.objectContaining({ id: first.body.data.movement_id, quantity: 12.5, reason: null }),
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it('records a movement for an unchanged quantity, without an event', async ({ service, tenant, product }) => {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A-1', quantity: 7 })
    const before = (await stockEvents(service.db, tenant)).length
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A-1', quantity: 7 })
    expect((await movementsOf(tenant)).movements[0]).toMatchObject({
      movement_type: 'ADJUSTMENT',
      quantity: 0,
      previous_quantity: 7,
      new_quantity: 7,
    })
    const events = (await stockEvents(service.db, tenant)).slice(before)
    expect(events.map(({ event }) => event)).toEqual(['stock/movement_created'])
    expect(events[0]?.data).toMatchObject({ quantity: 0, to_location: 'A-1', from_location: null })
  })

  it('creates an unknown location in the default warehouse', async ({ tenant, product }) => {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'Regal ß/3', quantity: 1 })
    const { body } = await tenant.request('GET', '/locations')
    const warehouses = (await tenant.request('GET', '/warehouses')).body.data.warehouses
    expect(body.data.locations).toEqual([
      {
        id: 'Regal ß/3',
        code: 'Regal ß/3',
        name: null,
        warehouse_id: warehouses[0].id,
        pickable: true,
        sellable: true,
        pick_sequence: null,
      },
    ])
  })

  it.for([
    [{ quantity: 1 }, 'location_id: is required'],
    [{ location_id: null, quantity: 1 }, 'location_id'],
    [{ location_id: '', quantity: 1 }, 'location_id: must not be empty'],
    [{ location_id: 'x'.repeat(65), quantity: 1 }, 'location_id: must have at most 64 characters'],
    [{ location_id: 'A\u0000', quantity: 1 }, 'location_id'],
    [{ location_id: 'A' }, 'quantity: is required'],
    [{ location_id: 'A', quantity: null }, 'quantity'],
    [{ location_id: 'A', quantity: '5' }, 'quantity'],
    [{ location_id: 'A', quantity: -1 }, 'quantity'],
    [{ location_id: 'A', quantity: 0.0001 }, 'quantity: must have at most 3 decimal places'],
    [{ location_id: 'A', quantity: MAX + 1 }, 'quantity'],
    [{ location_id: 'A', quantity: 1, reason: 5 }, 'reason'],
    [{ location_id: 'A', quantity: 1, reason: 'x'.repeat(1001) }, 'reason'],
    [[], 'body'],
  ] as const)('refuses %j', async ([body, named], { service, tenant, product }) => {
    const response = await tenant.request('PUT', `/stock/product/${product.id}`, body)
    expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(named)
    await expectNothingWritten(service, tenant)
  })

  it('returns not_found for another tenant’s product and for an unknown one', async ({ service, tenant }) => {
    const product = await newProduct(await service.newTenant())
    for (const id of [product.id, 2 ** 53 - 1]) {
      const response = await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 1 })
      expect([response.status, response.body.error.code]).toEqual([404, 'not_found'])
    }
    for (const id of ['x', '1.5', '0', '-1', '9007199254740992', '1e3']) {
      const response = await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 1 })
      expect([response.status, response.body.error.code]).toEqual([400, 'invalid_id'])
    }
    await expectNothingWritten(service, tenant)
  })

  it('needs the scope write:stock', async ({ tenant, product }) => {
    const key = await tenant.createKey({ scopes: ['read:stock'] })
    const response = await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 1 }, { key })
    expect([response.status, response.body.error.code]).toEqual([403, 'insufficient_scope'])
  })

  it('stores the smallest and largest quantity exactly', async ({ service, tenant, product }) => {
    for (const quantity of [MAX, 999_999_999_998.999, 0.001, 0]) {
      const { body } = await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity })
      expect(body.data.new_quantity).toBe(quantity)
    }
    await expectConsistentStock(service.db, tenant)
  })
})

describe('GET /stock/sku/{sku}', () => {
  it('sums the locations and includes those with quantity 0', async ({ tenant }) => {
    const product = await newProduct(tenant, { sku: 'TEA/100 %' })
    for (const [location_id, quantity] of [
      ['B', 1.25],
      ['A', 2.5],
      ['C', 0],
    ] as const) {
      await tenant.request('PUT', `/stock/product/${product.id}`, { location_id, quantity })
    }
    const { body } = await tenant.request('GET', `/stock/sku/${encodeURIComponent(product.sku)}`)
    expect(body.data).toEqual({
      product_id: product.id,
      sku: 'TEA/100 %',
      product_name: product.name,
      total_quantity: 3.75,
      locations: [
        { location_id: 'A', quantity: 2.5 },
        { location_id: 'B', quantity: 1.25 },
        { location_id: 'C', quantity: 0 },
      ],
    })
  })

  it('returns a product that never had stock', async ({ tenant, product }) => {
    expect((await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data).toMatchObject({
      total_quantity: 0,
      locations: [],
    })
  })

  it('returns not_found for an unknown SKU, a deleted product’s and another tenant’s', async ({ service, tenant, product }) => {
    const stranger = await newProduct(await service.newTenant())
    await tenant.request('DELETE', `/products/${product.id}`)
    for (const sku of ['unknown', product.sku, stranger.sku, 'x'.repeat(256)]) {
      const response = await tenant.request('GET', `/stock/sku/${sku}`)
      expect([response.status, response.body.error.code]).toEqual([404, 'not_found'])
    }
  })
})

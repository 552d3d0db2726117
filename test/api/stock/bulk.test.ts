import { describe, expect } from 'vitest'
import { expectConsistentStock, newProduct, stockEvents } from '../../support/stock.ts'
import { movementsOf, locationsOf, expectNothingWritten } from './calls.ts'
import { it } from './it.ts'

describe('POST /stock/bulk', () => {
  it('applies valid items and reports the others, in order', async ({ service, tenant, product }) => {
    const other = await newProduct(tenant)
    const stranger = await newProduct(await service.newTenant())
    const { status, body } = await tenant.request('POST', '/stock/bulk', {
      updates: [
        { product_id: product.id, location_id: 'A', quantity: 5 },
        'not an object',
        { sku: other.sku, location_id: 'A', quantity: 2.5 },
        { sku: 'no such SKU', location_id: 'A', quantity: 1 },
        { product_id: stranger.id, location_id: 'B', quantity: 1 },
        { product_id: product.id, sku: other.sku, location_id: 'C', quantity: 1 },
        { product_id: product.id, location_id: 'D', quantity: -1 },
        { product_id: product.id, quantity: 1 },
        { location_id: 'E', quantity: 1 },
        null,
      ],
    })
    expect(status).toBe(200)
    expect(body.data.success).toBe(2)
    expect(body.data.errors).toEqual([
      { product_id: 0, error: expect.stringContaining('object'), index: 1 },
      { product_id: 0, error: 'Product not found', index: 3 },
      { product_id: stranger.id, error: 'Product not found', index: 4 },
      { product_id: product.id, error: expect.stringContaining('sku'), index: 5 },
      { product_id: product.id, error: expect.stringContaining('quantity'), index: 6 },
      { product_id: product.id, error: expect.stringContaining('location_id: is required'), index: 7 },
      { product_id: 0, error: expect.stringContaining('product_id'), index: 8 },
      { product_id: 0, error: expect.stringContaining('object'), index: 9 },
    ])
    expect(await locationsOf(tenant)).toEqual(['A'])
    expect((await movementsOf(tenant)).movements).toMatchObject([
      { product_id: other.id, movement_type: 'ADJUSTMENT', quantity: 2.5 },
      { product_id: product.id, movement_type: 'ADJUSTMENT', quantity: 5 },
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it.for(['product_id', 'sku'] as const)(
    'sets levels of different products, named by %s, and new ones',
    async (name, { service, tenant }) => {
      const product = await newProduct(tenant, { minimum_threshold: 5 })
      const [second, third] = [await newProduct(tenant), await newProduct(tenant)]
      const named = (of: { id: number; sku: string }) => (name === 'sku' ? { sku: of.sku } : { product_id: of.id })
      await tenant.request('POST', '/stock/bulk', { updates: [{ ...named(product), location_id: 'A', quantity: 10 }] })
      const before = (await stockEvents(service.db, tenant)).length
      const { body } = await tenant.request('POST', '/stock/bulk', {
        updates: [
          { ...named(third), location_id: 'A', quantity: 0 },
          { ...named(product), location_id: 'A', quantity: 4 },
          { ...named(second), location_id: 'A', quantity: 7.5 },
        ],
      })
      expect(body.data).toEqual({ success: 3, errors: [] })
      const { movements } = await movementsOf(tenant, '?limit=3')
      expect(movements).toMatchObject([
        {
          product_id: second.id,
          movement_type: 'ADJUSTMENT',
          previous_quantity: 0,
          quantity: 7.5,
          new_quantity: 7.5,
          reason: null,
        },
        {
          product_id: product.id,
          movement_type: 'ADJUSTMENT',
          previous_quantity: 10,
          quantity: -6,
          new_quantity: 4,
          reason: null,
        },
        { product_id: third.id, movement_type: 'ADJUSTMENT', previous_quantity: 0, quantity: 0, new_quantity: 0, reason: null },
      ])
      const events = (await stockEvents(service.db, tenant)).slice(before)
      expect(events.map(({ event, data }) => [event, data['product_id']])).toEqual([
        ['stock/movement_created', third.id],
        ['stock/movement_created', product.id],
        ['stock/updated', product.id],
        ['stock/movement_created', second.id],
        ['stock/updated', second.id],
        ['stock/low_alert', product.id],
      ])
      expect(events[1]?.data).toMatchObject({
        sku: product.sku,
        from_location: 'A',
        to_location: null,
        quantity: -6,
        created_at: movements[1].created_at,
      })
      expect(events[2]?.data).toMatchObject({
        location_id: 'A',
        quantity: 4,
        previous_quantity: 10,
        change: -6,
        reason: 'inventory_count',
        reference_id: movements[1].id,
      })
      expect(events[5]?.data).toMatchObject({ current_quantity: 4, minimum_threshold: 5 })
      await expectConsistentStock(service.db, tenant)
    },
  )

  it('applies several updates of the same level in order', async ({ service, tenant, product }) => {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 10 })
    const before = (await stockEvents(service.db, tenant)).length
    const { body } = await tenant.request('POST', '/stock/bulk', {
      updates: [
        { sku: product.sku, location_id: 'A', quantity: 4 },
        { product_id: product.id, location_id: 'A', quantity: 9 },
        { sku: product.sku, location_id: 'A', quantity: 9 },
        { product_id: product.id, location_id: 'A', quantity: 2 },
      ],
    })
    expect(body.data).toEqual({ success: 4, errors: [] })
    const { movements } = await movementsOf(tenant, '?limit=4')
    expect(
      movements.map((movement: { previous_quantity: number; quantity: number; new_quantity: number }) => [
        movement.previous_quantity,
        movement.quantity,
        movement.new_quantity,
      ]),
    ).toEqual([
      [9, -7, 2],
      [9, 0, 9],
      [4, 5, 9],
      [10, -6, 4],
    ])
    const events = (await stockEvents(service.db, tenant)).slice(before)
    expect(events.map(({ event }) => event)).toEqual([...Array<string>(4).fill('stock/movement_created'), 'stock/updated'])
    expect(events.at(-1)?.data).toMatchObject({
      quantity: 2,
      previous_quantity: 10,
      change: -8,
      reason: 'inventory_count',
      reference_id: movements[0].id,
    })
    await expectConsistentStock(service.db, tenant)
  })

  it('accepts 1,000 updates and rejects 1,001', async ({ service, tenant, product }) => {
    const updates = Array.from({ length: 1_001 }, (_, index) => ({
      product_id: product.id,
      location_id: `L${index % 30}`,
      quantity: index,
    }))
    const refused = await tenant.request('POST', '/stock/bulk', { updates })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
    await expectNothingWritten(service, tenant)
    const { body } = await tenant.request('POST', '/stock/bulk', { updates: updates.slice(0, 1_000) })
    expect(body.data).toEqual({ success: 1_000, errors: [] })
    expect((await movementsOf(tenant)).pagination.total).toBe(1_000)
    await expectConsistentStock(service.db, tenant)
  })

  it('accepts an empty list of updates, and rejects a body without the list', async ({ tenant }) => {
    expect((await tenant.request('POST', '/stock/bulk', { updates: [] })).body.data).toEqual({ success: 0, errors: [] })
    for (const body of [{}, { updates: null }, { updates: {} }, []]) {
      const response = await tenant.request('POST', '/stock/bulk', body)
      expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
    }
  })
})

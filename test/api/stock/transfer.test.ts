import { describe, expect } from 'vitest'
import { expectConsistentStock, stockEvents } from '../../support/stock.ts'
import { MAX, movementsOf, locationsOf, expectNothingWritten } from './calls.ts'
import { it } from './it.ts'

describe('POST /stock/transfer', () => {
  it('moves stock and records both sides', async ({ service, tenant, product }) => {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 10 })
    const { body } = await tenant.request('POST', '/stock/transfer', {
      sku: product.sku,
      from_location_id: 'A',
      to_location_id: 'B',
      quantity: 4,
      reason: 'nearer to the door',
    })
    expect(body.data).toEqual({
      product_id: product.id,
      quantity: 4,
      from: { location_id: 'A', previous_quantity: 10, new_quantity: 6, movement_id: expect.any(String) },
      to: { location_id: 'B', previous_quantity: 0, new_quantity: 4, movement_id: expect.any(String) },
    })
    expect((await movementsOf(tenant, '?movement_type=TRANSFER')).movements).toMatchObject([
      {
        id: body.data.to.movement_id,
        location_id: 'B',
        quantity: 4,
        previous_quantity: 0,
        new_quantity: 4,
        reason: 'nearer to the door',
      },
      {
        id: body.data.from.movement_id,
        location_id: 'A',
        quantity: -4,
        previous_quantity: 10,
        new_quantity: 6,
        reason: 'nearer to the door',
      },
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it('moves the whole quantity or nothing', async ({ service, tenant, product }) => {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 3 })
    const before = await stockEvents(service.db, tenant)
    for (const from_location_id of ['A', 'nowhere']) {
      const response = await tenant.request('POST', '/stock/transfer', {
        product_id: product.id,
        from_location_id,
        to_location_id: 'B',
        quantity: 3.5,
      })
      expect([response.status, response.body.error.code]).toEqual([400, 'adjustment_error'])
    }
    expect(await locationsOf(tenant)).toEqual(['A'])
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
    expect(await stockEvents(service.db, tenant)).toEqual(before)
  })

  it('fails if the destination would exceed the maximum', async ({ service, tenant, product }) => {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 1 })
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'B', quantity: MAX })
    const response = await tenant.request('POST', '/stock/transfer', {
      product_id: product.id,
      from_location_id: 'A',
      to_location_id: 'B',
      quantity: 1,
    })
    expect([response.status, response.body.error.code]).toEqual([400, 'adjustment_error'])
    await expectConsistentStock(service.db, tenant)
  })

  it.for([
    [{ from_location_id: 'A', to_location_id: 'A', quantity: 1 }, 'to_location_id'],
    [{ from_location_id: 'A', to_location_id: 'B', quantity: 0 }, 'quantity'],
    [{ from_location_id: 'A', to_location_id: 'B', quantity: -1 }, 'quantity'],
    [{ from_location_id: 'A', to_location_id: 'B' }, 'quantity: is required'],
    [{ from_location_id: 'A', quantity: 1 }, 'to_location_id: is required'],
    [{ to_location_id: 'A', quantity: 1 }, 'from_location_id: is required'],
  ] as const)('refuses %j', async ([body, named], { service, tenant, product }) => {
    const response = await tenant.request('POST', '/stock/transfer', { product_id: product.id, ...body })
    expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(named)
    await expectNothingWritten(service, tenant)
  })
})

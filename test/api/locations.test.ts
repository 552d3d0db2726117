import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct, stockEvents } from '../support/stock.ts'

async function tenantWithLocations(service: TestService, ...ids: string[]) {
  const tenant = await service.newTenant()
  const product = await newProduct(tenant, { minimum_threshold: 10 })
  for (const id of ids) await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: id, quantity: 8 })
  const main = (await tenant.request('GET', '/warehouses')).body.data.warehouses[0].id as number
  return { tenant, product, main }
}

async function newWarehouse(tenant: TestTenant, name: string): Promise<number> {
  return (await tenant.request('POST', '/warehouses', { name })).body.data.id
}

describe('warehouses', () => {
  it('include a default warehouse and are listed by id', async ({ tenant }) => {
    const { body } = await tenant.request('POST', '/warehouses', { name: '  North ' })
    expect(body.data).toEqual({ id: expect.any(Number), name: 'North', created_at: expect.stringMatching(/Z$/) })
    const listed = (await tenant.request('GET', '/warehouses')).body.data
    expect(listed).toEqual({
      warehouses: [
        { id: expect.any(Number), name: 'Main', is_default: true, created_at: expect.stringMatching(/Z$/) },
        { ...body.data, is_default: false },
      ],
      pagination: { total: 2, page: 1, limit: 50, total_pages: 1 },
    })
  })

  it('are listed in pages', async ({ tenant }) => {
    for (const name of ['B', 'C', 'D']) await newWarehouse(tenant, name)
    const { data } = (await tenant.request('GET', '/warehouses?page=2&limit=3')).body
    expect(data.warehouses.map(({ name }: { name: string }) => name)).toEqual(['D'])
    expect(data.pagination).toEqual({ total: 4, page: 2, limit: 3, total_pages: 2 })
  })

  it.for([{}, { name: '' }, { name: '   ' }, { name: 5 }, { name: 'x'.repeat(256) }])('refuse %j', async (body, { tenant }) => {
    const response = await tenant.request('POST', '/warehouses', body)
    expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
  })
})

describe('GET /locations', () => {
  it('lists by id, page by page, and only those of the tenant', async ({ service }) => {
    const { tenant, main } = await tenantWithLocations(service, 'C', 'A', 'B')
    await tenantWithLocations(service, 'D')
    const first = (await tenant.request('GET', '/locations?limit=2')).body.data
    expect(first).toEqual({
      locations: [
        { id: 'A', code: 'A', name: null, warehouse_id: main },
        { id: 'B', code: 'B', name: null, warehouse_id: main },
      ],
      pagination: { total: 3, page: 1, limit: 2, total_pages: 2 },
    })
    const second = (await tenant.request('GET', '/locations?limit=2&page=2')).body.data
    expect(second.locations.map(({ id }: { id: string }) => id)).toEqual(['C'])
    expect((await tenant.request('GET', '/locations?limit=2&page=3')).body.data).toMatchObject({
      locations: [],
      pagination: { total: 3 },
    })
  })

  it('needs read:stock', async ({ tenant }) => {
    const key = await tenant.createKey({ scopes: ['read:products'] })
    expect((await tenant.request('GET', '/locations', undefined, { key })).status).toBe(403)
  })
})

describe('PUT /locations/{id}', () => {
  it('changes only the given fields', async ({ service }) => {
    const { tenant, main } = await tenantWithLocations(service, 'A/1')
    const put = async (body: object) => (await tenant.request('PUT', '/locations/A%2F1', body)).body.data
    expect(await put({ name: 'By the door' })).toEqual({ id: 'A/1', code: 'A/1', name: 'By the door', warehouse_id: main })
    expect(await put({ code: 'X-1' })).toEqual({ id: 'A/1', code: 'X-1', name: 'By the door', warehouse_id: main })
    expect(await put({})).toEqual({ id: 'A/1', code: 'X-1', name: 'By the door', warehouse_id: main })
    expect(await put({ name: null })).toEqual({ id: 'A/1', code: 'X-1', name: null, warehouse_id: main })
    const north = await newWarehouse(tenant, 'North')
    expect(await put({ warehouse_id: north, name: 'Far' })).toEqual({ id: 'A/1', code: 'X-1', name: 'Far', warehouse_id: north })
    expect((await tenant.request('GET', '/locations')).body.data.locations).toEqual([
      { id: 'A/1', code: 'X-1', name: 'Far', warehouse_id: north },
    ])
  })

  it('moves the location’s stock to the new warehouse, including later changes', async ({ service }) => {
    const { tenant, product, main } = await tenantWithLocations(service, 'A', 'B')
    const north = await newWarehouse(tenant, 'North')
    const before = (await stockEvents(service.db, tenant)).length
    await tenant.request('PUT', '/locations/A', { warehouse_id: north })
    await tenant.request('PUT', '/locations/A', { warehouse_id: north })
    await expectConsistentStock(service.db, tenant)
    // The old warehouse had 16, with a threshold of 10. It now has 8.
    expect((await stockEvents(service.db, tenant)).slice(before)).toMatchObject([
      { event: 'stock/low_alert', data: { warehouse_id: main, current_quantity: 8, minimum_threshold: 10 } },
    ])
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 20 })
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 5 })
    await expectConsistentStock(service.db, tenant)
    expect((await stockEvents(service.db, tenant)).at(-1)).toMatchObject({
      event: 'stock/low_alert',
      data: { warehouse_id: north, warehouse_name: 'North', current_quantity: 5 },
    })
  })

  it('rejects an unknown warehouse and another tenant’s, without effect', async ({ service }) => {
    const { tenant, main } = await tenantWithLocations(service, 'A')
    const stranger = await tenantWithLocations(service)
    for (const warehouse_id of [stranger.main, Number.MAX_SAFE_INTEGER]) {
      const response = await tenant.request('PUT', '/locations/A', { warehouse_id, name: 'changed' })
      expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
      expect(response.body.error.message).toContain('warehouse_id')
    }
    expect((await tenant.request('GET', '/locations')).body.data.locations).toEqual([
      { id: 'A', code: 'A', name: null, warehouse_id: main },
    ])
  })

  it.for([
    { code: null },
    { code: '' },
    { code: 5 },
    { name: ' ' },
    { name: 'x'.repeat(256) },
    { warehouse_id: '1' },
    { warehouse_id: null },
  ])('refuses %j', async (body, { service }) => {
    const { tenant } = await tenantWithLocations(service, 'A')
    const response = await tenant.request('PUT', '/locations/A', body)
    expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(Object.keys(body)[0])
  })

  it('returns not_found for another tenant’s location and for an unknown one', async ({ service }) => {
    await tenantWithLocations(service, 'A')
    const { tenant, main } = await tenantWithLocations(service, 'B')
    for (const id of ['A', 'unknown', 'x'.repeat(65), '%00']) {
      for (const body of [{ name: 'mine' }, { warehouse_id: main }]) {
        const response = await tenant.request('PUT', `/locations/${id}`, body)
        expect([response.status, response.body.error.code]).toEqual([404, 'not_found'])
      }
    }
  })
})

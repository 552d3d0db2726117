import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService, type TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct, stockEvents } from '../support/stock.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

async function tenantWithLocations(...ids: string[]) {
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
  it('begin with a default one and are listed by id', async () => {
    const tenant = await service.newTenant()
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

  it('are listed by page', async () => {
    const tenant = await service.newTenant()
    for (const name of ['B', 'C', 'D']) await newWarehouse(tenant, name)
    const { data } = (await tenant.request('GET', '/warehouses?page=2&limit=3')).body
    expect(data.warehouses.map(({ name }: { name: string }) => name)).toEqual(['D'])
    expect(data.pagination).toEqual({ total: 4, page: 2, limit: 3, total_pages: 2 })
  })

  it.each([{}, { name: '' }, { name: '   ' }, { name: 5 }, { name: 'x'.repeat(256) }])('refuse %j', async (body) => {
    const tenant = await service.newTenant()
    const answer = await tenant.request('POST', '/warehouses', body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
  })
})

describe('GET /locations', () => {
  it('lists by id, page by page, and only those of the tenant', async () => {
    const { tenant, main } = await tenantWithLocations('C', 'A', 'B')
    await tenantWithLocations('D')
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

  it('needs read:stock', async () => {
    const tenant = await service.newTenant()
    const key = await tenant.createKey({ scopes: ['read:products'] })
    expect((await tenant.request('GET', '/locations', undefined, { key })).status).toBe(403)
  })
})

describe('PUT /locations/{id}', () => {
  it('changes only what is given', async () => {
    const { tenant, main } = await tenantWithLocations('A/1')
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

  it('moves the stock that lies there to the new warehouse, where later changes count', async () => {
    const { tenant, product, main } = await tenantWithLocations('A', 'B')
    const north = await newWarehouse(tenant, 'North')
    const before = (await stockEvents(service.db, tenant)).length
    await tenant.request('PUT', '/locations/A', { warehouse_id: north })
    await tenant.request('PUT', '/locations/A', { warehouse_id: north })
    await expectConsistentStock(service.db, tenant)
    // 16 lay in the old warehouse, with a threshold of 10: it now holds 8.
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

  it('refuses a warehouse that does not exist or is of another tenant, and changes nothing', async () => {
    const { tenant, main } = await tenantWithLocations('A')
    const stranger = await tenantWithLocations()
    for (const warehouse_id of [stranger.main, Number.MAX_SAFE_INTEGER]) {
      const answer = await tenant.request('PUT', '/locations/A', { warehouse_id, name: 'changed' })
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
      expect(answer.body.error.message).toContain('warehouse_id')
    }
    expect((await tenant.request('GET', '/locations')).body.data.locations).toEqual([
      { id: 'A', code: 'A', name: null, warehouse_id: main },
    ])
  })

  it.each([
    { code: null },
    { code: '' },
    { code: 5 },
    { name: ' ' },
    { name: 'x'.repeat(256) },
    { warehouse_id: '1' },
    { warehouse_id: null },
  ])('refuses %j', async (body) => {
    const { tenant } = await tenantWithLocations('A')
    const answer = await tenant.request('PUT', '/locations/A', body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(Object.keys(body)[0])
  })

  it('knows no location of another tenant and none that was never named', async () => {
    await tenantWithLocations('A')
    const { tenant, main } = await tenantWithLocations('B')
    for (const id of ['A', 'unknown', 'x'.repeat(65), '%00']) {
      for (const body of [{ name: 'mine' }, { warehouse_id: main }]) {
        const answer = await tenant.request('PUT', `/locations/${id}`, body)
        expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
      }
    }
  })
})

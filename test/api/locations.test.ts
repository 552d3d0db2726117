import { describe, expect } from 'vitest'
import { it } from '../support/shared-service.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct, stockEvents } from '../support/stock.ts'

async function tenantWithLocations(service: TestService, ...ids: string[]) {
  const tenant = await service.newTenant()
  const product = await newProduct(tenant, { minimum_threshold: 10 })
  for (const id of ids) await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: id, quantity: 8 })
  const main = (await tenant.request('GET', '/warehouses')).body.data.warehouses[0].id as number
  return { tenant, product, main }
}

const DEFAULTS = { name: null, pickable: true, sellable: true, pick_sequence: null }

async function newWarehouse(tenant: TestTenant, name: string): Promise<number> {
  return (await tenant.request('POST', '/warehouses', { name })).body.data.id
}

describe('warehouses', () => {
  it('are at most 1,000 of a tenant', async ({ service, tenant }) => {
    const insert = `insert into warehouses (tenant_id, name) select $1, n::text from generate_series(1, 998) n`
    await service.db.dedicatedPool.query(insert, [tenant.id])
    expect((await tenant.request('POST', '/warehouses', { name: 'last' })).status).toBe(200)
    const { status, body } = await tenant.request('POST', '/warehouses', { name: 'one more' })
    expect([status, body.error.code, body.error.message]).toEqual([
      400,
      'validation_error',
      'warehouses: a tenant has at most 1000 warehouses',
    ])
  })

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
        { ...DEFAULTS, id: 'A', code: 'A', warehouse_id: main },
        { ...DEFAULTS, id: 'B', code: 'B', warehouse_id: main },
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

describe('POST /locations', () => {
  it('creates a location with defaults, or with what is given', async ({ service }) => {
    const { tenant, main } = await tenantWithLocations(service)
    const north = await newWarehouse(tenant, 'North')
    const post = async (body: object) => (await tenant.request('POST', '/locations', body)).body.data
    const plain = { ...DEFAULTS, id: 'A-1', code: 'A-1', warehouse_id: main }
    expect(await post({ id: 'A-1' })).toEqual(plain)
    const given = { code: 'Q', name: 'Damaged', warehouse_id: north, pickable: false, sellable: false, pick_sequence: 0 }
    expect(await post({ id: 'Quarantine ß/3', ...given })).toEqual({ id: 'Quarantine ß/3', ...given })
    const nulls = { code: null, name: null, warehouse_id: null, pickable: null, sellable: null, pick_sequence: null }
    expect(await post({ id: 'B-1', ...nulls })).toEqual({ ...plain, id: 'B-1', code: 'B-1' })
    const { locations } = (await tenant.request('GET', '/locations')).body.data
    expect(locations.map(({ id }: { id: string }) => id)).toEqual(['A-1', 'B-1', 'Quarantine ß/3'])
  })

  it('takes stock where it is', async ({ service }) => {
    const { tenant, product } = await tenantWithLocations(service)
    const north = await newWarehouse(tenant, 'North')
    await tenant.request('POST', '/locations', { id: 'A', warehouse_id: north, pickable: false })
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 5 })
    expect((await tenant.request('GET', '/locations')).body.data.locations).toMatchObject([{ id: 'A', pickable: false }])
    const { levels } = (await tenant.request('GET', '/stock/levels')).body.data
    expect(levels).toMatchObject([{ location_id: 'A', warehouse_id: north, quantity: 5 }])
    await expectConsistentStock(service.db, tenant)
  })

  it('refuses an id that exists, and leaves that location as it is', async ({ service }) => {
    const { tenant, main } = await tenantWithLocations(service, 'A')
    const response = await tenant.request('POST', '/locations', { id: 'A', pickable: false })
    expect([response.status, response.body.error.code]).toEqual([409, 'already_exists'])
    expect(response.body.error.message).toContain('"A"')
    expect((await tenant.request('GET', '/locations')).body.data.locations).toEqual([
      { ...DEFAULTS, id: 'A', code: 'A', warehouse_id: main },
    ])
    const { tenant: other } = await tenantWithLocations(service)
    expect((await other.request('POST', '/locations', { id: 'A' })).status).toBe(200)
  })

  it('refuses an unknown warehouse and another tenant’s, even for an id that exists', async ({ service }) => {
    const { tenant } = await tenantWithLocations(service, 'A')
    const stranger = await tenantWithLocations(service)
    for (const warehouse_id of [stranger.main, Number.MAX_SAFE_INTEGER]) {
      for (const id of ['A', 'B']) {
        const response = await tenant.request('POST', '/locations', { id, warehouse_id })
        expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
        expect(response.body.error.details).toEqual([{ path: 'warehouse_id', error: 'no warehouse has this id' }])
      }
    }
    expect((await tenant.request('GET', '/locations')).body.data.pagination.total).toBe(1)
  })

  it('creates one of twenty at once, beside a stock call that names it', async ({ service }) => {
    const { tenant, product } = await tenantWithLocations(service)
    const set = tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 5 })
    const calls = Array.from({ length: 20 }, (_, index) =>
      tenant.request('POST', '/locations', { id: 'A', pick_sequence: index }),
    )
    const responses = await Promise.all(calls)
    expect((await set).status).toBe(200)
    const created = responses.filter(({ status }) => status === 200)
    expect(created.length).toBeLessThanOrEqual(1)
    expect(new Set(responses.filter((one) => !created.includes(one)).map(({ body }) => body.error.code))).toEqual(
      new Set(['already_exists']),
    )
    const [location] = (await tenant.request('GET', '/locations')).body.data.locations
    expect(location.pick_sequence).toBe(created[0]?.body.data.pick_sequence ?? null)
    await expectConsistentStock(service.db, tenant)
  })

  it.for([
    { id: undefined },
    { id: '' },
    { id: null },
    { id: 5 },
    { id: 'x'.repeat(65) },
    { code: '' },
    { code: 5 },
    { name: ' ' },
    { name: 'x'.repeat(256) },
    { warehouse_id: '1' },
    { warehouse_id: 0 },
    { pickable: 'no' },
    { sellable: 0 },
    { pick_sequence: -1 },
    { pick_sequence: 0.5 },
    { pick_sequence: 1_000_000_001 },
  ])('refuses %j', async (body: object, { tenant }) => {
    const response = await tenant.request('POST', '/locations', { id: 'A', ...body })
    expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(Object.keys(body)[0] ?? 'id')
    expect((await tenant.request('GET', '/locations')).body.data.locations).toEqual([])
  })

  it('needs write:stock', async ({ tenant }) => {
    const key = await tenant.createKey({ scopes: ['read:stock'] })
    expect((await tenant.request('POST', '/locations', { id: 'A' }, { key })).status).toBe(403)
  })
})

describe('PUT /locations/{id}', () => {
  it('changes only the given fields', async ({ service }) => {
    const { tenant, main } = await tenantWithLocations(service, 'A/1')
    const put = async (body: object) => (await tenant.request('PUT', '/locations/A%2F1', body)).body.data
    expect(await put({ name: 'By the door' })).toEqual({
      ...DEFAULTS,
      id: 'A/1',
      code: 'A/1',
      name: 'By the door',
      warehouse_id: main,
    })
    expect(await put({ code: 'X-1' })).toEqual({ ...DEFAULTS, id: 'A/1', code: 'X-1', name: 'By the door', warehouse_id: main })
    expect(await put({})).toEqual({ ...DEFAULTS, id: 'A/1', code: 'X-1', name: 'By the door', warehouse_id: main })
    expect(await put({ name: null })).toEqual({ ...DEFAULTS, id: 'A/1', code: 'X-1', warehouse_id: main })
    const north = await newWarehouse(tenant, 'North')
    expect(await put({ warehouse_id: north, name: 'Far' })).toEqual({
      ...DEFAULTS,
      id: 'A/1',
      code: 'X-1',
      name: 'Far',
      warehouse_id: north,
    })
    expect((await tenant.request('GET', '/locations')).body.data.locations).toEqual([
      { ...DEFAULTS, id: 'A/1', code: 'X-1', name: 'Far', warehouse_id: north },
    ])
  })

  it('sets what the location is good for, each field by itself', async ({ service }) => {
    const { tenant, main } = await tenantWithLocations(service, 'A')
    const changes: Record<string, unknown>[] = [
      { pickable: false },
      { pick_sequence: 0 },
      { sellable: false },
      { name: 'Damaged' },
      { pickable: true, pick_sequence: 1_000_000_000 },
      { pick_sequence: null },
      { sellable: true },
    ]
    const expected = { ...DEFAULTS, id: 'A', code: 'A', warehouse_id: main }
    for (const change of changes) {
      Object.assign(expected, change)
      expect((await tenant.request('PUT', '/locations/A', change)).body.data).toEqual(expected)
      expect((await tenant.request('GET', '/locations')).body.data.locations).toEqual([expected])
    }
  })

  it('changes neither levels, movements, totals, low alerts nor what stock calls may do', async ({ service }) => {
    const { tenant, product } = await tenantWithLocations(service, 'A', 'B')
    const events = await stockEvents(service.db, tenant)
    const stock = (await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data
    const { status } = await tenant.request('PUT', '/locations/A', { pickable: false, sellable: false, pick_sequence: 9 })
    expect(status).toBe(200)
    expect(await stockEvents(service.db, tenant)).toEqual(events)
    expect((await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data).toEqual(stock)
    const named = { product_id: product.id, location_id: 'A' }
    const calls: [method: string, path: string, body: object][] = [
      ['PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 9 }],
      ['POST', '/stock/adjustment', { ...named, adjustment_quantity: -1 }],
      ['POST', '/stock/bulk', { updates: [{ ...named, quantity: 7 }] }],
      ['POST', '/stock/transfer', { product_id: product.id, from_location_id: 'A', to_location_id: 'B', quantity: 3 }],
    ]
    for (const [method, path, body] of calls) expect((await tenant.request(method, path, body)).status).toBe(200)
    const left = (await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data
    expect([left.total_quantity, left.locations[0]]).toEqual([15, { location_id: 'A', quantity: 4 }])
    await expectConsistentStock(service.db, tenant)
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
      { ...DEFAULTS, id: 'A', code: 'A', warehouse_id: main },
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
    { pickable: null },
    { pickable: 1 },
    { sellable: null },
    { sellable: 'false' },
    { pick_sequence: -1 },
    { pick_sequence: 1.5 },
    { pick_sequence: '1' },
    { pick_sequence: 1_000_000_001 },
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

import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { eventsOf } from '../../support/events.ts'
import { failure } from '../../support/orders.ts'
import { create, get, TEA } from './calls.ts'

describe('POST /products', () => {
  it('creates an active product and returns exactly the documented fields', async ({ tenant }) => {
    const response = await tenant.request('POST', '/products', TEA)
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual({
      id: expect.any(Number),
      barcode: '4006381333931',
      external_id: 'TEA-1',
      name: 'Green tea',
      category: 'Tea',
      price: 4.95,
      weight: 0.1,
      is_active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(Object.keys(response.body.data)).toEqual([
      'id',
      'barcode',
      'external_id',
      'name',
      'category',
      'price',
      'weight',
      'is_active',
      'created_at',
    ])
  })

  it('stores every field', async ({ tenant }) => {
    const { id, created_at } = await create(tenant, TEA)
    const { sku, ...fields } = TEA
    expect(await get(tenant, id)).toEqual({
      ...fields,
      id,
      external_id: sku,
      is_active: true,
      stock: [],
      created_at,
      updated_at: created_at,
    })
  })

  it('requires only name and barcode, and treats null in any other field as not given', async ({ tenant }) => {
    const { id } = await create(tenant, {
      name: 'Salt',
      barcode: '1',
      ...Object.fromEntries(
        Object.keys(TEA)
          .slice(2)
          .map((field) => [field, null]),
      ),
    })
    expect(await get(tenant, id)).toMatchObject({
      external_id: null,
      description: null,
      category: null,
      price: null,
      weight: null,
      width: null,
      height: null,
      depth: null,
      sales_unit: 1,
      weighable: false,
      photo_url: null,
      is_active: true,
      cost: null,
      minimum_threshold: null,
      reorder_quantity: null,
    })
  })

  it('trims name and barcode only', async ({ tenant }) => {
    const product = await create(tenant, { name: '  Salt\n', barcode: '\t 77 ', sku: ' S ', category: ' C ' })
    expect(product).toMatchObject({ name: 'Salt', barcode: '77', external_id: ' S ', category: ' C ' })
  })

  it('counts characters: one that takes two units of UTF-16 is one', async ({ tenant }) => {
    const longest = '😀'.repeat(255)
    const body = { name: longest, barcode: longest, sku: longest, category: longest }
    const product = await create(tenant, body)
    expect(product).toMatchObject({ name: longest, barcode: longest, external_id: longest, category: longest })
    const scanned = await tenant.request('GET', `/scan?code=${encodeURIComponent(longest)}`)
    expect(scanned.body.data?.product.id).toBe(product.id)
    for (const field of Object.keys(body)) {
      const response = await tenant.request('POST', '/products', { name: 'Salt', barcode: '1', [field]: `${longest}x` })
      expect(failure(response), field).toEqual([400, 'validation_error'])
      expect(response.body.error.message).toBe(`${field}: must have at most 255 characters`)
    }
  })

  it.for([
    ['name', undefined],
    ['name', null],
    ['name', ' '],
    ['name', 5],
    ['name', 'n'.repeat(256)],
    ['name', 'a\u0000b'],
    ['name', '\ud800'],
    ['barcode', undefined],
    ['barcode', ''],
    ['barcode', 4006381333931],
    ['barcode', 'b'.repeat(256)],
    ['sku', ''],
    ['sku', 's'.repeat(256)],
    ['category', 'c'.repeat(256)],
    ['description', 'd'.repeat(4001)],
    ['price', -0.01],
    ['price', '5'],
    ['weight', true],
    ['width', []],
    ['height', {}],
    ['depth', -1],
    ['weighable', 'true'],
    ['weighable', 0],
    ['photo_url', 'tea.png'],
    ['photo_url', 'ftp://example.com/tea.png'],
    ['photo_url', 'javascript:alert(1)'],
    ['photo_url', 'http://a b'],
    ['photo_url', 'https://['],
    ['photo_url', `https://example.com/${'p'.repeat(2048)}`],
    ['cost', -1],
    ['sales_unit', 0],
    ['sales_unit', 1.5],
    ['minimum_threshold', 0.0001],
    ['reorder_quantity', 1e15],
  ] as const)('refuses %s = %j and names the field', async ([field, value], { service, tenant }) => {
    const response = await tenant.request('POST', '/products', { name: 'Salt', barcode: '1', [field]: value })
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(field)
    expect(await eventsOf(service, tenant)).toEqual([])
  })

  it('rejects a number that is not finite', async ({ service, tenant }) => {
    const response = await fetch(`${service.url}/api/v1/products`, {
      method: 'POST',
      headers: { 'x-api-key': tenant.key, 'content-type': 'application/json' },
      body: '{"name":"Salt","barcode":"1","price":1e999}',
    })
    expect(response.status).toBe(400)
  })

  it.for([0, -0, 0.1, 0.1 + 0.2, 1e-7, 5e-324, 123456789012345.67, 1e21, Number.MAX_VALUE])(
    'gives back the price %d exactly',
    async (price, { tenant }) => {
      expect((await create(tenant, { name: 'Salt', barcode: '1', price })).price).toBe(Math.abs(price))
    },
  )

  it('rejects an existing barcode, even that of a deleted product', async ({ service, tenant }) => {
    const { id } = await create(tenant, { name: 'Salt', barcode: '1' })
    expect(failure(await tenant.request('POST', '/products', { name: 'Pepper', barcode: ' 1 ' }))).toEqual([
      409,
      'already_exists',
    ])
    await tenant.request('DELETE', `/products/${id}`)
    expect(failure(await tenant.request('POST', '/products', { name: 'Pepper', barcode: '1' }))).toEqual([409, 'already_exists'])
    expect((await eventsOf(service, tenant)).map(({ event }) => event)).toEqual(['product/created', 'product/deleted'])
  })

  it('rejects an existing SKU', async ({ tenant }) => {
    await create(tenant, { name: 'Salt', barcode: '1', sku: 'S' })
    const response = await tenant.request('POST', '/products', { name: 'Pepper', barcode: '2', sku: 'S' })
    expect(failure(response)).toEqual([409, 'already_exists'])
    expect(response.body.error.message).toContain('sku')
  })

  it('accepts barcodes and SKUs that exist for another tenant', async ({ service }) => {
    const [one, other] = [await service.newTenant(), await service.newTenant()]
    await create(one, TEA)
    expect((await other.request('POST', '/products', TEA)).status).toBe(200)
  })

  it('sends product/created', async ({ service, tenant }) => {
    const { id, created_at } = await create(tenant, TEA)
    expect(await eventsOf(service, tenant)).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        event: 'product/created',
        created_at: expect.any(String),
        data: {
          product_id: id,
          sku: 'TEA-1',
          barcode: '4006381333931',
          name: 'Green tea',
          description: 'From Uji',
          category: 'Tea',
          price: 4.95,
          cost: 2.1,
          weight: 0.1,
          created_at,
        },
      },
    ])
  })

  it('creates one product for one Idempotency-Key', async ({ service, tenant }) => {
    const options = { headers: { 'idempotency-key': 'k1' } }
    const first = await tenant.request('POST', '/products', TEA, options)
    const second = await tenant.request('POST', '/products', TEA, options)
    expect(second.body).toEqual(first.body)
    expect(await eventsOf(service, tenant)).toHaveLength(1)
  })
})

import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { eventsOf } from '../../support/events.ts'
import { failure } from '../../support/orders.ts'
import type { ServiceResponse, TestTenant } from '../../support/service.ts'
import { create, get } from './calls.ts'

const TEA = {
  name: 'Green tea',
  barcode: '4006381333931',
  sku: 'TEA-1',
  category: 'Tea',
  description: 'From Uji',
  price: 4.95,
  weight: 0.1,
  cost: 2.1,
  sales_unit: 6,
}

describe('POST /products/bulk', () => {
  const bulk = async (tenant: TestTenant, products: unknown): Promise<ServiceResponse['body']> =>
    (await tenant.request('POST', '/products/bulk', { products })).body.data
  const byBarcode = async (tenant: TestTenant): Promise<ServiceResponse['body']> => {
    const { body } = await tenant.request('GET', '/products?limit=100')
    return Object.fromEntries(body.data.products.map((product: { barcode: string }) => [product.barcode, product]))
  }

  it('creates unknown products and updates known ones', async ({ service, tenant }) => {
    const { id } = await create(tenant, TEA)
    const outcome = await bulk(tenant, [
      { barcode: TEA.barcode, price: 6 },
      { barcode: ' 2 ', name: ' Salt ', sku: 'SALT', category: 'Spices', price: 0.9, weight: 0.5 },
    ])
    expect(outcome).toEqual({ created: 1, updated: 1, errors: [] })
    const tea = await get(tenant, id)
    const { sku, ...fields } = TEA
    expect(tea).toMatchObject({ ...fields, external_id: sku, price: 6 })
    const products = await byBarcode(tenant)
    expect(products['2']).toMatchObject({
      name: 'Salt',
      external_id: 'SALT',
      category: 'Spices',
      price: 0.9,
      weight: 0.5,
      is_active: true,
      sales_unit: 1,
      weighable: false,
    })
    const salt = { product_id: products['2'].id, sku: 'SALT', barcode: '2', name: 'Salt' }
    expect((await eventsOf(service, tenant)).slice(1).map(({ event, data }) => [event, data])).toEqual([
      [
        'product/updated',
        { product_id: id, sku, barcode: TEA.barcode, name: TEA.name, updated_fields: ['price'], updated_at: tea.updated_at },
      ],
      [
        'product/created',
        {
          ...salt,
          description: null,
          category: 'Spices',
          price: 0.9,
          cost: null,
          weight: 0.5,
          created_at: products['2'].created_at,
        },
      ],
    ])
  })

  it('is safe to retry: a second call updates every item and changes nothing', async ({ service, tenant }) => {
    const items = [
      { barcode: '1', name: 'Salt', sku: 'S', price: 0.1 },
      { barcode: '2', name: 'Pepper', weight: null },
    ]
    expect(await bulk(tenant, items)).toEqual({ created: 2, updated: 0, errors: [] })
    const before = await byBarcode(tenant)
    expect(await bulk(tenant, items)).toEqual({ created: 0, updated: 2, errors: [] })
    expect(await byBarcode(tenant)).toEqual(before)
    expect(await eventsOf(service, tenant)).toHaveLength(2)
  })

  it('accepts an empty array, and rejects other types and more than 1,000 items', async ({ tenant }) => {
    expect(await bulk(tenant, [])).toEqual({ created: 0, updated: 0, errors: [] })
    const tooMany = Array.from({ length: 1_001 }, (_, n) => ({ barcode: `${n}`, name: 'x' }))
    for (const products of [undefined, null, {}, 'x', tooMany]) {
      expect(failure(await tenant.request('POST', '/products/bulk', { products }))).toEqual([400, 'validation_error'])
    }
    expect(await byBarcode(tenant)).toEqual({})
  })

  it('creates 1,000 products in one call', async ({ service, tenant }) => {
    const items = Array.from({ length: 1_000 }, (_, n) => ({ barcode: `b${n}`, name: `n${n}`, sku: `s${n}`, price: n }))
    expect(await bulk(tenant, items)).toEqual({ created: 1_000, updated: 0, errors: [] })
    expect((await tenant.request('GET', '/products')).body.data.pagination.total).toBe(1_000)
    expect(await eventsOf(service, tenant)).toHaveLength(1_000)
  })

  it('reports each invalid item in order and applies the others', async ({ tenant }) => {
    const outcome = await bulk(tenant, [
      null,
      'text',
      [],
      { name: 'No barcode' },
      { barcode: 5, name: 'Number' },
      { barcode: ' ', name: 'Blank' },
      { barcode: '1', name: 'Good' },
      { barcode: '2' },
      { barcode: '3', name: null },
      { barcode: '4', name: '' },
      { barcode: '5', name: 'x', price: -1 },
      { barcode: '6', name: 'x', price: '1', weight: 'heavy' },
      { barcode: '7', name: 'a\u0000' },
      { barcode: '8', name: 'x', sku: '' },
      { barcode: '9', name: 'Good too', unknown: {} },
    ])
    expect(outcome).toMatchObject({ created: 2, updated: 0 })
    expect(outcome.errors.map(({ barcode }: { barcode: string }) => barcode)).toEqual([
      '',
      '',
      '',
      '',
      '',
      '',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
    ])
    expect(outcome.errors.slice(3).map(({ error }: { error: string }) => error.split(':', 1)[0])).toEqual([
      'barcode',
      'barcode',
      'barcode',
      'name',
      'name',
      'name',
      'price',
      'price',
      'name',
      'sku',
    ])
    expect(outcome.errors[10].error).toContain('weight')
    expect(Object.keys(await byBarcode(tenant)).toSorted()).toEqual(['1', '9'])
  })

  it('lets a later item update the product of an earlier one', async ({ service, tenant }) => {
    const outcome = await bulk(tenant, [
      { barcode: '1', name: 'Salt', price: 1 },
      { barcode: '1', price: 2, category: 'Spices' },
      { barcode: '1', name: 'Salt' },
      { barcode: '1', name: 'Sea salt' },
    ])
    expect(outcome).toEqual({ created: 1, updated: 3, errors: [] })
    const { 1: salt } = await byBarcode(tenant)
    expect(salt).toMatchObject({ name: 'Sea salt', price: 2, category: 'Spices' })
    expect(
      (await eventsOf(service, tenant)).map(({ event, data }) => [
        event,
        data.product_id,
        data.name,
        data.price,
        data.updated_fields,
      ]),
    ).toEqual([
      ['product/created', salt.id, 'Salt', 1, undefined],
      ['product/updated', salt.id, 'Salt', undefined, ['category', 'price']],
      ['product/updated', salt.id, 'Sea salt', undefined, ['name']],
    ])
  })

  it('clears fields by null', async ({ service, tenant }) => {
    const { id } = await create(tenant, TEA)
    await bulk(tenant, [{ barcode: TEA.barcode, sku: null, category: null, price: null, weight: null }])
    expect(await get(tenant, id)).toMatchObject({
      external_id: null,
      category: null,
      price: null,
      weight: null,
      name: TEA.name,
      cost: TEA.cost,
    })
    expect((await eventsOf(service, tenant)).at(-1)?.data).toMatchObject({
      sku: null,
      updated_fields: ['sku', 'category', 'price', 'weight'],
    })
  })

  it('reports an item with the SKU of another product, existing or from the same call, and applies the others', async ({
    tenant,
  }) => {
    await create(tenant, TEA)
    const outcome = await bulk(tenant, [
      { barcode: '1', name: 'A', sku: 'TEA-1' },
      { barcode: '2', name: 'B', sku: 'NEW' },
      { barcode: '3', name: 'C', sku: 'NEW' },
      { barcode: '2', sku: 'TEA-1', name: 'not this' },
      { barcode: '4', name: 'D' },
    ])
    expect(outcome).toEqual({
      created: 2,
      updated: 0,
      errors: [
        { barcode: '1', index: 0 },
        { barcode: '3', index: 2 },
        { barcode: '2', index: 3 },
      ].map((item) => ({ ...item, error: expect.stringContaining('sku') })),
    })
    expect(await byBarcode(tenant)).toMatchObject({ 2: { name: 'B', external_id: 'NEW' }, 4: { name: 'D' } })
  })

  it('moves SKUs between products if an earlier item has released them', async ({ tenant }) => {
    await bulk(
      tenant,
      ['A', 'B', 'C'].map((sku) => ({ barcode: sku, name: sku, sku })),
    )
    const outcome = await bulk(tenant, [
      { barcode: 'A', sku: null },
      { barcode: 'C', sku: 'A' },
      { barcode: 'B', sku: 'C' },
      { barcode: 'D', name: 'D', sku: 'B' },
      { barcode: 'A', sku: 'D' },
    ])
    expect(outcome).toEqual({ created: 1, updated: 4, errors: [] })
    expect(await byBarcode(tenant)).toMatchObject({
      A: { external_id: 'D' },
      B: { external_id: 'C' },
      C: { external_id: 'A' },
      D: { external_id: 'B' },
    })
  })

  it('updates a deleted product and leaves it deleted', async ({ tenant }) => {
    const { id } = await create(tenant, TEA)
    await tenant.request('DELETE', `/products/${id}`)
    expect(await bulk(tenant, [{ barcode: TEA.barcode, price: 1 }])).toEqual({ created: 0, updated: 1, errors: [] })
    expect(await get(tenant, id)).toMatchObject({ price: 1, is_active: false })
  })

  it.for([
    ['quotes and backslashes', 'a "b" \\ c\\n \\" {x,y}'],
    ['control characters', 'line\none\ttab\u0001 \\ "'],
    ['what Postgres could take for no value', 'NULL'],
    ['numbers as text', '007'],
    ['characters of other planes', 'Grün \u2028 \u{1F375}'],
  ] as const)('keeps %s as they are', async ([, name], { service, tenant }) => {
    const item = { barcode: 'B-1', name, sku: `sku ${name}`, category: name }
    await bulk(tenant, [item, { barcode: 'B-2', name: 'plain' }])
    const [created] = await eventsOf(service, tenant)
    expect((await byBarcode(tenant))['B-1']).toMatchObject({ barcode: 'B-1', name, external_id: item.sku, category: name })
    expect(created?.data).toMatchObject({ name, sku: item.sku, category: name })
    expect(await bulk(tenant, [{ ...item, price: null }])).toEqual({ created: 0, updated: 1, errors: [] })
  })

  it('does not change products of another tenant', async ({ service }) => {
    const [one, other] = [await service.newTenant(), await service.newTenant()]
    const { id } = await create(one, TEA)
    expect(await bulk(other, [{ barcode: TEA.barcode, name: 'Mine', sku: 'TEA-1' }])).toEqual({
      created: 1,
      updated: 0,
      errors: [],
    })
    expect((await get(one, id)).name).toBe(TEA.name)
  })

  it('applies once for one Idempotency-Key', async ({ tenant }) => {
    const options = { headers: { 'idempotency-key': 'b1' } }
    const body = { products: [{ barcode: '1', name: 'Salt' }] }
    await tenant.request('POST', '/products/bulk', body, options)
    const replayed = await tenant.request('POST', '/products/bulk', body, options)
    expect(replayed.body.data).toEqual({ created: 1, updated: 0, errors: [] })
    expect(replayed.headers.get('idempotency-replayed')).toBe('true')
  })
})

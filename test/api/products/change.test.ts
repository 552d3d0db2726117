import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { eventsOf } from '../../support/events.ts'
import { failure } from '../../support/orders.ts'
import { create, get, TEA } from './calls.ts'

describe('PUT /products/{id}', () => {
  it('changes only the given fields and names them in product/updated', async ({ service, tenant }) => {
    const { id } = await create(tenant, TEA)
    const before = await get(tenant, id)
    const response = await tenant.request('PUT', `/products/${id}`, { name: ' Sencha ', price: 5.5, category: 'Tea' })
    expect(response.body.data).toEqual({
      id,
      barcode: TEA.barcode,
      name: 'Sencha',
      category: 'Tea',
      price: 5.5,
      updated_at: expect.any(String),
    })
    expect(response.body.data.updated_at > before.updated_at).toBe(true)
    expect(await get(tenant, id)).toEqual({ ...before, name: 'Sencha', price: 5.5, updated_at: response.body.data.updated_at })
    expect((await eventsOf(service, tenant)).slice(1)).toMatchObject([
      {
        event: 'product/updated',
        data: {
          product_id: id,
          sku: 'TEA-1',
          barcode: TEA.barcode,
          name: 'Sencha',
          updated_fields: ['name', 'price'],
          updated_at: response.body.data.updated_at,
        },
      },
    ])
  })

  it('accepts every field that can be changed', async ({ service, tenant }) => {
    const { id } = await create(tenant, { name: 'Salt', barcode: '1' })
    const { barcode: _, sku, ...fields } = TEA
    const change = { ...fields, weighable: true, sku }
    await tenant.request('PUT', `/products/${id}`, change)
    expect(await get(tenant, id)).toMatchObject({ ...fields, weighable: true, external_id: sku, barcode: '1' })
    const [, updated] = await eventsOf(service, tenant)
    expect(new Set(updated?.data.updated_fields as string[])).toEqual(new Set(Object.keys(change)))
  })

  it('clears fields by null', async ({ tenant }) => {
    const { id } = await create(tenant, TEA)
    const emptied = [
      'category',
      'description',
      'price',
      'weight',
      'photo_url',
      'sku',
      'width',
      'height',
      'depth',
      'cost',
      'minimum_threshold',
      'reorder_quantity',
    ]
    await tenant.request('PUT', `/products/${id}`, Object.fromEntries(emptied.map((field) => [field, null])))
    const product = await get(tenant, id)
    expect(emptied.map((field) => product[field === 'sku' ? 'external_id' : field])).toEqual(emptied.map(() => null))
  })

  it.for([
    { name: null },
    { name: '' },
    { weighable: null },
    { sales_unit: null },
    { is_active: 'true' },
    { is_active: null },
    { price: -1 },
    { photo_url: '' },
    { sku: '' },
  ])('refuses %j', async (change, { tenant }) => {
    const { id } = await create(tenant, TEA)
    const response = await tenant.request('PUT', `/products/${id}`, change)
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(Object.keys(change)[0])
  })

  it.for([
    undefined,
    {},
    { barcode: 'other', id: 5, unknown: true },
    { name: 'Green tea', price: 4.95, sku: 'TEA-1', minimum_threshold: 10.5, is_active: true },
  ])('leaves no trace of %j, which changes nothing', async (change, { service, tenant }) => {
    const { id } = await create(tenant, TEA)
    const before = await get(tenant, id)
    const { body } = await tenant.request('PUT', `/products/${id}`, change)
    expect(body.data).toEqual({
      id,
      barcode: TEA.barcode,
      name: TEA.name,
      category: TEA.category,
      price: TEA.price,
      updated_at: before.updated_at,
    })
    expect(await get(tenant, id)).toEqual(before)
    expect(await eventsOf(service, tenant)).toHaveLength(1)
  })

  it('rejects the SKU of another product', async ({ tenant }) => {
    await create(tenant, TEA)
    const { id } = await create(tenant, { name: 'Salt', barcode: '1' })
    expect(failure(await tenant.request('PUT', `/products/${id}`, { sku: 'TEA-1', name: 'Tea too' }))).toEqual([
      409,
      'already_exists',
    ])
    expect((await get(tenant, id)).name).toBe('Salt')
  })

  it('restores a deleted product', async ({ service, tenant }) => {
    const { id } = await create(tenant, TEA)
    await tenant.request('DELETE', `/products/${id}`)
    expect((await tenant.request('PUT', `/products/${id}`, { is_active: true })).status).toBe(200)
    expect((await tenant.request('GET', '/products/sku/TEA-1')).status).toBe(200)
    expect((await eventsOf(service, tenant)).at(-1)).toMatchObject({
      event: 'product/updated',
      data: { updated_fields: ['is_active'] },
    })
  })

  it('also sends product/deleted if it makes a product inactive', async ({ service, tenant }) => {
    const { id } = await create(tenant, TEA)
    await tenant.request('PUT', `/products/${id}`, { is_active: false })
    expect((await eventsOf(service, tenant)).map(({ event }) => event)).toEqual([
      'product/created',
      'product/updated',
      'product/deleted',
    ])
  })

  it('loses no change when different fields are changed at the same time', async ({ service, tenant }) => {
    const { id } = await create(tenant, { name: 'Salt', barcode: '1' })
    const changes = ['category', 'description', 'price', 'weight', 'width', 'height', 'depth', 'cost'].map((field, n) => ({
      [field]: n < 2 ? 'x' : n,
    }))
    await Promise.all(changes.map((change) => tenant.request('PUT', `/products/${id}`, change)))
    expect(await get(tenant, id)).toMatchObject(Object.assign({}, ...changes))
    expect(await eventsOf(service, tenant)).toHaveLength(9)
  })
})

describe('DELETE /products/{id}', () => {
  it('makes the product inactive and sends product/deleted', async ({ service, tenant }) => {
    const { id } = await create(tenant, TEA)
    const response = await tenant.request('DELETE', `/products/${id}`)
    expect(response.body.data).toEqual({ message: expect.any(String), product_id: id })
    const product = await get(tenant, id)
    expect(product.is_active).toBe(false)
    expect((await eventsOf(service, tenant)).slice(1)).toMatchObject([
      {
        event: 'product/deleted',
        data: { product_id: id, sku: 'TEA-1', barcode: TEA.barcode, name: TEA.name, deleted_at: product.updated_at },
      },
    ])
  })

  it('succeeds again and changes nothing, also in parallel', async ({ service, tenant }) => {
    const { id } = await create(tenant, TEA)
    const responses = await Promise.all(Array.from({ length: 10 }, () => tenant.request('DELETE', `/products/${id}`)))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    const { updated_at } = await get(tenant, id)
    await tenant.request('DELETE', `/products/${id}`)
    expect((await get(tenant, id)).updated_at).toBe(updated_at)
    expect(await eventsOf(service, tenant)).toHaveLength(2)
  })
})

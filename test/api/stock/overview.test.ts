import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { reserve } from '../../support/reservations.ts'
import type { TestTenant } from '../../support/service.ts'

interface Product {
  product_id: number
  name: string
  minimum_threshold: number | null
  quantity: number
  levels: { location_id: string; location_code: string; quantity: number }[]
}

async function newProduct(
  tenant: TestTenant,
  name: string,
  threshold: number | null,
  levels: Record<string, number>,
): Promise<number> {
  const { body } = await tenant.request('POST', '/products', { name, barcode: `barcode ${name}`, minimum_threshold: threshold })
  const updates = Object.entries(levels).map(([location_id, quantity]) => ({ product_id: body.data.id, location_id, quantity }))
  if (updates.length > 0) await tenant.request('POST', '/stock/bulk', { updates })
  return body.data.id
}

async function overview(tenant: TestTenant, query = ''): Promise<{ products: Product[]; total: number }> {
  const { status, body } = await tenant.request('GET', `/stock${query}`)
  expect(status).toBe(200)
  return { products: body.data.products, total: body.data.pagination.total }
}

const namesOf = async (tenant: TestTenant, query: string): Promise<string[]> =>
  (await overview(tenant, query)).products.map(({ name }) => name)

describe('GET /stock', () => {
  it('lists active products with their total and their levels, newest first, also those without stock', async ({ tenant }) => {
    const tea = await newProduct(tenant, 'Tea', 10, { B: 2, A: 1.5 })
    const gone = await newProduct(tenant, 'Gone', null, { A: 1 })
    await tenant.request('DELETE', `/products/${gone}`)
    const empty = await newProduct(tenant, 'Empty', null, {})
    const { products, total } = await overview(tenant)
    expect(total).toBe(2)
    expect(products).toEqual([
      {
        product_id: empty,
        barcode: 'barcode Empty',
        external_id: null,
        name: 'Empty',
        minimum_threshold: null,
        quantity: 0,
        levels: [],
      },
      {
        product_id: tea,
        barcode: 'barcode Tea',
        external_id: null,
        name: 'Tea',
        minimum_threshold: 10,
        quantity: 3.5,
        levels: [
          { location_id: 'A', location_code: 'A', quantity: 1.5 },
          { location_id: 'B', location_code: 'B', quantity: 2 },
        ],
      },
    ])
  })

  it('filters by text, location and shortage, and sorts by shortage', async ({ tenant }) => {
    await newProduct(tenant, 'Green tea', 10, { A: 9 })
    await newProduct(tenant, 'Black tea', 10, { A: 4, B: 4.5 })
    await newProduct(tenant, 'Coffee', 10, { B: 10 })
    await newProduct(tenant, '100%', null, {})
    expect(await namesOf(tenant, '?search=TEA')).toEqual(['Black tea', 'Green tea'])
    expect(await namesOf(tenant, '?search=100%25')).toEqual(['100%'])
    expect(await namesOf(tenant, '?location_id=B')).toEqual(['Coffee', 'Black tea'])
    expect(await namesOf(tenant, '?low=true')).toEqual(['Black tea', 'Green tea'])
    expect(await namesOf(tenant, '?sort=shortage')).toEqual(['Black tea', 'Green tea', 'Coffee', '100%'])
    expect((await overview(tenant, '?low=true&limit=1')).total).toBe(2)
  })

  it('lists each product once, page by page, with the exact total on every page', async ({ tenant }) => {
    for (const name of ['1', '2', '3', '4', '5']) await newProduct(tenant, name, null, { A: 1 })
    const pages = await Promise.all([1, 2, 3, 4].map((page) => overview(tenant, `?page=${page}&limit=2`)))
    expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5])
    expect(pages.flatMap(({ products }) => products.map(({ name }) => name))).toEqual(['5', '4', '3', '2', '1'])
  })

  it('has what can be promised of each product over all warehouses, while the tenant reserves', async ({ tenant }) => {
    const tea = await newProduct(tenant, 'Tea', null, { A: 5, B: 2 })
    await newProduct(tenant, 'Coffee', null, {})
    const line = { barcode: 'barcode Tea', quantity: 3 }
    await tenant.request('POST', '/orders', { order_tenant_id: '1', assembly_date: '2030-01-01', order_detail: [line] })
    expect((await overview(tenant)).products.map((product) => 'availability' in product)).toEqual([false, false])
    await reserve(tenant, 'track')
    const { products } = await overview(tenant)
    expect(products).toMatchObject([
      { name: 'Coffee', availability: { on_hand: 0, reserved: 0, available: 0 } },
      { product_id: tea, availability: { on_hand: 7, reserved: 3, available: 4, held: 0, backordered: 0, incoming: 0 } },
    ])
    expect((await overview(tenant, '?page=9')).products).toEqual([])
  })

  it('names what is wrong with a filter', async ({ tenant }) => {
    const { status, body } = await tenant.request('GET', '/stock?sort=name')
    expect(status).toBe(400)
    expect(body.error.details).toEqual([expect.objectContaining({ path: 'sort' })])
  })
})

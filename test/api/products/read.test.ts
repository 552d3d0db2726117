import { describe, expect } from 'vitest'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { it } from '../../support/shared-service.ts'
import type { ServiceResponse, TestService, TestTenant } from '../../support/service.ts'
import { failure } from '../../support/orders.ts'
import { create, get, TEA } from './calls.ts'

describe('GET /products/{id}', () => {
  it('lists stock by location, in the order of their ids', async ({ service, tenant }) => {
    const { id } = await create(tenant, TEA)
    await putStock(service, tenant, id, { 'B-2': 0, 'A-10': 2.5, 'A-1': 999_999_999_999 })
    const { stock } = await get(tenant, id)
    expect(stock).toEqual([
      { location_id: 'A-1', location_code: 'code of A-1', quantity: 999_999_999_999 },
      { location_id: 'A-10', location_code: 'code of A-10', quantity: 2.5 },
      { location_id: 'B-2', location_code: 'code of B-2', quantity: 0 },
    ])
  })

  it('returns not_found for another tenant’s product', async ({ service }) => {
    const [one, other] = [await service.newTenant(), await service.newTenant()]
    const { id } = await create(one, TEA)
    for (const [method, path] of [
      ['GET', `/products/${id}`],
      ['PUT', `/products/${id}`],
      ['DELETE', `/products/${id}`],
      ['GET', '/products/sku/TEA-1'],
    ] as const) {
      expect(failure(await other.request(method, path, method === 'PUT' ? { name: 'mine' } : undefined))).toEqual([
        404,
        'not_found',
      ])
    }
    expect(await get(one, id)).toMatchObject({ name: 'Green tea', is_active: true })
  })

  it.for(['abc', '1.5', '-1', '0', '1e3', '9007199254740993', '%00', 'bulk'])(
    'responds with invalid_id to the id %s',
    async (id, { tenant }) => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        expect(failure(await tenant.request(method, `/products/${id}`, method === 'PUT' ? {} : undefined))).toEqual([
          400,
          'invalid_id',
        ])
      }
    },
  )

  it('returns not_found for an unknown id', async ({ tenant }) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(
        failure(await tenant.request(method, '/products/9007199254740991', method === 'PUT' ? { name: 'x' } : undefined)),
      ).toEqual([404, 'not_found'])
    }
  })
})

describe('GET /products/sku/{sku}', () => {
  it('returns exactly the documented fields and the stock', async ({ service, tenant }) => {
    const { id } = await create(tenant, { ...TEA, sku: 'TEA/1 ü%' })
    await putStock(service, tenant, id, { B: 1, A: 2 })
    const { body } = await tenant.request('GET', `/products/sku/${encodeURIComponent('TEA/1 ü%')}`)
    expect(body.data).toEqual({
      id,
      barcode: '4006381333931',
      external_id: 'TEA/1 ü%',
      name: 'Green tea',
      category: 'Tea',
      price: 4.95,
      stock: [
        { location_id: 'A', quantity: 2 },
        { location_id: 'B', quantity: 1 },
      ],
    })
  })

  it('returns not_found for an unknown SKU and for that of a deleted product', async ({ tenant }) => {
    const { id } = await create(tenant, TEA)
    await tenant.request('DELETE', `/products/${id}`)
    for (const sku of ['TEA-1', 'tea-1', 'NONE', '%00', 'x'.repeat(300)]) {
      expect(failure(await tenant.request('GET', `/products/sku/${sku}`))).toEqual([404, 'not_found'])
    }
  })
})

describe('GET /products', () => {
  const names = ({ body }: ServiceResponse): string[] => body.data.products.map((product: { name: string }) => product.name)

  it('lists products newest first, with all fields except stock', async ({ tenant }) => {
    const { id } = await create(tenant, TEA)
    await create(tenant, { name: 'Salt', barcode: '1' })
    const response = await tenant.request('GET', '/products')
    expect(names(response)).toEqual(['Salt', 'Green tea'])
    const { stock: _, ...product } = await get(tenant, id)
    expect(response.body.data.products[1]).toEqual(product)
    expect(response.body.data.pagination).toEqual({ total: 2, page: 1, limit: 50, total_pages: 1 })
  })

  it('pages without gaps or duplicates, also among products created at the same time', async ({ tenant }) => {
    await tenant.request('POST', '/products/bulk', {
      products: Array.from({ length: 25 }, (_, n) => ({ barcode: `b${n}`, name: `n${n}` })),
    })
    const pages = await Promise.all([1, 2, 3, 4].map((page) => tenant.request('GET', `/products?limit=10&page=${page}`)))
    expect(pages.map((page) => names(page).length)).toEqual([10, 10, 5, 0])
    expect(new Set(pages.flatMap(names)).size).toBe(25)
    expect(pages.map(({ body }) => body.data.pagination)).toEqual(
      [1, 2, 3, 4].map((page) => ({ total: 25, page, limit: 10, total_pages: 3 })),
    )
    const ids = pages.flatMap(({ body }) => body.data.products.map((product: { id: number }) => product.id))
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
  })

  it('returns an empty page for a tenant without products and for a page past the end', async ({ tenant }) => {
    for (const page of [1, Number.MAX_SAFE_INTEGER]) {
      const { body } = await tenant.request('GET', `/products?page=${page}`)
      expect(body.data).toEqual({ products: [], pagination: { total: 0, page, limit: 50, total_pages: 0 } })
    }
  })

  it('searches name, barcode and SKU for a substring, ignoring case', async ({ tenant }) => {
    await create(tenant, { name: 'Зелёный ЧАЙ', barcode: '100', sku: 'a_b%c\\d' })
    await create(tenant, { name: 'Salt', barcode: 'xTEAx', sku: 'aXbXcXd' })
    await create(tenant, { name: 'Pepper', barcode: '200', sku: 'Tea-9' })
    const search = async (text: string): Promise<string[]> =>
      names(await tenant.request('GET', `/products?search=${encodeURIComponent(text)}`)).toSorted()
    expect(await search('tea')).toEqual(['Pepper', 'Salt'])
    expect(await search('ый чай')).toEqual(['Зелёный ЧАЙ'])
    expect(await search('A_B%C\\D')).toEqual(['Зелёный ЧАЙ'])
    expect(await search('%')).toEqual(['Зелёный ЧАЙ'])
    expect(await search('00')).toEqual(['Pepper', 'Зелёный ЧАЙ'])
    expect(await search("'; drop table products; --")).toEqual([])
  })

  it('filters by category, and lists deleted products only on request', async ({ tenant }) => {
    await create(tenant, { name: 'Salt', barcode: '1', category: 'Spices' })
    await create(tenant, { name: 'Pepper', barcode: '2', category: 'spices' })
    const { id } = await create(tenant, { name: 'Old', barcode: '3', category: 'Spices' })
    await tenant.request('DELETE', `/products/${id}`)
    expect(names(await tenant.request('GET', '/products?category=Spices'))).toEqual(['Salt'])
    expect(names(await tenant.request('GET', '/products?is_active=true'))).toEqual(['Pepper', 'Salt'])
    const deleted = await tenant.request('GET', '/products?is_active=false')
    expect([names(deleted), deleted.body.data.pagination.total]).toEqual([['Old'], 1])
  })

  it('counts active and deleted products exactly, before and after the counts are folded', async ({ service, tenant }) => {
    const totals = async () => {
      const of = async (query: string) => (await tenant.request('GET', `/products?limit=1${query}`)).body.data.pagination.total
      return [await of(''), await of('&is_active=false')]
    }
    const first = await create(tenant, { name: 'Salt', barcode: '1' })
    await create(tenant, { name: 'Pepper', barcode: '2' })
    await tenant.request('POST', '/products', { name: 'Salt again', barcode: '1' })
    expect(await totals()).toEqual([2, 0])
    const products = [1, 2, 3, 4].map((barcode) => ({ barcode: String(barcode), name: 'Bulk' }))
    await tenant.request('POST', '/products/bulk', { products })
    await foldAllCounts(service.db)
    expect(await totals()).toEqual([4, 0])
    for (const method of ['DELETE', 'DELETE']) await tenant.request(method, `/products/${first.id}`)
    expect(await totals()).toEqual([3, 1])
    await foldAllCounts(service.db)
    expect(await totals()).toEqual([3, 1])
    await tenant.request('PUT', `/products/${first.id}`, { is_active: true, name: 'Salt' })
    expect(await totals()).toEqual([4, 0])
  })

  it('treats a limit above 100 as 100', async ({ tenant }) => {
    expect((await tenant.request('GET', '/products?limit=101')).body.data.pagination.limit).toBe(100)
  })

  it.for([
    'limit=0',
    'limit=x',
    'page=-1',
    'page=1.5',
    'is_active=maybe',
    'search=a&search=b',
    'search=%00',
    `category=${'c'.repeat(256)}`,
  ])('refuses ?%s', async (query, { tenant }) => {
    expect(failure(await tenant.request('GET', `/products?${query}`))).toEqual([400, 'validation_error'])
  })
})

/** Writes levels of a product as they would be after stock calls. */
async function putStock(
  service: TestService,
  tenant: TestTenant,
  productId: number,
  levels: Record<string, number>,
): Promise<void> {
  const { id: warehouseId } = await service.db.kysely
    .selectFrom('warehouses')
    .select('id')
    .where('tenant_id', '=', tenant.id)
    .executeTakeFirstOrThrow()
  const entries = Object.entries(levels)
  await service.db.kysely
    .insertInto('locations')
    .values(entries.map(([id]) => ({ tenant_id: tenant.id, id, code: `code of ${id}`, warehouse_id: warehouseId })))
    .execute()
  await service.db.kysely
    .insertInto('stock_levels')
    .values(
      entries.map(([location_id, quantity]) => ({
        tenant_id: tenant.id,
        product_id: productId,
        location_id,
        warehouse_id: warehouseId,
        quantity,
      })),
    )
    .execute()
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf } from '../support/events.ts'
import { startService, type Answer, type TestService, type TestTenant } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const create = async (tenant: TestTenant, fields: object): Promise<Answer['body']> =>
  (await tenant.request('POST', '/products', fields)).body.data
const get = async (tenant: TestTenant, id: number): Promise<Answer['body']> =>
  (await tenant.request('GET', `/products/${id}`)).body.data
const failure = ({ status, body }: Answer): [number, string] => [status, body.error.code]

const TEA = {
  name: 'Green tea',
  barcode: '4006381333931',
  sku: 'TEA-1',
  category: 'Tea',
  description: 'From Uji',
  price: 4.95,
  weight: 0.1,
  width: 5,
  height: 12.5,
  depth: 5,
  weighable: false,
  photo_url: 'https://example.com/tea.png',
  cost: 2.1,
  sales_unit: 6,
  minimum_threshold: 10.5,
  reorder_quantity: 50,
}

describe('POST /products', () => {
  it('creates an active product and answers with the fields of the contract', async () => {
    const tenant = await service.newTenant()
    const answer = await tenant.request('POST', '/products', TEA)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
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
    expect(Object.keys(answer.body.data)).toEqual([
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

  it('keeps every field', async () => {
    const tenant = await service.newTenant()
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

  it('needs only a name and a barcode, and takes null for any other field as not given', async () => {
    const tenant = await service.newTenant()
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

  it('trims name and barcode, and leaves the rest as it is', async () => {
    const tenant = await service.newTenant()
    const product = await create(tenant, { name: '  Salt\n', barcode: '\t 77 ', sku: ' S ', category: ' C ' })
    expect(product).toMatchObject({ name: 'Salt', barcode: '77', external_id: ' S ', category: ' C ' })
  })

  it.each([
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
  ])('refuses %s = %j and names the field', async (field, value) => {
    const tenant = await service.newTenant()
    const answer = await tenant.request('POST', '/products', { name: 'Salt', barcode: '1', [field]: value })
    expect(failure(answer)).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(field)
    expect(await eventsOf(service, tenant)).toEqual([])
  })

  it('refuses a number that is not finite', async () => {
    const tenant = await service.newTenant()
    const response = await fetch(`${service.url}/api/v1/products`, {
      method: 'POST',
      headers: { 'x-api-key': tenant.key, 'content-type': 'application/json' },
      body: '{"name":"Salt","barcode":"1","price":1e999}',
    })
    expect(response.status).toBe(400)
  })

  it.each([0, -0, 0.1, 0.1 + 0.2, 1e-7, 5e-324, 123456789012345.67, 1e21, Number.MAX_VALUE])(
    'gives back the price %d exactly',
    async (price) => {
      const tenant = await service.newTenant()
      expect((await create(tenant, { name: 'Salt', barcode: '1', price })).price).toBe(Math.abs(price))
    },
  )

  it('refuses a barcode that exists, even that of a deleted product', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, { name: 'Salt', barcode: '1' })
    expect(failure(await tenant.request('POST', '/products', { name: 'Pepper', barcode: ' 1 ' }))).toEqual([
      409,
      'already_exists',
    ])
    await tenant.request('DELETE', `/products/${id}`)
    expect(failure(await tenant.request('POST', '/products', { name: 'Pepper', barcode: '1' }))).toEqual([409, 'already_exists'])
    expect((await eventsOf(service, tenant)).map(({ event }) => event)).toEqual(['product/created', 'product/deleted'])
  })

  it('refuses an SKU that exists', async () => {
    const tenant = await service.newTenant()
    await create(tenant, { name: 'Salt', barcode: '1', sku: 'S' })
    const answer = await tenant.request('POST', '/products', { name: 'Pepper', barcode: '2', sku: 'S' })
    expect(failure(answer)).toEqual([409, 'already_exists'])
    expect(answer.body.error.message).toContain('sku')
  })

  it('knows barcodes and SKUs of other tenants nothing of', async () => {
    const [one, other] = [await service.newTenant(), await service.newTenant()]
    await create(one, TEA)
    expect((await other.request('POST', '/products', TEA)).status).toBe(200)
  })

  it('sends product/created', async () => {
    const tenant = await service.newTenant()
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

  it('creates once for one Idempotency-Key', async () => {
    const tenant = await service.newTenant()
    const options = { headers: { 'idempotency-key': 'k1' } }
    const first = await tenant.request('POST', '/products', TEA, options)
    const second = await tenant.request('POST', '/products', TEA, options)
    expect(second.body).toEqual(first.body)
    expect(await eventsOf(service, tenant)).toHaveLength(1)
  })
})

describe('GET /products/{id}', () => {
  it('lists stock by location, in the order of their ids', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    await putStock(tenant, id, { 'B-2': 0, 'A-10': 2.5, 'A-1': 999_999_999_999 })
    const { stock } = await get(tenant, id)
    expect(stock).toEqual([
      { location_id: 'A-1', location_code: 'code of A-1', quantity: 999_999_999_999 },
      { location_id: 'A-10', location_code: 'code of A-10', quantity: 2.5 },
      { location_id: 'B-2', location_code: 'code of B-2', quantity: 0 },
    ])
  })

  it('finds no product of another tenant', async () => {
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

  it.each(['abc', '1.5', '-1', '0', '1e3', '9007199254740993', '%00', 'bulk'])('answers invalid_id to the id %s', async (id) => {
    const tenant = await service.newTenant()
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(failure(await tenant.request(method, `/products/${id}`, method === 'PUT' ? {} : undefined))).toEqual([
        400,
        'invalid_id',
      ])
    }
  })

  it('answers not_found to an id that nobody has', async () => {
    const tenant = await service.newTenant()
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(
        failure(await tenant.request(method, '/products/9007199254740991', method === 'PUT' ? { name: 'x' } : undefined)),
      ).toEqual([404, 'not_found'])
    }
  })
})

describe('GET /products/sku/{sku}', () => {
  it('answers with the fields of the contract and the stock', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, { ...TEA, sku: 'TEA/1 ü%' })
    await putStock(tenant, id, { B: 1, A: 2 })
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

  it('does not find an unknown SKU, nor that of a deleted product', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    await tenant.request('DELETE', `/products/${id}`)
    for (const sku of ['TEA-1', 'tea-1', 'NONE', '%00', 'x'.repeat(300)]) {
      expect(failure(await tenant.request('GET', `/products/sku/${sku}`))).toEqual([404, 'not_found'])
    }
  })
})

describe('PUT /products/{id}', () => {
  it('changes the given fields alone and names them in product/updated', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    const before = await get(tenant, id)
    const answer = await tenant.request('PUT', `/products/${id}`, { name: ' Sencha ', price: 5.5, category: 'Tea' })
    expect(answer.body.data).toEqual({
      id,
      barcode: TEA.barcode,
      name: 'Sencha',
      category: 'Tea',
      price: 5.5,
      updated_at: expect.any(String),
    })
    expect(answer.body.data.updated_at > before.updated_at).toBe(true)
    expect(await get(tenant, id)).toEqual({ ...before, name: 'Sencha', price: 5.5, updated_at: answer.body.data.updated_at })
    expect((await eventsOf(service, tenant)).slice(1)).toMatchObject([
      {
        event: 'product/updated',
        data: {
          product_id: id,
          sku: 'TEA-1',
          barcode: TEA.barcode,
          name: 'Sencha',
          updated_fields: ['name', 'price'],
          updated_at: answer.body.data.updated_at,
        },
      },
    ])
  })

  it('takes every field that can be changed', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, { name: 'Salt', barcode: '1' })
    const { barcode: _, sku, ...fields } = TEA
    const change = { ...fields, weighable: true, sku }
    await tenant.request('PUT', `/products/${id}`, change)
    expect(await get(tenant, id)).toMatchObject({ ...fields, weighable: true, external_id: sku, barcode: '1' })
    const [, updated] = await eventsOf(service, tenant)
    expect(new Set(updated?.data.updated_fields as string[])).toEqual(new Set(Object.keys(change)))
  })

  it('empties fields by null', async () => {
    const tenant = await service.newTenant()
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

  it.each([
    { name: null },
    { name: '' },
    { weighable: null },
    { sales_unit: null },
    { is_active: 'true' },
    { is_active: null },
    { price: -1 },
    { photo_url: '' },
    { sku: '' },
  ])('refuses %j', async (change) => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    const answer = await tenant.request('PUT', `/products/${id}`, change)
    expect(failure(answer)).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(Object.keys(change)[0])
  })

  it.each([
    undefined,
    {},
    { barcode: 'other', id: 5, unknown: true },
    { name: 'Green tea', price: 4.95, sku: 'TEA-1', minimum_threshold: 10.5, is_active: true },
  ])('leaves no trace of %j, which changes nothing', async (change) => {
    const tenant = await service.newTenant()
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

  it('refuses the SKU of another product', async () => {
    const tenant = await service.newTenant()
    await create(tenant, TEA)
    const { id } = await create(tenant, { name: 'Salt', barcode: '1' })
    expect(failure(await tenant.request('PUT', `/products/${id}`, { sku: 'TEA-1', name: 'Tea too' }))).toEqual([
      409,
      'already_exists',
    ])
    expect((await get(tenant, id)).name).toBe('Salt')
  })

  it('brings a deleted product back', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    await tenant.request('DELETE', `/products/${id}`)
    expect((await tenant.request('PUT', `/products/${id}`, { is_active: true })).status).toBe(200)
    expect((await tenant.request('GET', '/products/sku/TEA-1')).status).toBe(200)
    expect((await eventsOf(service, tenant)).at(-1)).toMatchObject({
      event: 'product/updated',
      data: { updated_fields: ['is_active'] },
    })
  })

  it('sends product/deleted too when it makes a product inactive', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    await tenant.request('PUT', `/products/${id}`, { is_active: false })
    expect((await eventsOf(service, tenant)).map(({ event }) => event)).toEqual([
      'product/created',
      'product/updated',
      'product/deleted',
    ])
  })

  it('loses no change when many fields are changed at the same time', async () => {
    const tenant = await service.newTenant()
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
  it('makes the product inactive and sends product/deleted', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    const answer = await tenant.request('DELETE', `/products/${id}`)
    expect(answer.body.data).toEqual({ message: expect.any(String), product_id: id })
    const product = await get(tenant, id)
    expect(product.is_active).toBe(false)
    expect((await eventsOf(service, tenant)).slice(1)).toMatchObject([
      {
        event: 'product/deleted',
        data: { product_id: id, sku: 'TEA-1', barcode: TEA.barcode, name: TEA.name, deleted_at: product.updated_at },
      },
    ])
  })

  it('succeeds again and changes nothing, also in parallel', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.request('DELETE', `/products/${id}`)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { updated_at } = await get(tenant, id)
    await tenant.request('DELETE', `/products/${id}`)
    expect((await get(tenant, id)).updated_at).toBe(updated_at)
    expect(await eventsOf(service, tenant)).toHaveLength(2)
  })
})

describe('GET /products', () => {
  const names = ({ body }: Answer): string[] => body.data.products.map((product: { name: string }) => product.name)

  it('lists products newest first, with all their fields but stock', async () => {
    const tenant = await service.newTenant()
    const { id } = await create(tenant, TEA)
    await create(tenant, { name: 'Salt', barcode: '1' })
    const answer = await tenant.request('GET', '/products')
    expect(names(answer)).toEqual(['Salt', 'Green tea'])
    const { stock: _, ...product } = await get(tenant, id)
    expect(answer.body.data.products[1]).toEqual(product)
    expect(answer.body.data.pagination).toEqual({ total: 2, page: 1, limit: 50, total_pages: 1 })
  })

  it('pages without gaps or repetition, also among products of one moment', async () => {
    const tenant = await service.newTenant()
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

  it('is an empty page for a tenant without products and for a page far away', async () => {
    const tenant = await service.newTenant()
    for (const page of [1, Number.MAX_SAFE_INTEGER]) {
      const { body } = await tenant.request('GET', `/products?page=${page}`)
      expect(body.data).toEqual({ products: [], pagination: { total: 0, page, limit: 50, total_pages: 0 } })
    }
  })

  it('searches name, barcode and SKU for a substring, ignoring case', async () => {
    const tenant = await service.newTenant()
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

  it('filters by category, and shows deleted products only when asked', async () => {
    const tenant = await service.newTenant()
    await create(tenant, { name: 'Salt', barcode: '1', category: 'Spices' })
    await create(tenant, { name: 'Pepper', barcode: '2', category: 'spices' })
    const { id } = await create(tenant, { name: 'Old', barcode: '3', category: 'Spices' })
    await tenant.request('DELETE', `/products/${id}`)
    expect(names(await tenant.request('GET', '/products?category=Spices'))).toEqual(['Salt'])
    expect(names(await tenant.request('GET', '/products?is_active=true'))).toEqual(['Pepper', 'Salt'])
    const deleted = await tenant.request('GET', '/products?is_active=false')
    expect([names(deleted), deleted.body.data.pagination.total]).toEqual([['Old'], 1])
  })

  it('serves a limit above 100 as 100', async () => {
    const tenant = await service.newTenant()
    expect((await tenant.request('GET', '/products?limit=101')).body.data.pagination.limit).toBe(100)
  })

  it.each([
    'limit=0',
    'limit=x',
    'page=-1',
    'page=1.5',
    'is_active=maybe',
    'search=a&search=b',
    'search=%00',
    `category=${'c'.repeat(256)}`,
  ])('refuses ?%s', async (query) => {
    const tenant = await service.newTenant()
    expect(failure(await tenant.request('GET', `/products?${query}`))).toEqual([400, 'validation_error'])
  })
})

/** Writes levels of a product as they would be after stock calls. */
async function putStock(tenant: TestTenant, productId: number, levels: Record<string, number>): Promise<void> {
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService, type TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct, stockEvents } from '../support/stock.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const MAX = 999_999_999_999

async function tenantWithProduct(fields: object = {}) {
  const tenant = await service.newTenant()
  return { tenant, product: await newProduct(tenant, fields) }
}

async function movementsOf(tenant: TestTenant, query = '') {
  return (await tenant.request('GET', `/stock/movements${query}`)).body.data
}

async function locationsOf(tenant: TestTenant): Promise<string[]> {
  return (await tenant.request('GET', '/locations')).body.data.locations.map((location: { id: string }) => location.id)
}

/** What a refused call must leave behind. */
async function expectNothingWritten(tenant: TestTenant) {
  expect(await locationsOf(tenant)).toEqual([])
  expect((await movementsOf(tenant)).pagination.total).toBe(0)
  expect(await stockEvents(service.db, tenant)).toEqual([])
}

describe('PUT /stock/product/{productId}', () => {
  it('sets the quantity and tells what it was', async () => {
    const { tenant, product } = await tenantWithProduct()
    const first = await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A-1', quantity: 12.5 })
    expect(first.body.data).toEqual({
      product_id: product.id,
      location_id: 'A-1',
      previous_quantity: 0,
      new_quantity: 12.5,
      movement_id: expect.stringMatching(/^\d+$/),
    })
    const second = await tenant.request('PUT', `/stock/product/${product.id}`, {
      location_id: 'A-1',
      quantity: 0,
      reason: 'spoiled',
    })
    expect(second.body.data).toMatchObject({ previous_quantity: 12.5, new_quantity: 0 })
    const { movements } = await movementsOf(tenant)
    expect(movements).toEqual([
      {
        id: second.body.data.movement_id,
        product_id: product.id,
        product_name: product.name,
        location_id: 'A-1',
        movement_type: 'ADJUSTMENT',
        quantity: -12.5,
        previous_quantity: 12.5,
        new_quantity: 0,
        reason: 'spoiled',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
      expect.objectContaining({ id: first.body.data.movement_id, quantity: 12.5, reason: null }),
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it('records a confirmed count without saying that stock changed', async () => {
    const { tenant, product } = await tenantWithProduct()
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A-1', quantity: 7 })
    const before = (await stockEvents(service.db, tenant)).length
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A-1', quantity: 7 })
    expect((await movementsOf(tenant)).movements[0]).toMatchObject({
      movement_type: 'ADJUSTMENT',
      quantity: 0,
      previous_quantity: 7,
      new_quantity: 7,
    })
    const events = (await stockEvents(service.db, tenant)).slice(before)
    expect(events.map(({ event }) => event)).toEqual(['stock/movement_created'])
    expect(events[0]?.data).toMatchObject({ quantity: 0, to_location: 'A-1', from_location: null })
  })

  it('makes a location named for the first time, in the default warehouse', async () => {
    const { tenant, product } = await tenantWithProduct()
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'Regal ß/3', quantity: 1 })
    const { body } = await tenant.request('GET', '/locations')
    const warehouses = (await tenant.request('GET', '/warehouses')).body.data.warehouses
    expect(body.data.locations).toEqual([{ id: 'Regal ß/3', code: 'Regal ß/3', name: null, warehouse_id: warehouses[0].id }])
  })

  it.each([
    [{ quantity: 1 }, 'location_id: is required'],
    [{ location_id: null, quantity: 1 }, 'location_id'],
    [{ location_id: '', quantity: 1 }, 'location_id: must not be empty'],
    [{ location_id: 'x'.repeat(65), quantity: 1 }, 'location_id: must have at most 64 characters'],
    [{ location_id: 'A\u0000', quantity: 1 }, 'location_id'],
    [{ location_id: 'A' }, 'quantity: is required'],
    [{ location_id: 'A', quantity: null }, 'quantity'],
    [{ location_id: 'A', quantity: '5' }, 'quantity'],
    [{ location_id: 'A', quantity: -1 }, 'quantity'],
    [{ location_id: 'A', quantity: 0.0001 }, 'quantity: must have at most 3 decimal places'],
    [{ location_id: 'A', quantity: MAX + 1 }, 'quantity'],
    [{ location_id: 'A', quantity: 1, reason: 5 }, 'reason'],
    [{ location_id: 'A', quantity: 1, reason: 'x'.repeat(1001) }, 'reason'],
    [[], 'body'],
  ])('refuses %j', async (body, named) => {
    const { tenant, product } = await tenantWithProduct()
    const answer = await tenant.request('PUT', `/stock/product/${product.id}`, body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(named)
    await expectNothingWritten(tenant)
  })

  it('knows no product of another tenant and none that does not exist', async () => {
    const { product } = await tenantWithProduct()
    const tenant = await service.newTenant()
    for (const id of [product.id, 2 ** 53 - 1]) {
      const answer = await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 1 })
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    }
    for (const id of ['x', '1.5', '0', '-1', '9007199254740992', '1e3']) {
      const answer = await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 1 })
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_id'])
    }
    await expectNothingWritten(tenant)
  })

  it('needs the scope write:stock', async () => {
    const { tenant, product } = await tenantWithProduct()
    const key = await tenant.createKey({ scopes: ['read:stock'] })
    const answer = await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 1 }, { key })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_scope'])
  })

  it('keeps the extremes exactly', async () => {
    const { tenant, product } = await tenantWithProduct()
    for (const quantity of [MAX, 999_999_999_998.999, 0.001, 0]) {
      const { body } = await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity })
      expect(body.data.new_quantity).toBe(quantity)
    }
    await expectConsistentStock(service.db, tenant)
  })
})

describe('POST /stock/adjustment', () => {
  it('adds and removes', async () => {
    const { tenant, product } = await tenantWithProduct()
    const added = await tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      location_id: 'A',
      adjustment_quantity: 0.1,
    })
    expect(added.body.data).toEqual({
      type: 'addition',
      quantity_adjusted: 0.1,
      stock: { product_id: product.id, location_id: 'A', previous_quantity: 0, new_quantity: 0.1 },
    })
    await tenant.request('POST', '/stock/adjustment', { sku: product.sku, location_id: 'A', adjustment_quantity: 0.2 })
    const removed = await tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      sku: product.sku,
      location_id: 'A',
      adjustment_quantity: -0.3,
      reason: 'damaged',
    })
    expect(removed.body.data).toEqual({
      type: 'removal',
      quantity_adjusted: -0.3,
      stock: { product_id: product.id, location_id: 'A', previous_quantity: 0.3, new_quantity: 0 },
    })
    expect((await movementsOf(tenant)).movements).toMatchObject([
      { movement_type: 'OUT', quantity: 0.3, previous_quantity: 0.3, new_quantity: 0, reason: 'damaged' },
      { movement_type: 'IN', quantity: 0.2, previous_quantity: 0.1, new_quantity: 0.3 },
      { movement_type: 'IN', quantity: 0.1, previous_quantity: 0, new_quantity: 0.1 },
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it('refuses to remove from a level that does not exist, and writes nothing', async () => {
    const { tenant, product } = await tenantWithProduct()
    const answer = await tenant.request('POST', '/stock/adjustment', {
      product_id: product.id,
      location_id: 'A',
      adjustment_quantity: -1,
    })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'adjustment_error'])
    await expectNothingWritten(tenant)
  })

  it('refuses to remove more than there is, and removes all there is', async () => {
    const { tenant, product } = await tenantWithProduct()
    const adjust = (adjustment_quantity: number) =>
      tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity })
    await adjust(5)
    const refused = await adjust(-5.001)
    expect([refused.status, refused.body.error.code]).toEqual([400, 'adjustment_error'])
    expect(refused.body.error.message).toContain('5')
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
    expect((await adjust(-5)).body.data.stock.new_quantity).toBe(0)
    await expectConsistentStock(service.db, tenant)
  })

  it('refuses to pass the maximum, and writes nothing', async () => {
    const { tenant, product } = await tenantWithProduct()
    const adjust = (adjustment_quantity: number) =>
      tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity })
    await adjust(MAX)
    for (const quantity of [0.001, 1, MAX]) {
      const refused = await adjust(quantity)
      expect([refused.status, refused.body.error.code]).toEqual([400, 'adjustment_error'])
    }
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
    expect((await adjust(-MAX)).status).toBe(200)
  })

  it.each([
    [{ location_id: 'A', adjustment_quantity: 1 }, 'product_id'],
    [{ product_id: null, sku: null, location_id: 'A', adjustment_quantity: 1 }, 'product_id'],
    [{ product_id: '1', location_id: 'A', adjustment_quantity: 1 }, 'product_id'],
    [{ product_id: 1.5, location_id: 'A', adjustment_quantity: 1 }, 'product_id'],
    [{ sku: '', location_id: 'A', adjustment_quantity: 1 }, 'sku'],
    [{ product_id: 1, adjustment_quantity: 1 }, 'location_id: is required'],
    [{ product_id: 1, location_id: 'A' }, 'adjustment_quantity: is required'],
    [{ product_id: 1, location_id: 'A', adjustment_quantity: 0 }, 'adjustment_quantity: must not be zero'],
    [{ product_id: 1, location_id: 'A', adjustment_quantity: true }, 'adjustment_quantity'],
    [{ product_id: 1, location_id: 'A', adjustment_quantity: 1.0005 }, 'adjustment_quantity'],
    [{ product_id: 1, location_id: 'A', adjustment_quantity: -MAX - 1 }, 'adjustment_quantity'],
  ])('refuses %j', async (body, named) => {
    const tenant = await service.newTenant()
    const answer = await tenant.request('POST', '/stock/adjustment', body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(named)
  })

  it('knows no product of another tenant, by id or by SKU', async () => {
    const { product } = await tenantWithProduct()
    const tenant = await service.newTenant()
    for (const name of [{ product_id: product.id }, { sku: product.sku }, { product_id: product.id, sku: product.sku }]) {
      const answer = await tenant.request('POST', '/stock/adjustment', { ...name, location_id: 'A', adjustment_quantity: 1 })
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    }
    await expectNothingWritten(tenant)
  })

  it('refuses a product_id and a SKU of different products', async () => {
    const { tenant, product } = await tenantWithProduct()
    const other = await newProduct(tenant)
    for (const sku of [other.sku, 'no such SKU']) {
      const answer = await tenant.request('POST', '/stock/adjustment', {
        product_id: product.id,
        sku,
        location_id: 'A',
        adjustment_quantity: 1,
      })
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
      expect(answer.body.error.details).toEqual([{ path: 'sku', error: expect.any(String) }])
    }
    await expectNothingWritten(tenant)
  })

  it('refuses a product_id and a SKU of which only one is known, and knows no product when neither is', async () => {
    const { tenant, product } = await tenantWithProduct()
    const adjust = (name: object) =>
      tenant.request('POST', '/stock/adjustment', { ...name, location_id: 'A', adjustment_quantity: 1 })
    expect((await adjust({ product_id: product.id, sku: 'no such SKU' })).body.error.code).toBe('validation_error')
    expect((await adjust({ product_id: 999_999, sku: product.sku })).body.error.code).toBe('validation_error')
    expect((await adjust({ product_id: 999_999, sku: 'no such SKU' })).body.error.code).toBe('not_found')
    const update = { product_id: 999_999, sku: product.sku, location_id: 'A', quantity: 1 }
    const { body } = await tenant.request('POST', '/stock/bulk', { updates: [update] })
    expect(body.data.errors).toEqual([{ product_id: 999_999, index: 0, error: 'sku: names another product than product_id' }])
    await expectNothingWritten(tenant)
  })

  it('names all that is missing at once', async () => {
    const tenant = await service.newTenant()
    const missing = async (path: string, body: object) =>
      (await tenant.request('POST', path, body)).body.error.details.map(({ path: field }: { path: string }) => field)
    expect(await missing('/stock/adjustment', {})).toEqual(['location_id', 'adjustment_quantity', 'product_id'])
    expect(await missing('/stock/transfer', {})).toEqual(['from_location_id', 'to_location_id', 'quantity', 'product_id'])
    expect(await missing('/stock/adjustment', { sku: 5 })).toEqual(['sku', 'location_id', 'adjustment_quantity'])
    const { body } = await tenant.request('POST', '/stock/bulk', { updates: [{}, null] })
    expect(body.data.errors[0].error).toContain('product_id: is required unless sku is given')
    expect(body.data.errors[1].error).not.toContain('product_id')
  })

  it('finds a deleted product by id only', async () => {
    const { tenant, product } = await tenantWithProduct()
    await tenant.request('DELETE', `/products/${product.id}`)
    const adjust = (name: object) =>
      tenant.request('POST', '/stock/adjustment', { ...name, location_id: 'A', adjustment_quantity: 1 })
    expect((await adjust({ sku: product.sku })).status).toBe(404)
    expect((await adjust({ product_id: product.id })).status).toBe(200)
  })

  it('is done once for an Idempotency-Key', async () => {
    const { tenant, product } = await tenantWithProduct()
    const headers = { 'idempotency-key': 'receipt 1' }
    const body = { product_id: product.id, location_id: 'A', adjustment_quantity: 4 }
    const first = await tenant.request('POST', '/stock/adjustment', body, { headers })
    const second = await tenant.request('POST', '/stock/adjustment', body, { headers })
    expect(second.body).toEqual(first.body)
    expect((await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data.total_quantity).toBe(4)
  })
})

describe('POST /stock/transfer', () => {
  it('moves stock and records both sides', async () => {
    const { tenant, product } = await tenantWithProduct()
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

  it('moves all or nothing', async () => {
    const { tenant, product } = await tenantWithProduct()
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 3 })
    const before = await stockEvents(service.db, tenant)
    for (const from_location_id of ['A', 'nowhere']) {
      const answer = await tenant.request('POST', '/stock/transfer', {
        product_id: product.id,
        from_location_id,
        to_location_id: 'B',
        quantity: 3.5,
      })
      expect([answer.status, answer.body.error.code]).toEqual([400, 'adjustment_error'])
    }
    expect(await locationsOf(tenant)).toEqual(['A'])
    expect((await movementsOf(tenant)).pagination.total).toBe(1)
    expect(await stockEvents(service.db, tenant)).toEqual(before)
  })

  it('refuses to fill the destination beyond the maximum', async () => {
    const { tenant, product } = await tenantWithProduct()
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 1 })
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'B', quantity: MAX })
    const answer = await tenant.request('POST', '/stock/transfer', {
      product_id: product.id,
      from_location_id: 'A',
      to_location_id: 'B',
      quantity: 1,
    })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'adjustment_error'])
    await expectConsistentStock(service.db, tenant)
  })

  it.each([
    [{ from_location_id: 'A', to_location_id: 'A', quantity: 1 }, 'to_location_id'],
    [{ from_location_id: 'A', to_location_id: 'B', quantity: 0 }, 'quantity'],
    [{ from_location_id: 'A', to_location_id: 'B', quantity: -1 }, 'quantity'],
    [{ from_location_id: 'A', to_location_id: 'B' }, 'quantity: is required'],
    [{ from_location_id: 'A', quantity: 1 }, 'to_location_id: is required'],
    [{ to_location_id: 'A', quantity: 1 }, 'from_location_id: is required'],
  ])('refuses %j', async (body, named) => {
    const { tenant, product } = await tenantWithProduct()
    const answer = await tenant.request('POST', '/stock/transfer', { product_id: product.id, ...body })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(named)
    await expectNothingWritten(tenant)
  })
})

describe('POST /stock/bulk', () => {
  it('applies what it can and reports the rest, in order', async () => {
    const { tenant, product } = await tenantWithProduct()
    const other = await newProduct(tenant)
    const stranger = (await tenantWithProduct()).product
    const { status, body } = await tenant.request('POST', '/stock/bulk', {
      updates: [
        { product_id: product.id, location_id: 'A', quantity: 5 },
        'not an object',
        { sku: other.sku, location_id: 'A', quantity: 2.5 },
        { sku: 'no such SKU', location_id: 'A', quantity: 1 },
        { product_id: stranger.id, location_id: 'B', quantity: 1 },
        { product_id: product.id, sku: other.sku, location_id: 'C', quantity: 1 },
        { product_id: product.id, location_id: 'D', quantity: -1 },
        { product_id: product.id, quantity: 1 },
        { location_id: 'E', quantity: 1 },
        null,
      ],
    })
    expect(status).toBe(200)
    expect(body.data.success).toBe(2)
    expect(body.data.errors).toEqual([
      { product_id: 0, error: expect.stringContaining('object'), index: 1 },
      { product_id: 0, error: 'Product not found', index: 3 },
      { product_id: stranger.id, error: 'Product not found', index: 4 },
      { product_id: product.id, error: expect.stringContaining('sku'), index: 5 },
      { product_id: product.id, error: expect.stringContaining('quantity'), index: 6 },
      { product_id: product.id, error: expect.stringContaining('location_id: is required'), index: 7 },
      { product_id: 0, error: expect.stringContaining('product_id'), index: 8 },
      { product_id: 0, error: expect.stringContaining('object'), index: 9 },
    ])
    expect(await locationsOf(tenant)).toEqual(['A'])
    expect((await movementsOf(tenant)).movements).toMatchObject([
      { product_id: other.id, movement_type: 'ADJUSTMENT', quantity: 2.5 },
      { product_id: product.id, movement_type: 'ADJUSTMENT', quantity: 5 },
    ])
    await expectConsistentStock(service.db, tenant)
  })

  it('applies several updates of one level one after the other', async () => {
    const { tenant, product } = await tenantWithProduct()
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 10 })
    const before = (await stockEvents(service.db, tenant)).length
    const { body } = await tenant.request('POST', '/stock/bulk', {
      updates: [
        { sku: product.sku, location_id: 'A', quantity: 4 },
        { product_id: product.id, location_id: 'A', quantity: 9 },
        { sku: product.sku, location_id: 'A', quantity: 9 },
        { product_id: product.id, location_id: 'A', quantity: 2 },
      ],
    })
    expect(body.data).toEqual({ success: 4, errors: [] })
    const { movements } = await movementsOf(tenant, '?limit=4')
    expect(
      movements.map((movement: { previous_quantity: number; quantity: number; new_quantity: number }) => [
        movement.previous_quantity,
        movement.quantity,
        movement.new_quantity,
      ]),
    ).toEqual([
      [9, -7, 2],
      [9, 0, 9],
      [4, 5, 9],
      [10, -6, 4],
    ])
    const events = (await stockEvents(service.db, tenant)).slice(before)
    expect(events.map(({ event }) => event)).toEqual([...Array<string>(4).fill('stock/movement_created'), 'stock/updated'])
    expect(events.at(-1)?.data).toMatchObject({
      quantity: 2,
      previous_quantity: 10,
      change: -8,
      reason: 'inventory_count',
      reference_id: movements[0].id,
    })
    await expectConsistentStock(service.db, tenant)
  })

  it('takes 1,000 updates and refuses 1,001', async () => {
    const { tenant, product } = await tenantWithProduct()
    const updates = Array.from({ length: 1_001 }, (_, index) => ({
      product_id: product.id,
      location_id: `L${index % 30}`,
      quantity: index,
    }))
    const refused = await tenant.request('POST', '/stock/bulk', { updates })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
    await expectNothingWritten(tenant)
    const { body } = await tenant.request('POST', '/stock/bulk', { updates: updates.slice(0, 1_000) })
    expect(body.data).toEqual({ success: 1_000, errors: [] })
    expect((await movementsOf(tenant)).pagination.total).toBe(1_000)
    await expectConsistentStock(service.db, tenant)
  })

  it('does nothing for no updates, and refuses a body without them', async () => {
    const tenant = await service.newTenant()
    expect((await tenant.request('POST', '/stock/bulk', { updates: [] })).body.data).toEqual({ success: 0, errors: [] })
    for (const body of [{}, { updates: null }, { updates: {} }, []]) {
      const answer = await tenant.request('POST', '/stock/bulk', body)
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    }
  })
})

describe('GET /stock/sku/{sku}', () => {
  it('adds up the locations and lists those of zero', async () => {
    const { tenant, product } = await tenantWithProduct({ sku: 'TEA/100 %' })
    for (const [location_id, quantity] of [
      ['B', 1.25],
      ['A', 2.5],
      ['C', 0],
    ] as const) {
      await tenant.request('PUT', `/stock/product/${product.id}`, { location_id, quantity })
    }
    const { body } = await tenant.request('GET', `/stock/sku/${encodeURIComponent(product.sku)}`)
    expect(body.data).toEqual({
      product_id: product.id,
      sku: 'TEA/100 %',
      product_name: product.name,
      total_quantity: 3.75,
      locations: [
        { location_id: 'A', quantity: 2.5 },
        { location_id: 'B', quantity: 1.25 },
        { location_id: 'C', quantity: 0 },
      ],
    })
  })

  it('answers for a product that never had stock', async () => {
    const { tenant, product } = await tenantWithProduct()
    expect((await tenant.request('GET', `/stock/sku/${product.sku}`)).body.data).toMatchObject({
      total_quantity: 0,
      locations: [],
    })
  })

  it('knows neither an unknown SKU, nor that of a deleted product or of another tenant', async () => {
    const { tenant, product } = await tenantWithProduct()
    const stranger = (await tenantWithProduct()).product
    await tenant.request('DELETE', `/products/${product.id}`)
    for (const sku of ['unknown', product.sku, stranger.sku, 'x'.repeat(256)]) {
      const answer = await tenant.request('GET', `/stock/sku/${sku}`)
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    }
  })
})

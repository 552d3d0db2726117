import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { expectConsistentCounts, newOrder, orderEvents, orderFor } from '../../support/orders.ts'
import { newProduct } from '../../support/stock.ts'
import { submit, get } from './calls.ts'

describe('creating orders', () => {
  it.for([
    ['one order', (order: unknown) => order],
    ['an array of orders', (order: unknown) => [order]],
    ['an object that holds orders', (order: unknown) => ({ orders: [order] })],
  ] as const)('takes %s', async ([, bodyOf], { tenant }) => {
    const order = await orderFor(tenant)
    const response = await submit(tenant, bodyOf(order))
    expect(response.body.data).toEqual({
      created_count: 1,
      existing_count: 0,
      orders: [{ id: expect.any(Number), order_tenant_id: order.order_tenant_id, state_id: 1 }],
    })
  })

  it('returns the created orders in the order of submission, with ascending ids', async ({ tenant }) => {
    const orders = await Promise.all(['c', 'a', 'b'].map((order_tenant_id) => orderFor(tenant, { order_tenant_id })))
    const { created_count, orders: created } = (await submit(tenant, orders)).body.data
    expect(created_count).toBe(3)
    expect(created.map((order: { order_tenant_id: string }) => order.order_tenant_id)).toEqual(['c', 'a', 'b'])
    expect(created.map((order: { id: number }) => order.id)).toEqual([0, 1, 2].map((more) => created[0].id + more))
  })

  it('skips and counts existing orders, and creates the first of two with the same identifier', async ({ service, tenant }) => {
    const order = await orderFor(tenant)
    await submit(tenant, order)
    const fresh = await orderFor(tenant)
    const { body } = await submit(tenant, [
      order,
      { ...fresh, customer_name: 'first' },
      { ...fresh, customer_name: 'second' },
      order,
    ])
    expect(body.data).toMatchObject({
      created_count: 1,
      existing_count: 3,
      orders: [{ order_tenant_id: fresh.order_tenant_id }],
    })
    expect(await get(tenant, body.data.orders[0].id)).toMatchObject({ customer_name: 'first' })
    await expectConsistentCounts(service.db, tenant)
  })

  it('accepts a repeated submission even if its product was deleted since', async ({ tenant }) => {
    const product = await newProduct(tenant)
    const order = await orderFor(tenant, { order_detail: [{ barcode: product.barcode, quantity: 1 }] })
    await submit(tenant, order)
    await tenant.request('DELETE', `/products/${product.id}`)
    expect((await submit(tenant, [order])).body.data).toEqual({ created_count: 0, existing_count: 1, orders: [] })
  })

  it.for([[[]], [{ orders: [] }]] as const)('succeeds with nothing for %j', async ([body], { tenant }) => {
    expect((await submit(tenant, body)).body.data).toEqual({ created_count: 0, existing_count: 0, orders: [] })
  })

  it('stores the lines as submitted, with the product’s name and price at that time', async ({ tenant }) => {
    const priced = await newProduct(tenant, { price: 9.99 })
    const unpriced = await newProduct(tenant)
    const { id } = await newOrder(tenant, {
      customer_name: 'Ada',
      shipping_address: null,
      order_detail: [
        { barcode: ` ${priced.barcode}\t`, quantity: 3 },
        { barcode: unpriced.barcode, quantity: 1 },
        { barcode: priced.barcode, quantity: 2, price: 0.1 },
      ],
    })
    await tenant.request('PUT', `/products/${priced.id}`, { name: 'renamed', price: 100 })
    const line = { id: expect.any(Number), picked_quantity: 0 }
    expect(await get(tenant, id)).toEqual({
      id,
      order_tenant_id: expect.any(String),
      state_id: 1,
      state_name: 'Pending',
      state_picking_id: null,
      assembly_date: '2026-11-30',
      customer_name: 'Ada',
      shipping_address: null,
      items_count: 3,
      order_detail: [
        { ...line, product_id: priced.id, barcode: priced.barcode, product_name: priced.name, quantity: 3, price: 9.99 },
        { ...line, product_id: unpriced.id, barcode: unpriced.barcode, product_name: unpriced.name, quantity: 1, price: null },
        { ...line, product_id: priced.id, barcode: priced.barcode, product_name: priced.name, quantity: 2, price: 0.1 },
      ],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
      warehouse_id: expect.any(Number),
    })
  })

  it('uses the given warehouse', async ({ service, tenant }) => {
    const warehouse = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    const { id } = await newOrder(tenant, { warehouse_id: warehouse.id })
    expect((await get(tenant, id)).warehouse_id).toBe(warehouse.id)
    const [event] = await orderEvents(service, tenant, { created: true })
    expect(event?.data).toMatchObject({ warehouse_id: warehouse.id, warehouse_name: 'North' })
  })

  it('sends order/created for each created order, in the order of submission', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    const order_detail = [
      { barcode: product.barcode, quantity: 3 },
      { barcode: product.barcode, quantity: 4 },
    ]
    const orders = await Promise.all(['z', 'y'].map((order_tenant_id) => orderFor(tenant, { order_tenant_id, order_detail })))
    const created = (await submit(tenant, orders)).body.data.orders
    await submit(tenant, orders)
    const events = await orderEvents(service, tenant, { created: true })
    expect(events.map(({ event, data }) => [event, data.order_tenant_id])).toEqual([
      ['order/created', 'z'],
      ['order/created', 'y'],
    ])
    const { created_at, warehouse_id } = await get(tenant, created[0].id)
    expect(events[0]?.data).toEqual({
      order_id: created[0].id,
      order_tenant_id: 'z',
      state_id: 1,
      state_name: 'Pending',
      warehouse_id,
      warehouse_name: 'Main',
      items_count: 2,
      total_quantity: 7,
      source: 'api',
      source_integration: null,
      created_at,
    })
  })

  it('creates a thousand orders in one request, and a thousand lines in one order', async ({ service, tenant }) => {
    const { barcode } = await newProduct(tenant)
    const order_detail = [{ barcode, quantity: 1 }]
    const many = Array.from({ length: 1_000 }, (_, index) => ({
      order_tenant_id: `many ${index}`,
      assembly_date: '2026-01-01',
      order_detail,
    }))
    expect((await submit(tenant, many)).body.data).toMatchObject({ created_count: 1_000 })
    const { id } = await newOrder(tenant, {
      order_detail: Array.from({ length: 1_000 }, (_, index) => ({ barcode, quantity: index + 1 })),
    })
    const order = await get(tenant, id)
    expect(order.order_detail.map((line: { quantity: number }) => line.quantity)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index + 1),
    )
    await expectConsistentCounts(service.db, tenant)
  })
})

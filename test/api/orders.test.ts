import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectConsistentCounts, failure, newOrder, orderEvents, orderFor } from '../support/orders.ts'
import { send, startService, type TestService, type TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { atMost } from '../support/patience.ts'

let service: TestService
let tenant: TestTenant
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** Every test has a tenant of its own. */
const inTenant = (test: () => Promise<void>) => async () => {
  tenant = await service.newTenant()
  await test()
}

const submit = (body: unknown) => tenant.request('POST', '/orders', body)
const get = async (id: number) => (await tenant.request('GET', `/orders/${id}`)).body.data
const put = (id: number, body: unknown) => tenant.request('PUT', `/orders/${id}`, body)
const cancel = (id: number | string, body?: unknown) => tenant.request('POST', `/orders/${encodeURIComponent(id)}/cancel`, body)
const lastEvent = async () => (await orderEvents(service, tenant)).at(-1)

describe('creating orders', () => {
  it.each([
    ['one order', (order: unknown) => order],
    ['an array of orders', (order: unknown) => [order]],
    ['an object that holds orders', (order: unknown) => ({ orders: [order] })],
  ])('takes %s', (_, bodyOf) =>
    inTenant(async () => {
      const order = await orderFor(tenant)
      const answer = await submit(bodyOf(order))
      expect(answer.body.data).toEqual({
        created_count: 1,
        existing_count: 0,
        orders: [{ id: expect.any(Number), order_tenant_id: order.order_tenant_id, state_id: 1 }],
      })
    })(),
  )

  it(
    'answers with the created orders in the order of submission, and gives ids in that order',
    inTenant(async () => {
      const orders = await Promise.all(['c', 'a', 'b'].map((order_tenant_id) => orderFor(tenant, { order_tenant_id })))
      const { created_count, orders: created } = (await submit(orders)).body.data
      expect(created_count).toBe(3)
      expect(created.map((order: { order_tenant_id: string }) => order.order_tenant_id)).toEqual(['c', 'a', 'b'])
      expect(created.map((order: { id: number }) => order.id)).toEqual([0, 1, 2].map((more) => created[0].id + more))
    }),
  )

  it(
    'skips and counts those that exist, and of one submitted twice creates the first',
    inTenant(async () => {
      const order = await orderFor(tenant)
      await submit(order)
      const fresh = await orderFor(tenant)
      const { body } = await submit([order, { ...fresh, customer_name: 'first' }, { ...fresh, customer_name: 'second' }, order])
      expect(body.data).toMatchObject({
        created_count: 1,
        existing_count: 3,
        orders: [{ order_tenant_id: fresh.order_tenant_id }],
      })
      expect(await get(body.data.orders[0].id)).toMatchObject({ customer_name: 'first' })
      await expectConsistentCounts(service.db, tenant)
    }),
  )

  it(
    'succeeds again with an old submission whose product is gone, as it is not created again',
    inTenant(async () => {
      const product = await newProduct(tenant)
      const order = await orderFor(tenant, { order_detail: [{ barcode: product.barcode, quantity: 1 }] })
      await submit(order)
      await tenant.request('DELETE', `/products/${product.id}`)
      expect((await submit([order])).body.data).toEqual({ created_count: 0, existing_count: 1, orders: [] })
    }),
  )

  it.each([[[]], [{ orders: [] }]])('succeeds with nothing for %j', (body) =>
    inTenant(async () => {
      expect((await submit(body)).body.data).toEqual({ created_count: 0, existing_count: 0, orders: [] })
    })(),
  )

  it(
    'keeps the lines as they were submitted, with the name and price of the product at that time',
    inTenant(async () => {
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
      expect(await get(id)).toEqual({
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
    }),
  )

  it(
    'takes the warehouse that is given',
    inTenant(async () => {
      const warehouse = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
      const { id } = await newOrder(tenant, { warehouse_id: warehouse.id })
      expect((await get(id)).warehouse_id).toBe(warehouse.id)
      const [event] = await orderEvents(service, tenant, { created: true })
      expect(event?.data).toMatchObject({ warehouse_id: warehouse.id, warehouse_name: 'North' })
    }),
  )

  it(
    'sends order/created for each created order, in the order of submission',
    inTenant(async () => {
      const product = await newProduct(tenant)
      const order_detail = [
        { barcode: product.barcode, quantity: 3 },
        { barcode: product.barcode, quantity: 4 },
      ]
      const orders = await Promise.all(['z', 'y'].map((order_tenant_id) => orderFor(tenant, { order_tenant_id, order_detail })))
      const created = (await submit(orders)).body.data.orders
      await submit(orders)
      const events = await orderEvents(service, tenant, { created: true })
      expect(events.map(({ event, data }) => [event, data.order_tenant_id])).toEqual([
        ['order/created', 'z'],
        ['order/created', 'y'],
      ])
      const { created_at, warehouse_id } = await get(created[0].id)
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
    }),
  )

  it(
    'creates a thousand orders in one request, and a thousand lines in one order',
    inTenant(async () => {
      const { barcode } = await newProduct(tenant)
      const order_detail = [{ barcode, quantity: 1 }]
      const many = Array.from({ length: 1_000 }, (_, index) => ({
        order_tenant_id: `many ${index}`,
        assembly_date: '2026-01-01',
        order_detail,
      }))
      expect((await submit(many)).body.data).toMatchObject({ created_count: 1_000 })
      const { id } = await newOrder(tenant, {
        order_detail: Array.from({ length: 1_000 }, (_, index) => ({ barcode, quantity: index + 1 })),
      })
      const order = await get(id)
      expect(order.order_detail.map((line: { quantity: number }) => line.quantity)).toEqual(
        Array.from({ length: 1_000 }, (_, index) => index + 1),
      )
      await expectConsistentCounts(service.db, tenant)
    }),
  )
})

describe('refusing orders', () => {
  it.each([
    ['order_tenant_id', undefined],
    ['order_tenant_id', ''],
    ['order_tenant_id', 7],
    ['order_tenant_id', 'x'.repeat(256)],
    ['order_tenant_id', 'a\u0000b'],
    ['assembly_date', undefined],
    ['assembly_date', null],
    ['assembly_date', '2026-02-30'],
    ['assembly_date', '2026-2-3'],
    ['assembly_date', '2026-02-03T00:00:00Z'],
    ['customer_name', 5],
    ['customer_name', 'x'.repeat(256)],
    ['shipping_address', 'x'.repeat(4_001)],
    ['warehouse_id', 999_999_999],
    ['warehouse_id', '1'],
    ['order_detail', undefined],
    ['order_detail', []],
    ['order_detail', {}],
    ['order_detail', [null]],
  ])('refuses %s %j and says where', (field, value) =>
    inTenant(async () => {
      const answer = await submit([await orderFor(tenant), { ...(await orderFor(tenant)), [field]: value }])
      expect(failure(answer)).toEqual([400, 'validation_error'])
      expect(answer.body.error.details).toEqual([{ index: 1, error: expect.any(String) }])
      expect((await tenant.request('GET', '/orders')).body.data.pagination.total).toBe(0)
    })(),
  )

  it(
    'names the field of a warehouse that does not exist',
    inTenant(async () => {
      const answer = await submit(await orderFor(tenant, { warehouse_id: 999_999_999 }))
      expect(answer.body.error.details).toEqual([{ index: 0, error: 'warehouse_id: no warehouse has the id 999999999' }])
      expect(answer.body.error.message).toContain('warehouse_id')
    }),
  )

  it.each([
    ['barcode', undefined],
    ['barcode', ' '],
    ['barcode', 4006381333931],
    ['quantity', undefined],
    ['quantity', 0],
    ['quantity', -1],
    ['quantity', 1.5],
    ['quantity', '2'],
    ['quantity', 1_000_001],
    ['price', -0.01],
    ['price', '1'],
  ])('refuses a line with %s %j and names the line', (field, value) =>
    inTenant(async () => {
      const line = { barcode: (await newProduct(tenant)).barcode, quantity: 1 }
      const answer = await submit(await orderFor(tenant, { order_detail: [line, { ...line, [field]: value }] }))
      expect(failure(answer)).toEqual([400, 'validation_error'])
      expect(answer.body.error.details).toEqual([{ index: 0, error: expect.stringContaining(`order_detail[1].${field}: `) }])
    })(),
  )

  it(
    'lists every invalid order once, and names at most ten of them in the message',
    inTenant(async () => {
      const valid = await orderFor(tenant)
      const answer = await submit([valid, ...Array.from({ length: 30 }, () => ({})), valid])
      expect(answer.body.error.details.map(({ index }: { index: number }) => index)).toEqual(
        Array.from({ length: 30 }, (_, index) => index + 1),
      )
      expect(answer.body.error.details[0].error).toBe(
        'order_tenant_id: is required; assembly_date: is required; order_detail: is required',
      )
      expect(answer.body.error.message).toMatch(/^orders\[1\]: .*; and 20 more$/)
    }),
  )

  it.each([null, 5, 'order', true])('refuses the body %j', (body) =>
    inTenant(async () => {
      const answer = await submit(body)
      expect(failure(answer)).toEqual([400, 'validation_error'])
      expect(answer.body.error.details).toEqual([{ index: 0, error: expect.any(String) }])
    })(),
  )

  it(
    'refuses a request without a body, and orders that are no array',
    inTenant(async () => {
      expect(failure(await submit(undefined))).toEqual([400, 'validation_error'])
      expect(failure(await submit({ orders: {} }))).toEqual([400, 'validation_error'])
    }),
  )

  it(
    'refuses the order that is one too many, at its position, and the line',
    inTenant(async () => {
      const order = await orderFor(tenant)
      const tooMany = await submit(Array.from({ length: 1_001 }, () => order))
      expect(tooMany.body.error.details).toEqual([{ index: 1_000, error: 'must have at most 1000 items' }])
      const tooLong = await submit([
        order,
        { ...order, order_detail: Array.from({ length: 1_001 }, () => ({ barcode: 'x', quantity: 1 })) },
      ])
      expect(tooLong.body.error.details).toEqual([{ index: 1, error: 'order_detail: must have at most 1000 items' }])
    }),
  )

  it(
    'answers quickly for a body full of nothing but mistakes',
    inTenant(async () => {
      const empty = Array.from({ length: 1_000_000 }, () => ({}))
      for (const body of [
        empty,
        { orders: [{ order_detail: empty }] },
        Array.from({ length: 1_000 }, () => ({ order_detail: empty.slice(0, 1_000) })),
      ]) {
        const start = performance.now()
        const answer = await submit(body)
        expect(failure(answer)).toEqual([400, 'validation_error'])
        expect(JSON.stringify(answer.body).length).toBeLessThan(1_000_000)
        expect(performance.now() - start).toBeLessThan(atMost(2_500))
      }
    }),
  )

  it(
    'creates none of the orders when a barcode is no active product, and names order and barcode',
    inTenant(async () => {
      const inactive = await newProduct(tenant)
      await tenant.request('DELETE', `/products/${inactive.id}`)
      const line = (barcode: string) => ({ barcode, quantity: 1 })
      const { barcode } = await newProduct(tenant)
      const orders = await Promise.all([
        orderFor(tenant),
        orderFor(tenant, { order_tenant_id: 'A', order_detail: [line(barcode), line('nothing'), line(inactive.barcode)] }),
        orderFor(tenant),
        orderFor(tenant, { order_tenant_id: 'B', order_detail: [line('no "such"')] }),
      ])
      const answer = await submit(orders)
      expect(failure(answer)).toEqual([400, 'creation_error'])
      expect(answer.body.error.details).toEqual([
        { index: 1, error: `no active product has the barcode "nothing", "${inactive.barcode}"` },
        { index: 3, error: 'no active product has the barcode "no "such""' },
      ])
      expect(answer.body.error.message).toMatch(/^Order "A": .*"nothing".*; Order "B": .*"no "such""$/)
      expect((await tenant.request('GET', '/orders')).body.data.pagination.total).toBe(0)
      expect(await orderEvents(service, tenant, { created: true })).toEqual([])
      await expectConsistentCounts(service.db, tenant)
    }),
  )

  it(
    "knows no other tenant's products and warehouses",
    inTenant(async () => {
      const order = await orderFor(tenant)
      const warehouse = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
      const other = await service.newTenant()
      expect(failure(await other.request('POST', '/orders', order))).toEqual([400, 'creation_error'])
      const { barcode } = await newProduct(other)
      const answer = await other.request('POST', '/orders', {
        ...order,
        warehouse_id: warehouse.id,
        order_detail: [{ barcode, quantity: 1 }],
      })
      expect(failure(answer)).toEqual([400, 'validation_error'])
    }),
  )
})

describe('getting an order', () => {
  it(
    'is not found when there is none, or when it is of another tenant',
    inTenant(async () => {
      const { id } = await newOrder(tenant)
      const other = await service.newTenant()
      expect(failure(await other.request('GET', `/orders/${id}`))).toEqual([404, 'not_found'])
      expect(failure(await tenant.request('GET', '/orders/9007199254740991'))).toEqual([404, 'not_found'])
    }),
  )

  it.each(['abc', '0', '-1', '1.5', '9007199254740992', '1e3', '%00'])('refuses the id %s', (id) =>
    inTenant(async () => {
      expect(failure(await tenant.request('GET', `/orders/${id}`))).toEqual([400, 'invalid_id'])
      expect(failure(await tenant.request('PUT', `/orders/${id}`, {}))).toEqual([400, 'invalid_id'])
    })(),
  )
})

describe('updating an order', () => {
  it(
    'changes what is given, and tells of what changed',
    inTenant(async () => {
      const { id, order_tenant_id } = await newOrder(tenant, { customer_name: 'Ada', shipping_address: 'London' })
      const before = await get(id)
      const answer = await put(id, {
        state_id: 2,
        customer_name: 'Grace',
        shipping_address: 'London',
        assembly_date: '2027-01-02',
      })
      expect(answer.body.data).toEqual({
        id,
        order_tenant_id,
        state_id: 2,
        assembly_date: '2027-01-02',
        customer_name: 'Grace',
        shipping_address: 'London',
        updated_at: expect.any(String),
      })
      expect(answer.body.data.updated_at > before.updated_at).toBe(true)
      expect(await get(id)).toEqual({ ...before, ...answer.body.data, state_name: 'In Progress' })
      expect(await orderEvents(service, tenant)).toEqual([
        {
          event: 'order/updated',
          data: {
            order_id: id,
            order_tenant_id,
            state_id: 2,
            state_name: 'In Progress',
            previous_state_id: 1,
            previous_state_name: 'Pending',
            warehouse_id: before.warehouse_id,
            updated_fields: ['assembly_date', 'customer_name', 'state_id'],
            updated_at: answer.body.data.updated_at,
          },
        },
      ])
      await expectConsistentCounts(service.db, tenant)
    }),
  )

  it(
    'clears customer_name and shipping_address with null, and nothing else',
    inTenant(async () => {
      const { id } = await newOrder(tenant, { customer_name: 'Ada', shipping_address: 'London' })
      expect((await put(id, { customer_name: null, shipping_address: null })).body.data).toMatchObject({
        customer_name: null,
        shipping_address: null,
      })
      expect((await lastEvent())?.data.updated_fields).toEqual(['customer_name', 'shipping_address'])
      expect(failure(await put(id, { assembly_date: null }))).toEqual([400, 'validation_error'])
      expect(failure(await put(id, { state_id: null }))).toEqual([400, 'validation_error'])
    }),
  )

  it.each([{}, { customer_name: 'Ada' }, { state_id: 1, assembly_date: '2026-11-30' }, { unknown: 1 }, undefined])(
    'changes nothing and sends nothing for %j',
    (body) =>
      inTenant(async () => {
        const { id } = await newOrder(tenant, { customer_name: 'Ada' })
        const { updated_at } = await get(id)
        expect((await put(id, body)).body.data.updated_at).toBe(updated_at)
        expect(await orderEvents(service, tenant)).toEqual([])
      })(),
  )

  it.each([
    { state_id: 4 },
    { state_id: 0 },
    { state_id: '2' },
    { state_id: 2.5 },
    { assembly_date: '2026-13-01' },
    { customer_name: 'x'.repeat(256) },
    { shipping_address: 5 },
  ])('refuses %j', (body) =>
    inTenant(async () => {
      const { id } = await newOrder(tenant)
      expect(failure(await put(id, body))).toEqual([400, 'validation_error'])
    })(),
  )

  it(
    'completes an order without picking',
    inTenant(async () => {
      const { id, order_tenant_id } = await newOrder(tenant)
      const { created_at, warehouse_id } = await get(id)
      const { updated_at } = (await put(id, { state_id: 5 })).body.data
      const events = await orderEvents(service, tenant)
      expect(events.map(({ event }) => event)).toEqual(['order/updated', 'order/completed'])
      expect(events[1]?.data).toEqual({
        order_id: id,
        order_tenant_id,
        state_id: 5,
        state_name: 'Completed',
        warehouse_id,
        items_picked: 0,
        total_quantity_picked: 0,
        picked_by: 'test key',
        started_at: created_at,
        completed_at: updated_at,
        duration_minutes: expect.any(Number),
      })
      await expectConsistentCounts(service.db, tenant)
    }),
  )

  it(
    'tells who picked and what, when the rest of an order is completed by hand',
    inTenant(async () => {
      const [picked, left] = [await newProduct(tenant), await newProduct(tenant)]
      const order_detail = [picked, left].map(({ barcode }) => ({ barcode, quantity: 5 }))
      const { id } = await newOrder(tenant, { order_detail })
      await tenant.request('POST', '/stock/adjustment', { product_id: picked.id, location_id: 'A', adjustment_quantity: 10 })
      const flow = (await tenant.request('POST', '/flows', { order_id: id, operator_email: 'ada@example.com' })).body.data
      await tenant.request('POST', `/flows/${flow.id}/picks`, { barcode: picked.barcode, location_id: 'A', quantity: 3 })
      expect(failure(await put(id, { state_id: 5 }))).toEqual([400, 'update_error'])
      expect((await put(id, { state_id: 3, customer_name: 'Ada' })).body.data.customer_name).toBe('Ada')
      await tenant.request('POST', `/flows/${flow.id}/complete`)
      await put(id, { state_id: 5 })
      expect(await lastEvent()).toMatchObject({
        event: 'order/completed',
        data: { items_picked: 1, total_quantity_picked: 3, picked_by: 'ada@example.com', started_at: flow.started_at },
      })
      await expectConsistentCounts(service.db, tenant)
    }),
  )

  it(
    'cancels an order through its state',
    inTenant(async () => {
      const { id } = await newOrder(tenant)
      const { updated_at } = (await put(id, { state_id: 7 })).body.data
      const events = await orderEvents(service, tenant)
      expect(events.map(({ event }) => event)).toEqual(['order/updated', 'order/cancelled'])
      expect(events[1]?.data).toMatchObject({
        previous_state_id: 1,
        state_id: 7,
        cancellation_reason: null,
        cancelled_by: 'test key',
        cancelled_at: updated_at,
      })
    }),
  )

  it.each([5, 7])('refuses every update in state %d', (state_id) =>
    inTenant(async () => {
      const { id } = await newOrder(tenant)
      await put(id, { state_id })
      const events = await orderEvents(service, tenant)
      for (const body of [{}, { customer_name: 'Ada' }, { state_id: 1 }, { state_id: 5 }, { state_id: 7 }]) {
        expect(failure(await put(id, body))).toEqual([400, 'update_error'])
      }
      expect(await orderEvents(service, tenant)).toEqual(events)
      expect((await get(id)).state_id).toBe(state_id)
      await expectConsistentCounts(service.db, tenant)
    })(),
  )

  it(
    "is not found when there is none, or when it is another tenant's",
    inTenant(async () => {
      const { id } = await newOrder(tenant)
      const other = await service.newTenant()
      for (const body of [{ customer_name: 'Eve' }, { state_id: 5 }, { state_id: 7 }]) {
        expect(failure(await other.request('PUT', `/orders/${id}`, body))).toEqual([404, 'not_found'])
      }
      expect((await get(id)).state_id).toBe(1)
    }),
  )
})

describe('cancelling an order', () => {
  it(
    'sends order/cancelled with the reason, and no order/updated',
    inTenant(async () => {
      const { id, order_tenant_id } = await newOrder(tenant)
      await put(id, { state_id: 2 })
      const answer = await cancel(id, { reason: 'out of stock' })
      expect(answer.body.data).toEqual({ message: expect.any(String), order_id: String(id) })
      const { state_id, state_name, updated_at } = await get(id)
      expect([state_id, state_name]).toEqual([7, 'Cancelled'])
      expect((await orderEvents(service, tenant)).slice(1)).toEqual([
        {
          event: 'order/cancelled',
          data: {
            order_id: id,
            order_tenant_id,
            state_id: 7,
            state_name: 'Cancelled',
            previous_state_id: 2,
            previous_state_name: 'In Progress',
            cancellation_reason: 'out of stock',
            cancelled_by: 'test key',
            cancelled_at: updated_at,
          },
        },
      ])
      await expectConsistentCounts(service.db, tenant)
    }),
  )

  it(
    'succeeds again without an event when it is cancelled already',
    inTenant(async () => {
      const { id } = await newOrder(tenant)
      await cancel(id)
      const { updated_at } = await get(id)
      const again = await cancel(id, { reason: 'again' })
      expect([again.status, again.body.data.order_id]).toEqual([200, String(id)])
      expect(await orderEvents(service, tenant)).toHaveLength(1)
      expect((await get(id)).updated_at).toBe(updated_at)
      await expectConsistentCounts(service.db, tenant)
    }),
  )

  it(
    'refuses a completed order',
    inTenant(async () => {
      const { id } = await newOrder(tenant)
      await put(id, { state_id: 5 })
      expect(failure(await cancel(id))).toEqual([400, 'cancel_error'])
      expect((await get(id)).state_id).toBe(5)
    }),
  )

  it(
    'takes no body, an empty body, and an empty object, with or without a content type',
    inTenant(async () => {
      const requests: [string | undefined, string | undefined][] = [
        [undefined, undefined],
        ['application/json', undefined],
        ['application/json', ''],
        ['text/plain', ''],
        ['application/json', '{}'],
      ]
      for (const [type, body] of requests) {
        const { id } = await newOrder(tenant)
        const headers = { 'x-api-key': tenant.key, ...(type === undefined ? {} : { 'content-type': type }) }
        const response = await fetch(`${service.url}/api/v1/orders/${id}/cancel`, {
          method: 'POST',
          headers,
          ...(body === undefined ? {} : { body }),
        })
        expect([response.status, (await get(id)).state_id]).toEqual([200, 7])
      }
    }),
  )

  it(
    "finds the order by the client's identifier in the path",
    inTenant(async () => {
      const { id, order_tenant_id } = await newOrder(tenant, { order_tenant_id: 'Größe 5/7 #?%' })
      expect((await cancel(order_tenant_id)).body.data.order_id).toBe(String(id))
      expect(failure(await cancel('nothing'))).toEqual([404, 'not_found'])
    }),
  )

  it(
    "takes a path of digits for an order's id first, and for the client's identifier otherwise",
    inTenant(async () => {
      const first = await newOrder(tenant)
      const second = await newOrder(tenant, { order_tenant_id: String(first.id) })
      expect((await cancel(String(first.id))).body.data.order_id).toBe(String(first.id))
      expect((await get(second.id)).state_id).toBe(1)
      for (const order_tenant_id of ['888888888888', '99999999999999999999', `0${first.id}`]) {
        const order = await newOrder(tenant, { order_tenant_id })
        expect((await cancel(order_tenant_id)).body.data.order_id).toBe(String(order.id))
      }
    }),
  )

  it(
    'follows order_tenant_id in the body, whatever the path says',
    inTenant(async () => {
      const inPath = await newOrder(tenant)
      const inBody = await newOrder(tenant)
      expect((await cancel(inPath.id, { order_tenant_id: inBody.order_tenant_id })).body.data.order_id).toBe(String(inBody.id))
      expect((await get(inPath.id)).state_id).toBe(1)
      expect(failure(await cancel(inPath.id, { order_tenant_id: 'nothing' }))).toEqual([404, 'not_found'])
      // An id is no identifier of the client's.
      expect(failure(await cancel(inPath.id, { order_tenant_id: String(inPath.id) }))).toEqual([404, 'not_found'])
      expect((await cancel(inPath.id, { order_tenant_id: null })).body.data.order_id).toBe(String(inPath.id))
    }),
  )

  it(
    "refuses wrong fields, and knows no other tenant's order",
    inTenant(async () => {
      const { id, order_tenant_id } = await newOrder(tenant)
      for (const body of [{ reason: 5 }, { reason: 'x'.repeat(1_001) }, { order_tenant_id: 5 }, { order_tenant_id: '' }]) {
        expect(failure(await cancel(id, body))).toEqual([400, 'validation_error'])
      }
      const other = await service.newTenant()
      for (const name of [id, encodeURIComponent(order_tenant_id)]) {
        expect(failure(await other.request('POST', `/orders/${name}/cancel`))).toEqual([404, 'not_found'])
      }
      expect(failure(await tenant.request('POST', `/orders/${'x'.repeat(256)}/cancel`))).toEqual([404, 'not_found'])
      expect((await get(id)).state_id).toBe(1)
    }),
  )

  it(
    'answers a submission with the same Idempotency-Key as before',
    inTenant(async () => {
      const order = await orderFor(tenant)
      const headers = { 'idempotency-key': 'once' }
      const first = await send(`${service.url}/api/v1/orders`, 'POST', order, { key: tenant.key, headers })
      const again = await send(`${service.url}/api/v1/orders`, 'POST', order, { key: tenant.key, headers })
      expect(again.body).toEqual(first.body)
      expect([first.body.data.created_count, again.headers.get('idempotency-replayed')]).toEqual([1, 'true'])
    }),
  )
})

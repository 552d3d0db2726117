import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { expectConsistentCounts, failure, orderEvents, orderFor } from '../../support/orders.ts'
import { newProduct } from '../../support/stock.ts'
import { atMost } from '../../support/patience.ts'
import { submit } from './calls.ts'

describe('rejecting orders', () => {
  it.for([
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
  ] as const)('refuses %s %j and says where', async ([field, value], { tenant }) => {
    const response = await submit(tenant, [await orderFor(tenant), { ...(await orderFor(tenant)), [field]: value }])
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.details).toEqual([{ index: 1, error: expect.any(String) }])
    expect((await tenant.request('GET', '/orders')).body.data.pagination.total).toBe(0)
  })

  it('names the field for an unknown warehouse', async ({ tenant }) => {
    const response = await submit(tenant, await orderFor(tenant, { warehouse_id: 999_999_999 }))
    expect(response.body.error.details).toEqual([{ index: 0, error: 'warehouse_id: no warehouse has the id 999999999' }])
    expect(response.body.error.message).toContain('warehouse_id')
  })

  it.for([
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
  ] as const)('refuses a line with %s %j and names the line', async ([field, value], { tenant }) => {
    const line = { barcode: (await newProduct(tenant)).barcode, quantity: 1 }
    const response = await submit(tenant, await orderFor(tenant, { order_detail: [line, { ...line, [field]: value }] }))
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.details).toEqual([{ index: 0, error: expect.stringContaining(`order_detail[1].${field}: `) }])
  })

  it('lists every invalid order once, and names at most ten of them in the message', async ({ tenant }) => {
    const valid = await orderFor(tenant)
    const response = await submit(tenant, [valid, ...Array.from({ length: 30 }, () => ({})), valid])
    expect(response.body.error.details.map(({ index }: { index: number }) => index)).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    )
    expect(response.body.error.details[0].error).toBe(
      'order_tenant_id: is required; assembly_date: is required; order_detail: is required',
    )
    expect(response.body.error.message).toMatch(/^orders\[1\]: .*; and 20 more$/)
  })

  it.for([null, 5, 'order', true])('refuses the body %j', async (body, { tenant }) => {
    const response = await submit(tenant, body)
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.details).toEqual([{ index: 0, error: expect.any(String) }])
  })

  it('rejects a missing body, and orders that are not an array', async ({ tenant }) => {
    expect(failure(await submit(tenant, undefined))).toEqual([400, 'validation_error'])
    expect(failure(await submit(tenant, { orders: {} }))).toEqual([400, 'validation_error'])
    expect((await submit(tenant, { orders: null })).body.error).toEqual({
      code: 'validation_error',
      message: 'orders: must be an array, not null',
      details: [{ index: 0, error: 'must be an array, not null' }],
    })
  })

  it('reports the first order or line above the limit by its position', async ({ tenant }) => {
    const order = await orderFor(tenant)
    const tooMany = await submit(
      tenant,
      Array.from({ length: 1_001 }, () => order),
    )
    expect(tooMany.body.error.details).toEqual([{ index: 1_000, error: 'must have at most 1000 items' }])
    expect(tooMany.body.error.message).toBe('orders: must have at most 1000 items')
    const tooLong = await submit(tenant, [
      order,
      { ...order, order_detail: Array.from({ length: 1_001 }, () => ({ barcode: 'x', quantity: 1 })) },
    ])
    expect(tooLong.body.error.details).toEqual([{ index: 1, error: 'order_detail: must have at most 1000 items' }])
  })

  it('responds quickly to a body that is full of errors', async ({ tenant }) => {
    const empty = Array.from({ length: 1_000_000 }, () => ({}))
    for (const body of [
      empty,
      { orders: [{ order_detail: empty }] },
      Array.from({ length: 1_000 }, () => ({ order_detail: empty.slice(0, 1_000) })),
    ]) {
      const start = performance.now()
      const response = await submit(tenant, body)
      expect(failure(response)).toEqual([400, 'validation_error'])
      expect(JSON.stringify(response.body).length).toBeLessThan(1_000_000)
      expect(performance.now() - start).toBeLessThan(atMost(2_500))
    }
  })

  it('creates no order if a barcode is unknown or inactive, and names order and barcode', async ({ service, tenant }) => {
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
    const response = await submit(tenant, orders)
    expect(failure(response)).toEqual([400, 'creation_error'])
    expect(response.body.error.details).toEqual([
      { index: 1, error: `no active product has the barcode "nothing", "${inactive.barcode}"` },
      { index: 3, error: 'no active product has the barcode "no "such""' },
    ])
    expect(response.body.error.message).toMatch(/^Order "A": .*"nothing".*; Order "B": .*"no "such""$/)
    expect((await tenant.request('GET', '/orders')).body.data.pagination.total).toBe(0)
    expect(await orderEvents(service, tenant, { created: true })).toEqual([])
    await expectConsistentCounts(service.db, tenant)
  })

  it('treats products and warehouses of another tenant as unknown', async ({ service, tenant }) => {
    const order = await orderFor(tenant)
    const warehouse = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    const other = await service.newTenant()
    expect(failure(await other.request('POST', '/orders', order))).toEqual([400, 'creation_error'])
    const { barcode } = await newProduct(other)
    const response = await other.request('POST', '/orders', {
      ...order,
      warehouse_id: warehouse.id,
      order_detail: [{ barcode, quantity: 1 }],
    })
    expect(failure(response)).toEqual([400, 'validation_error'])
  })
})

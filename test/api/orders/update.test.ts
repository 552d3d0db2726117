import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { expectConsistentCounts, failure, newOrder, orderEvents } from '../../support/orders.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'
import { get, put } from './calls.ts'

const lastEvent = async (service: TestService, tenant: TestTenant) => (await orderEvents(service, tenant)).at(-1)

describe('getting an order', () => {
  it('returns not_found for an unknown order and for another tenant’s', async ({ service, tenant }) => {
    const { id } = await newOrder(tenant)
    const other = await service.newTenant()
    expect(failure(await other.request('GET', `/orders/${id}`))).toEqual([404, 'not_found'])
    expect(failure(await tenant.request('GET', '/orders/9007199254740991'))).toEqual([404, 'not_found'])
  })

  it.for(['abc', '0', '-1', '1.5', '9007199254740992', '1e3', '%00'])('refuses the id %s', async (id, { tenant }) => {
    expect(failure(await tenant.request('GET', `/orders/${id}`))).toEqual([400, 'invalid_id'])
    expect(failure(await tenant.request('PUT', `/orders/${id}`, {}))).toEqual([400, 'invalid_id'])
  })
})

describe('updating an order', () => {
  it('changes the given fields, and lists them in the event', async ({ service, tenant }) => {
    const { id, order_tenant_id } = await newOrder(tenant, { customer_name: 'Ada', shipping_address: 'London' })
    const before = await get(tenant, id)
    const response = await put(tenant, id, {
      state_id: 2,
      customer_name: 'Grace',
      shipping_address: 'London',
      assembly_date: '2027-01-02',
    })
    expect(response.body.data).toEqual({
      id,
      order_tenant_id,
      state_id: 2,
      assembly_date: '2027-01-02',
      customer_name: 'Grace',
      shipping_address: 'London',
      updated_at: expect.any(String),
    })
    expect(response.body.data.updated_at > before.updated_at).toBe(true)
    expect(await get(tenant, id)).toEqual({ ...before, ...response.body.data, state_name: 'In Progress' })
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
          updated_at: response.body.data.updated_at,
        },
      },
    ])
    await expectConsistentCounts(service.db, tenant)
  })

  it('clears customer_name and shipping_address by null, and no other field', async ({ service, tenant }) => {
    const { id } = await newOrder(tenant, { customer_name: 'Ada', shipping_address: 'London' })
    expect((await put(tenant, id, { customer_name: null, shipping_address: null })).body.data).toMatchObject({
      customer_name: null,
      shipping_address: null,
    })
    expect((await lastEvent(service, tenant))?.data.updated_fields).toEqual(['customer_name', 'shipping_address'])
    expect(failure(await put(tenant, id, { assembly_date: null }))).toEqual([400, 'validation_error'])
    expect(failure(await put(tenant, id, { state_id: null }))).toEqual([400, 'validation_error'])
  })

  it.for([{}, { customer_name: 'Ada' }, { state_id: 1, assembly_date: '2026-11-30' }, { unknown: 1 }, undefined])(
    'changes nothing and sends nothing for %j',
    async (body, { service, tenant }) => {
      const { id } = await newOrder(tenant, { customer_name: 'Ada' })
      const { updated_at } = await get(tenant, id)
      expect((await put(tenant, id, body)).body.data.updated_at).toBe(updated_at)
      expect(await orderEvents(service, tenant)).toEqual([])
    },
  )

  it.for([
    { state_id: 4 },
    { state_id: 0 },
    { state_id: '2' },
    { state_id: 2.5 },
    { assembly_date: '2026-13-01' },
    { customer_name: 'x'.repeat(256) },
    { shipping_address: 5 },
  ])('refuses %j', async (body, { tenant }) => {
    const { id } = await newOrder(tenant)
    expect(failure(await put(tenant, id, body))).toEqual([400, 'validation_error'])
  })

  it('completes an order without picking', async ({ service, tenant }) => {
    const { id, order_tenant_id } = await newOrder(tenant)
    const { created_at, warehouse_id } = await get(tenant, id)
    const { updated_at } = (await put(tenant, id, { state_id: 5 })).body.data
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
  })

  it('reports operator and picks when a partly picked order is completed by PUT', async ({ service, tenant }) => {
    const [picked, left] = [await newProduct(tenant), await newProduct(tenant)]
    const order_detail = [picked, left].map(({ barcode }) => ({ barcode, quantity: 5 }))
    const { id } = await newOrder(tenant, { order_detail })
    await tenant.request('POST', '/stock/adjustment', { product_id: picked.id, location_id: 'A', adjustment_quantity: 10 })
    const flow = (await tenant.request('POST', '/flows', { order_id: id, operator_email: 'ada@example.com' })).body.data
    await tenant.request('POST', `/flows/${flow.id}/picks`, { barcode: picked.barcode, location_id: 'A', quantity: 3 })
    expect(failure(await put(tenant, id, { state_id: 5 }))).toEqual([400, 'update_error'])
    expect((await put(tenant, id, { state_id: 3, customer_name: 'Ada' })).body.data.customer_name).toBe('Ada')
    await tenant.request('POST', `/flows/${flow.id}/complete`)
    await put(tenant, id, { state_id: 5 })
    expect(await lastEvent(service, tenant)).toMatchObject({
      event: 'order/completed',
      data: { items_picked: 1, total_quantity_picked: 3, picked_by: 'ada@example.com', started_at: flow.started_at },
    })
    await expectConsistentCounts(service.db, tenant)
  })

  it('cancels an order through its state', async ({ service, tenant }) => {
    const { id } = await newOrder(tenant)
    const { updated_at } = (await put(tenant, id, { state_id: 7 })).body.data
    const events = await orderEvents(service, tenant)
    expect(events.map(({ event }) => event)).toEqual(['order/updated', 'order/cancelled'])
    expect(events[1]?.data).toMatchObject({
      previous_state_id: 1,
      state_id: 7,
      cancellation_reason: null,
      cancelled_by: 'test key',
      cancelled_at: updated_at,
    })
  })

  it.for([5, 7])('refuses every update in state %d', async (state_id, { service, tenant }) => {
    const { id } = await newOrder(tenant)
    await put(tenant, id, { state_id })
    const events = await orderEvents(service, tenant)
    for (const body of [{}, { customer_name: 'Ada' }, { state_id: 1 }, { state_id: 5 }, { state_id: 7 }]) {
      expect(failure(await put(tenant, id, body))).toEqual([400, 'update_error'])
    }
    expect(await orderEvents(service, tenant)).toEqual(events)
    expect((await get(tenant, id)).state_id).toBe(state_id)
    await expectConsistentCounts(service.db, tenant)
  })

  it('returns not_found for an unknown order and for another tenant’s', async ({ service, tenant }) => {
    const { id } = await newOrder(tenant)
    const other = await service.newTenant()
    for (const body of [{ customer_name: 'Eve' }, { state_id: 5 }, { state_id: 7 }]) {
      expect(failure(await other.request('PUT', `/orders/${id}`, body))).toEqual([404, 'not_found'])
    }
    expect((await get(tenant, id)).state_id).toBe(1)
  })
})

import { describe, expect } from 'vitest'
import { it } from './it.ts'
import { failure } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct, stockOf } from '../../support/picking.ts'
import { TIMESTAMP, start, complete, cancel, undo, orderOf, flowOf, movementsOf, newEvents, topics } from './calls.ts'

describe('POST /flows/{id}/cancel', () => {
  it('returns every pick to its location', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10, B: 10 })
    const rice = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 8],
      [rice, 3],
    ])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'B', quantity: 2 })
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'B', quantity: 1 })
    await pick(tenant, flow, { barcode: rice.barcode, location_id: 'A', quantity: 3 })
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'undone' })
    await undo(tenant, flow, 'undone')
    await newEvents(service, tenant)
    const { body } = await cancel(tenant, flow, { reason: 'shift ended' })
    expect(body.data).toMatchObject({
      state: 'cancelled',
      items_picked: 2,
      total_quantity_picked: 9,
      completed_at: null,
      cancelled_at: TIMESTAMP,
      cancellation_reason: 'shift ended',
    })
    expect(await stockOf(tenant, tea)).toEqual({ A: 10, B: 10 })
    expect(await stockOf(tenant, rice)).toEqual({ A: 10 })
    const returns = (await movementsOf(tenant, order)).slice(0, 4).toReversed()
    expect(returns).toMatchObject([
      { location_id: 'B', movement_type: 'IN', quantity: 2, previous_quantity: 7, new_quantity: 9, reason: 'return', user_id: 7 },
      { location_id: 'A', quantity: 3, previous_quantity: 7, new_quantity: 10 },
      { location_id: 'B', quantity: 1, previous_quantity: 9, new_quantity: 10 },
      { location_id: 'A', product_id: rice.id, quantity: 3, previous_quantity: 7, new_quantity: 10 },
    ])
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual([
      'stock/movement_created',
      'stock/movement_created',
      'stock/updated',
      'stock/movement_created',
      'stock/updated',
      'stock/movement_created',
      'stock/updated',
      'flow/cancelled',
      'order/updated',
    ])
    expect(events.at(-2)?.data).toEqual({
      flow_id: flow,
      order_id: order.id,
      order_tenant_id: order.order_tenant_id,
      warehouse_id: body.data.warehouse_id,
      operator_id: 7,
      operator_email: 'ada@example.com',
      cancellation_reason: 'shift ended',
      items_picked_before_cancel: 2,
      started_at: body.data.started_at,
      cancelled_at: body.data.cancelled_at,
    })
    expect(events.at(-1)?.data).toMatchObject({
      state_id: 2,
      previous_state_id: 3,
      updated_fields: ['state_id', 'state_picking_id'],
    })
    expect(await orderOf(tenant, order)).toMatchObject({
      state_id: 2,
      state_picking_id: 3,
      order_detail: [{ picked_quantity: 0 }, { picked_quantity: 0 }],
    })
    expect((await flowOf(tenant, flow)).picks.length).toBe(4)
  })

  it('keeps the picks of earlier flows', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 8]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await complete(tenant, flow)
    const second = (await start(tenant, { order_id: order.id })).body.data.id
    await pick(tenant, second, { barcode: tea.barcode, location_id: 'A', quantity: 2 })
    await cancel(tenant, second)
    expect(await stockOf(tenant, tea)).toEqual({ A: 7 })
    expect((await orderOf(tenant, order)).order_detail[0].picked_quantity).toBe(3)
    expect((await start(tenant, { order_id: order.id })).body.data).toMatchObject({ items_to_pick: 1, total_quantity: 5 })
  })

  it('succeeds again without an event, and keeps the reason', async ({ service, tenant }) => {
    const { flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    const first = await cancel(tenant, flow, { reason: 'first' })
    await newEvents(service, tenant)
    expect((await cancel(tenant, flow, { reason: 'second' })).body).toEqual(first.body)
    expect(await newEvents(service, tenant)).toEqual([])
    expect(failure(await complete(tenant, flow))).toEqual([400, 'flow_error'])
    expect(failure(await pick(tenant, flow, { barcode: 'x', location_id: 'A', quantity: 1 }))).toEqual([400, 'flow_error'])
    expect(failure(await cancel(tenant, 999_999))).toEqual([404, 'not_found'])
  })
})

describe('an order with an active flow', () => {
  it('is cancelled together with the flow', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 8]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await newEvents(service, tenant)
    await tenant.request('POST', `/orders/${order.id}/cancel`, { reason: 'changed my mind' })
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual(['stock/movement_created', 'stock/updated', 'flow/cancelled', 'order/cancelled'])
    expect(events[2]?.data).toMatchObject({
      flow_id: flow,
      cancellation_reason: 'changed my mind',
      items_picked_before_cancel: 1,
    })
    expect(events[3]?.data).toMatchObject({ previous_state_id: 3, cancellation_reason: 'changed my mind' })
    expect(await stockOf(tenant, tea)).toEqual({ A: 10 })
    expect(await orderOf(tenant, order)).toMatchObject({
      state_id: 7,
      state_picking_id: 3,
      order_detail: [{ picked_quantity: 0 }],
    })
    expect(await flowOf(tenant, flow)).toMatchObject({ state: 'cancelled', cancellation_reason: 'changed my mind' })
  })

  it('keeps the picks of earlier flows when it is cancelled', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 8]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await complete(tenant, flow)
    await tenant.request('POST', `/orders/${order.id}/cancel`)
    expect(await stockOf(tenant, tea)).toEqual({ A: 7 })
    expect(await orderOf(tenant, order)).toMatchObject({
      state_id: 7,
      state_picking_id: 2,
      order_detail: [{ picked_quantity: 3 }],
    })
  })

  it('is cancelled by PUT with state_id 7', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 8]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await newEvents(service, tenant)
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 7 })
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual([
      'stock/movement_created',
      'stock/updated',
      'flow/cancelled',
      'order/updated',
      'order/cancelled',
    ])
    expect(events[3]?.data).toMatchObject({ updated_fields: ['state_id', 'state_picking_id'], previous_state_id: 3 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 10 })
    expect(await flowOf(tenant, flow)).toMatchObject({ state: 'cancelled', cancellation_reason: null })
  })

  it('rejects other changes of its state, and accepts changes of its fields', async ({ tenant }) => {
    const { order, flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    for (const state_id of [1, 2, 5]) {
      expect(failure(await tenant.request('PUT', `/orders/${order.id}`, { state_id }))).toEqual([400, 'update_error'])
    }
    expect((await tenant.request('PUT', `/orders/${order.id}`, { state_id: 3, customer_name: 'Ada' })).status).toBe(200)
    expect(await flowOf(tenant, flow)).toMatchObject({ state: 'started' })
    expect(await orderOf(tenant, order)).toMatchObject({ state_id: 3, state_picking_id: 1, customer_name: 'Ada' })
  })
})

import { describe, expect } from 'vitest'
import { it } from './it.ts'
import { failure } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct } from '../../support/picking.ts'
import { TIMESTAMP, start, complete, cancel, orderOf, flowOf, newEvents, topics } from './calls.ts'

describe('POST /flows/{id}/complete', () => {
  it('completes the order if every line is picked', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const rice = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 2],
      [rice, 3],
    ])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 2 })
    await pick(tenant, flow, { barcode: rice.barcode, location_id: 'A', quantity: 3 })
    await newEvents(service, tenant)
    const { body } = await complete(tenant, flow)
    expect(body.data).toMatchObject({
      state: 'completed',
      items_picked: 2,
      total_quantity_picked: 5,
      completed_at: TIMESTAMP,
      cancelled_at: null,
    })
    const after = await orderOf(tenant, order)
    expect(after).toMatchObject({ state_id: 5, state_name: 'Completed', state_picking_id: 2 })
    const identity = { order_id: order.id, order_tenant_id: order.order_tenant_id }
    const { warehouse_id } = after
    const [flowCompleted, updated, completed, ...others] = await newEvents(service, tenant)
    expect(others).toEqual([])
    expect(flowCompleted).toEqual({
      event: 'flow/completed',
      data: {
        flow_id: flow,
        ...identity,
        warehouse_id,
        operator_id: 7,
        operator_email: 'ada@example.com',
        items_picked: 2,
        total_quantity_picked: 5,
        started_at: body.data.started_at,
        completed_at: body.data.completed_at,
        duration_minutes: minutes(body.data.started_at, body.data.completed_at),
      },
    })
    expect(updated).toEqual({
      event: 'order/updated',
      data: {
        ...identity,
        state_id: 5,
        state_name: 'Completed',
        previous_state_id: 3,
        previous_state_name: 'In Progress',
        warehouse_id,
        updated_fields: ['state_id', 'state_picking_id'],
        updated_at: after.updated_at,
      },
    })
    expect(completed).toEqual({
      event: 'order/completed',
      data: {
        ...identity,
        state_id: 5,
        state_name: 'Completed',
        warehouse_id,
        items_picked: 2,
        total_quantity_picked: 5,
        picked_by: 'ada@example.com',
        started_at: body.data.started_at,
        completed_at: after.updated_at,
        duration_minutes: minutes(body.data.started_at, after.updated_at),
      },
    })
  })

  it('reports durations in minutes with two decimals', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 1]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
    await service.db.kysely
      .updateTable('picking_flows')
      .set({ started_at: new Date(Date.now() - 754_000) })
      .where('id', '=', flow)
      .execute()
    await newEvents(service, tenant)
    await complete(tenant, flow)
    const durations = (await newEvents(service, tenant)).flatMap(({ data }) =>
      'duration_minutes' in data ? [data.duration_minutes as number] : [],
    )
    expect(durations.length).toBe(2)
    for (const duration of durations) {
      expect(duration).toBeCloseTo(12.57, 1)
      expect(Number(duration.toFixed(2))).toBe(duration)
    }
  })

  it('releases a partly picked order, and a later flow picks the rest', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const rice = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 4],
      [rice, 3],
      [rice, 1],
    ])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await pick(tenant, flow, { barcode: rice.barcode, location_id: 'A', quantity: 3 })
    await newEvents(service, tenant)
    await complete(tenant, flow)
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual(['flow/completed', 'order/updated'])
    expect(events[1]?.data).toMatchObject({ state_id: 2, previous_state_id: 3 })
    expect(await orderOf(tenant, order)).toMatchObject({
      state_id: 2,
      state_picking_id: 2,
      order_detail: [{ picked_quantity: 3 }, { picked_quantity: 3 }, { picked_quantity: 0 }],
    })

    const second = (await start(tenant, { order_id: order.id, operator_email: 'grace@example.com' })).body.data
    expect(second).toMatchObject({ items_to_pick: 2, total_quantity: 2, items_picked: 0, total_quantity_picked: 0 })
    await pick(tenant, second.id, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
    expect(failure(await pick(tenant, second.id, { barcode: tea.barcode, location_id: 'A', quantity: 1 }))).toEqual([
      400,
      'flow_error',
    ])
    await pick(tenant, second.id, { barcode: rice.barcode, location_id: 'A', quantity: 1 })
    await newEvents(service, tenant)
    await complete(tenant, second.id)
    const [flowCompleted, , completed] = await newEvents(service, tenant)
    expect(flowCompleted?.data).toMatchObject({ items_picked: 2, total_quantity_picked: 2 })
    const first = await flowOf(tenant, flow)
    expect(completed?.data).toMatchObject({
      items_picked: 3,
      total_quantity_picked: 8,
      picked_by: 'grace@example.com',
      started_at: first.started_at,
    })
    expect(await flowOf(tenant, flow)).toMatchObject({
      items_picked: 2,
      total_quantity_picked: 6,
      picks: [{ quantity: 3 }, { quantity: 3 }],
    })
    expect(await flowOf(tenant, second.id)).toMatchObject({ items_picked: 2, total_quantity_picked: 2 })
  })

  it('completes a flow without picks, and releases the order', async ({ tenant }) => {
    const { order, flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    expect((await complete(tenant, flow)).body.data).toMatchObject({ state: 'completed', items_picked: 0 })
    expect(await orderOf(tenant, order)).toMatchObject({ state_id: 2, state_picking_id: 2 })
  })

  it('rejects a flow that has ended', async ({ tenant }) => {
    const { flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    await complete(tenant, flow)
    expect(failure(await complete(tenant, flow))).toEqual([400, 'flow_error'])
    expect(failure(await cancel(tenant, flow))).toEqual([400, 'flow_error'])
    expect(failure(await complete(tenant, 999_999))).toEqual([404, 'not_found'])
  })
})

/** The minutes between two timestamps as in events. Microseconds of the timestamps are not known here. */
function minutes(from: string, to: string): unknown {
  return expect.closeTo((Date.parse(to) - Date.parse(from)) / 60_000, 1)
}

import { describe, expect } from 'vitest'
import { it } from './it.ts'
import { failure } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct, stockOf } from '../../support/picking.ts'
import { MAX, complete, cancel, undo, orderOf, flowOf, movementsOf, newEvents, topics } from './calls.ts'

describe('a pick that is sent again with its pick_id', () => {
  it('has no effect and returns the same response', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    const body = { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'scan 1' }
    const first = await pick(tenant, flow, body)
    expect(first.body.data.pick.id).toBe('scan 1')
    await pick(tenant, flow, { ...body, pick_id: 'scan 2' })
    await newEvents(service, tenant)
    expect((await pick(tenant, flow, body)).body).toEqual(first.body)
    expect((await pick(tenant, flow, { ...body, barcode: undefined, product_id: tea.id })).body).toEqual(first.body)
    expect(await newEvents(service, tenant)).toEqual([])
    expect(await stockOf(tenant, tea)).toEqual({ A: 8 })
    expect((await movementsOf(tenant, order)).length).toBe(2)
  })

  it('returns the same response after an undo, and after the end of the flow and the order', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 3 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    const body = { barcode: tea.barcode, location_id: 'A', quantity: 3, pick_id: 'scan/1?#%' }
    const first = await pick(tenant, flow, body)
    await undo(tenant, flow, 'scan/1?#%')
    expect((await pick(tenant, flow, body)).body).toEqual(first.body)
    expect(await stockOf(tenant, tea)).toEqual({ A: 3 })
    const again = await pick(tenant, flow, { ...body, pick_id: 'scan 2' })
    await complete(tenant, flow)
    expect((await pick(tenant, flow, { ...body, pick_id: 'scan 2' })).body).toEqual(again.body)
    expect(await orderOf(tenant, order)).toMatchObject({ state_id: 5 })
    expect((await pick(tenant, flow, body)).body).toEqual(first.body)
    expect(await stockOf(tenant, tea)).toEqual({ A: 0 })
  })

  it('is rejected if it differs from the first pick', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10, B: 10 })
    const rice = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 5],
      [rice, 5],
    ])
    const [line] = (await orderOf(tenant, order)).order_detail
    const body = { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'x' }
    await pick(tenant, flow, body)
    for (const change of [
      { quantity: 2 },
      { location_id: 'B' },
      { barcode: rice.barcode },
      { barcode: 'no such barcode' },
      { barcode: undefined, order_detail_id: line.id },
    ]) {
      const response = await pick(tenant, flow, { ...body, ...change })
      expect(failure(response)).toEqual([400, 'flow_error'])
      expect(response.body.error.message).toContain('pick_id "x"')
    }
    expect(await stockOf(tenant, tea)).toEqual({ A: 9, B: 10 })
  })

  it('is a different pick in another flow', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const flows = [await startedFlow(tenant, [[tea, 5]]), await startedFlow(tenant, [[tea, 5]])]
    for (const { flow } of flows) await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'x' })
    expect(await stockOf(tenant, tea)).toEqual({ A: 8 })
  })

  it('may also carry an Idempotency-Key', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 5]])
    const send = () =>
      tenant.request(
        'POST',
        `/flows/${flow}/picks`,
        { barcode: tea.barcode, location_id: 'A', quantity: 1 },
        { headers: { 'idempotency-key': 'k' } },
      )
    const first = await send()
    expect((await send()).body).toEqual(first.body)
    expect(await stockOf(tenant, tea)).toEqual({ A: 9 })
  })
})

describe('DELETE /flows/{id}/picks/{pick_id}', () => {
  it('returns the stock to its location', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 2],
      [tea, 3],
    ])
    const taken = await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 4, pick_id: 'x' })
    await newEvents(service, tenant)
    const { body } = await undo(tenant, flow, 'x')
    expect(body.data.pick).toEqual(taken.body.data.pick)
    expect(body.data.lines).toMatchObject([
      { quantity: 2, picked_quantity: 0, remaining: 2 },
      { quantity: 3, picked_quantity: 0, remaining: 3 },
    ])
    expect(await stockOf(tenant, tea)).toEqual({ A: 10 })
    expect((await movementsOf(tenant, order))[0]).toMatchObject({
      movement_type: 'IN',
      quantity: 4,
      previous_quantity: 6,
      new_quantity: 10,
      reason: 'return',
      user_id: 7,
      order_id: order.id,
    })
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual(['stock/movement_created', 'stock/updated'])
    expect(events[0]?.data).toMatchObject({ type: 'receipt', to_location: 'A', from_location: null })
    expect(events[1]?.data).toMatchObject({ change: 4, reason: 'return' })
    expect(await flowOf(tenant, flow)).toMatchObject({ items_picked: 0, total_quantity_picked: 0, picks: [] })
  })

  it('undoes one pick and leaves the others', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 5]])
    const at = { barcode: tea.barcode, location_id: 'A' }
    await pick(tenant, flow, { ...at, quantity: 1, pick_id: 'a' })
    const generated = (await pick(tenant, flow, { ...at, quantity: 3 })).body.data.pick.id
    expect((await undo(tenant, flow, 'a')).body.data.lines).toMatchObject([{ picked_quantity: 3 }])
    expect(await flowOf(tenant, flow)).toMatchObject({ items_picked: 1, total_quantity_picked: 3, picks: [{ id: generated }] })
    expect((await undo(tenant, flow, generated)).status).toBe(200)
    expect(await flowOf(tenant, flow)).toMatchObject({ items_picked: 0, total_quantity_picked: 0, picks: [] })
  })

  it('succeeds again without effect, also after the end of the flow', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 5]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'a' })
    await undo(tenant, flow, 'a')
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 2, pick_id: 'b' })
    await newEvents(service, tenant)
    expect((await undo(tenant, flow, 'a')).body.data.lines).toMatchObject([{ picked_quantity: 2, remaining: 3 }])
    expect(await newEvents(service, tenant)).toEqual([])
    await complete(tenant, flow)
    expect((await undo(tenant, flow, 'a')).status).toBe(200)
    expect(failure(await undo(tenant, flow, 'b'))).toEqual([400, 'flow_error'])
    expect(await stockOf(tenant, tea)).toEqual({ A: 8 })
  })

  it('returns not_found for an unknown pick or flow', async ({ tenant }) => {
    const { flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    expect(failure(await undo(tenant, flow, 'no such pick'))).toEqual([404, 'not_found'])
    expect(failure(await undo(tenant, 999_999, 'x'))).toEqual([404, 'not_found'])
    expect(failure(await undo(tenant, flow, 'x'.repeat(256)))).toEqual([404, 'not_found'])
  })

  it('fails if the level would exceed the maximum', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 1 })
    const { flow } = await startedFlow(tenant, [[tea, 1]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'a' })
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: MAX })
    expect(failure(await undo(tenant, flow, 'a'))).toEqual([400, 'adjustment_error'])
    expect(failure(await cancel(tenant, flow))).toEqual([400, 'adjustment_error'])
    expect(await flowOf(tenant, flow)).toMatchObject({ state: 'started', total_quantity_picked: 1 })
  })
})

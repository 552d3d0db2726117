import { describe, expect } from 'vitest'
import { it } from './it.ts'
import { failure } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct, stockOf } from '../../support/picking.ts'
import { TIMESTAMP, MAX, orderOf, flowOf, movementsOf, newEvents, topics } from './calls.ts'

describe('POST /flows/{id}/picks', () => {
  it('takes stock for the order and records the pick', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { 'A-1': 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    const [line] = (await orderOf(tenant, order)).order_detail
    await newEvents(service, tenant)
    const { body } = await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A-1', quantity: 2 })
    expect(body.data).toEqual({
      pick: {
        id: expect.any(String),
        product_id: tea.id,
        location_id: 'A-1',
        quantity: 2,
        lines: [{ order_detail_id: line.id, quantity: 2 }],
        created_at: TIMESTAMP,
      },
      lines: [
        {
          order_detail_id: line.id,
          product_id: tea.id,
          barcode: tea.barcode,
          product_name: tea.name,
          quantity: 3,
          picked_quantity: 2,
          remaining: 1,
        },
      ],
    })
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 8 })
    expect((await orderOf(tenant, order)).order_detail[0].picked_quantity).toBe(2)
    expect(await movementsOf(tenant, order)).toEqual([
      {
        id: expect.any(String),
        product_id: tea.id,
        product_name: tea.name,
        location_id: 'A-1',
        movement_type: 'OUT',
        quantity: 2,
        previous_quantity: 10,
        new_quantity: 8,
        reason: 'order_fulfillment',
        user_id: 7,
        order_id: order.id,
        created_at: body.data.pick.created_at,
      },
    ])
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual(['stock/movement_created', 'stock/updated'])
    expect(events[0]?.data).toMatchObject({
      type: 'dispatch',
      quantity: 2,
      from_location: 'A-1',
      to_location: null,
      created_by: 'test key',
    })
    expect(events[1]?.data).toMatchObject({ quantity: 8, previous_quantity: 10, change: -2, reason: 'order_fulfillment' })
  })

  it('sends stock/low_alert if the pick causes low stock', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { 'A-1': 5 }, { minimum_threshold: 4 })
    const { flow } = await startedFlow(tenant, [[tea, 3]])
    await newEvents(service, tenant)
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A-1', quantity: 2 })
    expect(topics(await newEvents(service, tenant))).toEqual(['stock/movement_created', 'stock/updated', 'stock/low_alert'])
  })

  it('fills the open lines of the product in order, by barcode and by product_id', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const rice = await stockedProduct(tenant, { A: 100 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 2],
      [rice, 2],
      [tea, 3],
      [tea, 4],
    ])
    const ids = (await orderOf(tenant, order)).order_detail.map((line: { id: number }) => line.id)
    const first = await pick(tenant, flow, { barcode: ` ${tea.barcode} `, location_id: 'A', quantity: 4 })
    expect(first.body.data.pick.lines).toEqual([
      { order_detail_id: ids[0], quantity: 2 },
      { order_detail_id: ids[2], quantity: 2 },
    ])
    const second = await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 2 })
    expect(second.body.data.lines).toMatchObject([
      { order_detail_id: ids[2], picked_quantity: 3, remaining: 0 },
      { order_detail_id: ids[3], picked_quantity: 1, remaining: 3 },
    ])
    expect((await orderOf(tenant, order)).order_detail.map((line: { picked_quantity: number }) => line.picked_quantity)).toEqual([
      2, 0, 3, 1,
    ])
    expect(await flowOf(tenant, flow)).toMatchObject({ items_picked: 3, total_quantity_picked: 6 })
  })

  it('fills only the line given by order_detail_id', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 2],
      [tea, 3],
    ])
    const [, line] = (await orderOf(tenant, order)).order_detail
    const tooMuch = await pick(tenant, flow, { order_detail_id: line.id, location_id: 'A', quantity: 4 })
    expect(failure(tooMuch)).toEqual([400, 'flow_error'])
    expect(tooMuch.body.error.message).toContain('only 3 left')
    const { body } = await pick(tenant, flow, { order_detail_id: line.id, location_id: 'A', quantity: 3 })
    expect(body.data.lines).toMatchObject([{ order_detail_id: line.id, remaining: 0 }])
    expect((await orderOf(tenant, order)).order_detail.map((line: { picked_quantity: number }) => line.picked_quantity)).toEqual([
      0, 3,
    ])
  })

  it('rejects more than is ordered, without effect', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
    await newEvents(service, tenant)
    expect(failure(await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 }))).toEqual([
      400,
      'flow_error',
    ])
    expect(await newEvents(service, tenant)).toEqual([])
    expect(await stockOf(tenant, tea)).toEqual({ A: 99 })
    expect((await movementsOf(tenant, order)).length).toBe(1)
  })

  it('rejects more than is in stock, without effect', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 1, B: 100 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    await newEvents(service, tenant)
    const short = await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 2 })
    expect(failure(short)).toEqual([400, 'adjustment_error'])
    expect(short.body.error.message).toContain('only 1 in stock')
    expect(failure(await pick(tenant, flow, { barcode: tea.barcode, location_id: 'no such place', quantity: 1 }))).toEqual([
      400,
      'adjustment_error',
    ])
    expect(await newEvents(service, tenant)).toEqual([])
    expect(await movementsOf(tenant, order)).toEqual([])
    const locations = (await tenant.request('GET', '/locations')).body.data.locations
    expect(locations.map(({ id }: { id: string }) => id)).toEqual(['A', 'B'])
  })

  it('rejects a product that is not on the order, and an unknown product', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const rice = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 3]])
    const other = await startedFlow(tenant, [[rice, 3]])
    const [lineOfOther] = (await orderOf(tenant, other.order)).order_detail
    const at = { location_id: 'A', quantity: 1 }
    expect(failure(await pick(tenant, flow, { barcode: rice.barcode, ...at }))).toEqual([400, 'flow_error'])
    expect(failure(await pick(tenant, flow, { barcode: 'no such barcode', ...at }))).toEqual([404, 'not_found'])
    expect(failure(await pick(tenant, flow, { product_id: 999_999, ...at }))).toEqual([404, 'not_found'])
    expect(failure(await pick(tenant, flow, { order_detail_id: lineOfOther.id, ...at }))).toEqual([404, 'not_found'])
    expect(failure(await pick(tenant, 999_999, { barcode: tea.barcode, ...at }))).toEqual([404, 'not_found'])
    expect(failure(await pick(tenant, 'x' as never, { barcode: tea.barcode, ...at }))).toEqual([400, 'invalid_id'])
  })

  it('accepts decimals for weighable products only, without rounding', async ({ tenant }) => {
    const cheese = await stockedProduct(tenant, { A: 1.1 }, { weighable: true })
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [cheese, 1],
      [tea, 2],
    ])
    const refused = await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 0.5 })
    expect(failure(refused)).toEqual([400, 'validation_error'])
    expect(refused.body.error.details).toEqual([{ path: 'quantity', error: expect.stringContaining('not weighable') }])
    for (const quantity of [0.1, 0.2, 0.699]) {
      expect((await pick(tenant, flow, { barcode: cheese.barcode, location_id: 'A', quantity })).status).toBe(200)
    }
    const beyond = await pick(tenant, flow, { barcode: cheese.barcode, location_id: 'A', quantity: 0.002 })
    expect(failure(beyond)).toEqual([400, 'flow_error'])
    expect(
      (await pick(tenant, flow, { barcode: cheese.barcode, location_id: 'A', quantity: 0.001 })).body.data.lines[0],
    ).toMatchObject({
      picked_quantity: 1,
      remaining: 0,
    })
    expect((await orderOf(tenant, order)).order_detail[0].picked_quantity).toBe(1)
    expect(await stockOf(tenant, cheese)).toEqual({ A: 0.1 })
  })

  it.for([
    ['no name of what is picked', { barcode: undefined }],
    ['a barcode and a product_id', { product_id: 1 }],
    ['a barcode and an order_detail_id', { order_detail_id: 1 }],
    ['a zero quantity', { quantity: 0 }],
    ['a negative quantity', { quantity: -1 }],
    ['a fourth decimal place', { quantity: 0.0001 }],
    ['a quantity in a text', { quantity: '1' }],
    ['no quantity', { quantity: undefined }],
    ['no location', { location_id: undefined }],
    ['a long location', { location_id: 'x'.repeat(65) }],
    ['an empty pick_id', { pick_id: '' }],
    ['a long pick_id', { pick_id: 'x'.repeat(256) }],
    ['a pick_id that is a number', { pick_id: 7 }],
  ] as const)('refuses %s', async ([, change], { tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 3]])
    expect(failure(await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, ...change }))).toEqual([
      400,
      'validation_error',
    ])
    expect(await stockOf(tenant, tea)).toEqual({ A: 10 })
  })

  it('rejects the largest quantity if less is ordered', async ({ tenant }) => {
    const cheese = await stockedProduct(tenant, { A: MAX }, { weighable: true })
    const { flow } = await startedFlow(tenant, [[cheese, 1_000_000]])
    expect(failure(await pick(tenant, flow, { barcode: cheese.barcode, location_id: 'A', quantity: MAX }))).toEqual([
      400,
      'flow_error',
    ])
    expect((await pick(tenant, flow, { barcode: cheese.barcode, location_id: 'A', quantity: 1_000_000 })).status).toBe(200)
  })

  it('picks a product that was deleted after it was ordered', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 3]])
    await tenant.request('DELETE', `/products/${tea.id}`)
    expect((await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })).status).toBe(200)
  })
})

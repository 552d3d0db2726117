import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foldCounts } from '../../server/src/counts/index.ts'
import { EVENT_DATA, type Topic } from '../../server/src/events/index.ts'
import { eventsOf } from '../support/events.ts'
import { failure, newOrder } from '../support/orders.ts'
import { expectConsistentPicking, OPERATOR, pick, startedFlow, stockedProduct, stockOf } from '../support/picking.ts'
import { startService, type TestService, type TestTenant } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'

let service: TestService
let tenant: TestTenant
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const MAX = 999_999_999_999

/** A new tenant for the test; what it leaves behind is checked when `body` is done. */
function test(name: string, body: () => Promise<void>): void {
  it(name, async () => {
    tenant = await service.newTenant()
    await body()
    await expectConsistentStock(service.db, tenant)
    await expectConsistentPicking(service.db, tenant)
  })
}

const start = (body: object) => tenant.request('POST', '/flows', { ...OPERATOR, ...body })
const complete = (flow: number) => tenant.request('POST', `/flows/${flow}/complete`)
const cancel = (flow: number, body?: object) => tenant.request('POST', `/flows/${flow}/cancel`, body)
const undo = (flow: number, pickId: string) => tenant.request('DELETE', `/flows/${flow}/picks/${encodeURIComponent(pickId)}`)

async function orderOf({ id }: { id: number }) {
  return (await tenant.request('GET', `/orders/${id}`)).body.data
}

async function flowOf(flow: number) {
  return (await tenant.request('GET', `/flows/${flow}`)).body.data
}

async function movementsOf({ id }: { id: number }) {
  return (await tenant.request('GET', `/stock/movements?order_id=${id}`)).body.data.movements
}

/** The tenant's events since the last call, each with exactly the fields of its topic. */
const seen = new Map<TestTenant, number>()
async function newEvents(): Promise<{ event: Topic; data: Record<string, unknown> }[]> {
  const events = await eventsOf(service, tenant)
  const fresh = events.slice(seen.get(tenant) ?? 0)
  seen.set(tenant, events.length)
  return fresh.map(({ event, data }) => {
    const schema = EVENT_DATA[event as Topic]
    expect(schema.strict().safeParse(data).error).toBeUndefined()
    expect(Object.keys(data)).toEqual(Object.keys(schema.shape))
    return { event: event as Topic, data }
  })
}

const topics = (events: { event: Topic }[]): Topic[] => events.map(({ event }) => event)

describe('POST /flows', () => {
  test('starts picking an order', async () => {
    const tea = await stockedProduct(tenant, {})
    const rice = await stockedProduct(tenant, {})
    const order = await newOrder(tenant, {
      order_detail: [
        { barcode: tea.barcode, quantity: 2 },
        { barcode: rice.barcode, quantity: 3 },
      ],
    })
    await newEvents()
    const { body } = await start({ order_id: order.id })
    const { warehouse_id } = await orderOf(order)
    expect(body.data).toEqual({
      id: expect.any(Number),
      order_id: order.id,
      order_tenant_id: order.order_tenant_id,
      warehouse_id,
      state: 'started',
      operator_id: 7,
      operator_email: 'ada@example.com',
      items_to_pick: 2,
      total_quantity: 5,
      items_picked: 0,
      total_quantity_picked: 0,
      started_at: TIMESTAMP,
      completed_at: null,
      cancelled_at: null,
      cancellation_reason: null,
    })
    expect(await orderOf(order)).toMatchObject({ state_id: 3, state_name: 'In Progress', state_picking_id: 1 })
    const identity = { order_id: order.id, order_tenant_id: order.order_tenant_id }
    expect(await newEvents()).toEqual([
      {
        event: 'flow/started',
        data: {
          flow_id: body.data.id,
          ...identity,
          warehouse_id,
          operator_id: 7,
          operator_email: 'ada@example.com',
          items_to_pick: 2,
          total_quantity: 5,
          started_at: body.data.started_at,
        },
      },
      {
        event: 'order/updated',
        data: {
          ...identity,
          state_id: 3,
          state_name: 'In Progress',
          previous_state_id: 1,
          previous_state_name: 'Pending',
          warehouse_id,
          updated_fields: ['state_id', 'state_picking_id'],
          updated_at: TIMESTAMP,
        },
      },
    ])
  })

  test("takes the client's own identifier and no operator id", async () => {
    const order = await newOrder(tenant)
    const { body } = await tenant.request('POST', '/flows', {
      order_tenant_id: order.order_tenant_id,
      order_id: null,
      operator_email: ' a ',
      operator_id: null,
    })
    expect(body.data).toMatchObject({ order_id: order.id, operator_email: 'a', operator_id: null })
  })

  test('accepts both identifiers when they name the same order', async () => {
    const [order, other] = [await newOrder(tenant), await newOrder(tenant)]
    expect(failure(await start({ order_id: order.id, order_tenant_id: other.order_tenant_id }))).toEqual([
      400,
      'validation_error',
    ])
    expect(failure(await start({ order_id: order.id, order_tenant_id: 'no such order' }))).toEqual([400, 'validation_error'])
    expect(failure(await start({ order_id: 999_999, order_tenant_id: order.order_tenant_id }))).toEqual([400, 'validation_error'])
    expect((await tenant.request('GET', '/flows')).body.data.flows).toEqual([])
    expect((await start({ order_id: order.id, order_tenant_id: order.order_tenant_id })).status).toBe(200)
  })

  test('refuses an order that is being picked, completed or cancelled', async () => {
    const order = await newOrder(tenant)
    await start({ order_id: order.id })
    const second = await start({ order_id: order.id })
    expect(failure(second)).toEqual([400, 'flow_error'])
    expect(second.body.error.message).toContain('running')
    const done = await newOrder(tenant)
    await tenant.request('PUT', `/orders/${done.id}`, { state_id: 5 })
    expect(failure(await start({ order_id: done.id }))).toEqual([400, 'flow_error'])
    const gone = await newOrder(tenant)
    await tenant.request('POST', `/orders/${gone.id}/cancel`)
    expect(failure(await start({ order_id: gone.id }))).toEqual([400, 'flow_error'])
  })

  test('starts from Pending, released, and a state 3 that was set by hand', async () => {
    for (const [state, fields] of [
      [1, ['state_id', 'state_picking_id']],
      [2, ['state_id', 'state_picking_id']],
      [3, ['state_picking_id']],
    ] as const) {
      const order = await newOrder(tenant)
      await tenant.request('PUT', `/orders/${order.id}`, { state_id: state })
      await newEvents()
      expect((await start({ order_id: order.id })).status).toBe(200)
      expect((await newEvents())[1]?.data).toMatchObject({ previous_state_id: state, state_id: 3, updated_fields: fields })
    }
  })

  it.each([
    ['neither identifier', {}],
    ['an order_id that is a text', { order_id: '1' }],
    ['an empty order_tenant_id', { order_tenant_id: '' }],
    ['no operator_email', { order_id: 1, operator_email: undefined }],
    ['a blank operator_email', { order_id: 1, operator_email: ' ' }],
    ['a long operator_email', { order_id: 1, operator_email: 'x'.repeat(256) }],
    ['an operator_id that is not an integer', { order_id: 1, operator_id: 1.5 }],
  ])('refuses %s', async (_, body) => {
    tenant = await service.newTenant()
    expect(failure(await start(body))).toEqual([400, 'validation_error'])
  })

  test('names all that is missing at once', async () => {
    const missing = async (path: string) =>
      (await tenant.request('POST', path, {})).body.error.details.map(({ path: field }: { path: string }) => field)
    expect(await missing('/flows')).toEqual(['operator_email', 'order_id'])
    expect(await missing('/flows/1/picks')).toEqual(['location_id', 'quantity', 'barcode'])
    expect(await missing('/api-keys')).toEqual(['name', 'scopes'])
  })

  test('answers not_found for an unknown order', async () => {
    expect(failure(await start({ order_id: 999_999 }))).toEqual([404, 'not_found'])
    expect(failure(await start({ order_tenant_id: 'no such order' }))).toEqual([404, 'not_found'])
    expect(failure(await start({ order_id: 999_999, order_tenant_id: 'no such order' }))).toEqual([404, 'not_found'])
  })
})

describe('POST /flows/{id}/picks', () => {
  test('takes stock for the order', async () => {
    const tea = await stockedProduct(tenant, { 'A-1': 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    const [line] = (await orderOf(order)).order_detail
    await newEvents()
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
    expect((await orderOf(order)).order_detail[0].picked_quantity).toBe(2)
    expect(await movementsOf(order)).toEqual([
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
    const events = await newEvents()
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

  test('tells of a low stock that it causes', async () => {
    const tea = await stockedProduct(tenant, { 'A-1': 5 }, { minimum_threshold: 4 })
    const { flow } = await startedFlow(tenant, [[tea, 3]])
    await newEvents()
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A-1', quantity: 2 })
    expect(topics(await newEvents())).toEqual(['stock/movement_created', 'stock/updated', 'stock/low_alert'])
  })

  test('fills the open lines of the product in order, by barcode and by product_id', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const rice = await stockedProduct(tenant, { A: 100 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 2],
      [rice, 2],
      [tea, 3],
      [tea, 4],
    ])
    const ids = (await orderOf(order)).order_detail.map((line: { id: number }) => line.id)
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
    expect((await orderOf(order)).order_detail.map((line: { picked_quantity: number }) => line.picked_quantity)).toEqual([
      2, 0, 3, 1,
    ])
    expect(await flowOf(flow)).toMatchObject({ items_picked: 3, total_quantity_picked: 6 })
  })

  test('fills one line alone by order_detail_id', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 2],
      [tea, 3],
    ])
    const [, line] = (await orderOf(order)).order_detail
    const tooMuch = await pick(tenant, flow, { order_detail_id: line.id, location_id: 'A', quantity: 4 })
    expect(failure(tooMuch)).toEqual([400, 'flow_error'])
    expect(tooMuch.body.error.message).toContain('only 3 left')
    const { body } = await pick(tenant, flow, { order_detail_id: line.id, location_id: 'A', quantity: 3 })
    expect(body.data.lines).toMatchObject([{ order_detail_id: line.id, remaining: 0 }])
    expect((await orderOf(order)).order_detail.map((line: { picked_quantity: number }) => line.picked_quantity)).toEqual([0, 3])
  })

  test('refuses more than is ordered, and does nothing then', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
    await newEvents()
    expect(failure(await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 }))).toEqual([
      400,
      'flow_error',
    ])
    expect(await newEvents()).toEqual([])
    expect(await stockOf(tenant, tea)).toEqual({ A: 99 })
    expect((await movementsOf(order)).length).toBe(1)
  })

  test('refuses more than is in stock, and does nothing then', async () => {
    const tea = await stockedProduct(tenant, { A: 1, B: 100 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    await newEvents()
    const short = await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 2 })
    expect(failure(short)).toEqual([400, 'adjustment_error'])
    expect(short.body.error.message).toContain('only 1 in stock')
    expect(failure(await pick(tenant, flow, { barcode: tea.barcode, location_id: 'no such place', quantity: 1 }))).toEqual([
      400,
      'adjustment_error',
    ])
    expect(await newEvents()).toEqual([])
    expect(await movementsOf(order)).toEqual([])
    const locations = (await tenant.request('GET', '/locations')).body.data.locations
    expect(locations.map(({ id }: { id: string }) => id)).toEqual(['A', 'B'])
  })

  test('refuses a product that is not ordered, and one that does not exist', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const rice = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 3]])
    const other = await startedFlow(tenant, [[rice, 3]])
    const [lineOfOther] = (await orderOf(other.order)).order_detail
    const at = { location_id: 'A', quantity: 1 }
    expect(failure(await pick(tenant, flow, { barcode: rice.barcode, ...at }))).toEqual([400, 'flow_error'])
    expect(failure(await pick(tenant, flow, { barcode: 'no such barcode', ...at }))).toEqual([404, 'not_found'])
    expect(failure(await pick(tenant, flow, { product_id: 999_999, ...at }))).toEqual([404, 'not_found'])
    expect(failure(await pick(tenant, flow, { order_detail_id: lineOfOther.id, ...at }))).toEqual([404, 'not_found'])
    expect(failure(await pick(tenant, 999_999, { barcode: tea.barcode, ...at }))).toEqual([404, 'not_found'])
    expect(failure(await pick(tenant, 'x' as never, { barcode: tea.barcode, ...at }))).toEqual([400, 'invalid_id'])
  })

  test('takes decimals of weighable products only, exactly', async () => {
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
    expect((await orderOf(order)).order_detail[0].picked_quantity).toBe(1)
    expect(await stockOf(tenant, cheese)).toEqual({ A: 0.1 })
  })

  it.each([
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
  ])('refuses %s', async (_, change) => {
    tenant = await service.newTenant()
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 3]])
    expect(failure(await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, ...change }))).toEqual([
      400,
      'validation_error',
    ])
    expect(await stockOf(tenant, tea)).toEqual({ A: 10 })
  })

  test('refuses any number that no level holds', async () => {
    const cheese = await stockedProduct(tenant, { A: MAX }, { weighable: true })
    const { flow } = await startedFlow(tenant, [[cheese, 1_000_000]])
    expect(failure(await pick(tenant, flow, { barcode: cheese.barcode, location_id: 'A', quantity: MAX }))).toEqual([
      400,
      'flow_error',
    ])
    expect((await pick(tenant, flow, { barcode: cheese.barcode, location_id: 'A', quantity: 1_000_000 })).status).toBe(200)
  })

  test('picks what was deleted from the catalog since it was ordered', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 3]])
    await tenant.request('DELETE', `/products/${tea.id}`)
    expect((await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })).status).toBe(200)
  })
})

describe('a pick that is sent again with its pick_id', () => {
  test('has no effect and gets the same answer', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    const body = { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'scan 1' }
    const first = await pick(tenant, flow, body)
    expect(first.body.data.pick.id).toBe('scan 1')
    await pick(tenant, flow, { ...body, pick_id: 'scan 2' })
    await newEvents()
    expect((await pick(tenant, flow, body)).body).toEqual(first.body)
    expect((await pick(tenant, flow, { ...body, barcode: undefined, product_id: tea.id })).body).toEqual(first.body)
    expect(await newEvents()).toEqual([])
    expect(await stockOf(tenant, tea)).toEqual({ A: 8 })
    expect((await movementsOf(order)).length).toBe(2)
  })

  test('gets the same answer after an undo, after the end of the flow and of the order', async () => {
    const tea = await stockedProduct(tenant, { A: 3 })
    const { order, flow } = await startedFlow(tenant, [[tea, 3]])
    const body = { barcode: tea.barcode, location_id: 'A', quantity: 3, pick_id: 'scan/1?#%' }
    const first = await pick(tenant, flow, body)
    await undo(flow, 'scan/1?#%')
    expect((await pick(tenant, flow, body)).body).toEqual(first.body)
    expect(await stockOf(tenant, tea)).toEqual({ A: 3 })
    const again = await pick(tenant, flow, { ...body, pick_id: 'scan 2' })
    await complete(flow)
    expect((await pick(tenant, flow, { ...body, pick_id: 'scan 2' })).body).toEqual(again.body)
    expect(await orderOf(order)).toMatchObject({ state_id: 5 })
    expect((await pick(tenant, flow, body)).body).toEqual(first.body)
    expect(await stockOf(tenant, tea)).toEqual({ A: 0 })
  })

  test('is refused when it is not the same pick', async () => {
    const tea = await stockedProduct(tenant, { A: 10, B: 10 })
    const rice = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 5],
      [rice, 5],
    ])
    const [line] = (await orderOf(order)).order_detail
    const body = { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'x' }
    await pick(tenant, flow, body)
    for (const change of [
      { quantity: 2 },
      { location_id: 'B' },
      { barcode: rice.barcode },
      { barcode: 'no such barcode' },
      { barcode: undefined, order_detail_id: line.id },
    ]) {
      const answer = await pick(tenant, flow, { ...body, ...change })
      expect(failure(answer)).toEqual([400, 'flow_error'])
      expect(answer.body.error.message).toContain('pick_id "x"')
    }
    expect(await stockOf(tenant, tea)).toEqual({ A: 9, B: 10 })
  })

  test('is another pick in another flow', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const flows = [await startedFlow(tenant, [[tea, 5]]), await startedFlow(tenant, [[tea, 5]])]
    for (const { flow } of flows) await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'x' })
    expect(await stockOf(tenant, tea)).toEqual({ A: 8 })
  })

  test('may also carry an Idempotency-Key', async () => {
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
  test('puts the stock back', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 2],
      [tea, 3],
    ])
    const taken = await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 4, pick_id: 'x' })
    await newEvents()
    const { body } = await undo(flow, 'x')
    expect(body.data.pick).toEqual(taken.body.data.pick)
    expect(body.data.lines).toMatchObject([
      { quantity: 2, picked_quantity: 0, remaining: 2 },
      { quantity: 3, picked_quantity: 0, remaining: 3 },
    ])
    expect(await stockOf(tenant, tea)).toEqual({ A: 10 })
    expect((await movementsOf(order))[0]).toMatchObject({
      movement_type: 'IN',
      quantity: 4,
      previous_quantity: 6,
      new_quantity: 10,
      reason: 'return',
      user_id: 7,
      order_id: order.id,
    })
    const events = await newEvents()
    expect(topics(events)).toEqual(['stock/movement_created', 'stock/updated'])
    expect(events[0]?.data).toMatchObject({ type: 'receipt', to_location: 'A', from_location: null })
    expect(events[1]?.data).toMatchObject({ change: 4, reason: 'return' })
    expect(await flowOf(flow)).toMatchObject({ items_picked: 0, total_quantity_picked: 0, picks: [] })
  })

  test('undoes one pick and leaves the others', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 5]])
    const at = { barcode: tea.barcode, location_id: 'A' }
    await pick(tenant, flow, { ...at, quantity: 1, pick_id: 'a' })
    const generated = (await pick(tenant, flow, { ...at, quantity: 3 })).body.data.pick.id
    expect((await undo(flow, 'a')).body.data.lines).toMatchObject([{ picked_quantity: 3 }])
    expect(await flowOf(flow)).toMatchObject({ items_picked: 1, total_quantity_picked: 3, picks: [{ id: generated }] })
    expect((await undo(flow, generated)).status).toBe(200)
    expect(await flowOf(flow)).toMatchObject({ items_picked: 0, total_quantity_picked: 0, picks: [] })
  })

  test('succeeds again without effect, also when the flow is over', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 5]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'a' })
    await undo(flow, 'a')
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 2, pick_id: 'b' })
    await newEvents()
    expect((await undo(flow, 'a')).body.data.lines).toMatchObject([{ picked_quantity: 2, remaining: 3 }])
    expect(await newEvents()).toEqual([])
    await complete(flow)
    expect((await undo(flow, 'a')).status).toBe(200)
    expect(failure(await undo(flow, 'b'))).toEqual([400, 'flow_error'])
    expect(await stockOf(tenant, tea)).toEqual({ A: 8 })
  })

  test('answers not_found for an unknown pick or flow', async () => {
    const { flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    expect(failure(await undo(flow, 'no such pick'))).toEqual([404, 'not_found'])
    expect(failure(await undo(999_999, 'x'))).toEqual([404, 'not_found'])
    expect(failure(await undo(flow, 'x'.repeat(256)))).toEqual([404, 'not_found'])
  })

  test('refuses when the location can no longer hold it', async () => {
    const tea = await stockedProduct(tenant, { A: 1 })
    const { flow } = await startedFlow(tenant, [[tea, 1]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'a' })
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: MAX })
    expect(failure(await undo(flow, 'a'))).toEqual([400, 'adjustment_error'])
    expect(failure(await cancel(flow))).toEqual([400, 'adjustment_error'])
    expect(await flowOf(flow)).toMatchObject({ state: 'started', total_quantity_picked: 1 })
  })
})

describe('POST /flows/{id}/complete', () => {
  test('completes the order when all of it is picked', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const rice = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 2],
      [rice, 3],
    ])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 2 })
    await pick(tenant, flow, { barcode: rice.barcode, location_id: 'A', quantity: 3 })
    await newEvents()
    const { body } = await complete(flow)
    expect(body.data).toMatchObject({
      state: 'completed',
      items_picked: 2,
      total_quantity_picked: 5,
      completed_at: TIMESTAMP,
      cancelled_at: null,
    })
    const after = await orderOf(order)
    expect(after).toMatchObject({ state_id: 5, state_name: 'Completed', state_picking_id: 2 })
    const identity = { order_id: order.id, order_tenant_id: order.order_tenant_id }
    const { warehouse_id } = after
    const [flowCompleted, updated, completed, ...others] = await newEvents()
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

  test('gives durations in minutes with two decimals', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { flow } = await startedFlow(tenant, [[tea, 1]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
    await service.db.kysely
      .updateTable('picking_flows')
      .set({ started_at: new Date(Date.now() - 754_000) })
      .where('id', '=', flow)
      .execute()
    await newEvents()
    await complete(flow)
    const durations = (await newEvents()).flatMap(({ data }) =>
      'duration_minutes' in data ? [data.duration_minutes as number] : [],
    )
    expect(durations.length).toBe(2)
    for (const duration of durations) {
      expect(duration).toBeCloseTo(12.57, 1)
      expect(Number(duration.toFixed(2))).toBe(duration)
    }
  })

  test('releases an order that is picked in part, and a later flow picks the rest', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const rice = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 4],
      [rice, 3],
      [rice, 1],
    ])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await pick(tenant, flow, { barcode: rice.barcode, location_id: 'A', quantity: 3 })
    await newEvents()
    await complete(flow)
    const events = await newEvents()
    expect(topics(events)).toEqual(['flow/completed', 'order/updated'])
    expect(events[1]?.data).toMatchObject({ state_id: 2, previous_state_id: 3 })
    expect(await orderOf(order)).toMatchObject({
      state_id: 2,
      state_picking_id: 2,
      order_detail: [{ picked_quantity: 3 }, { picked_quantity: 3 }, { picked_quantity: 0 }],
    })

    const second = (await start({ order_id: order.id, operator_email: 'grace@example.com' })).body.data
    expect(second).toMatchObject({ items_to_pick: 2, total_quantity: 2, items_picked: 0, total_quantity_picked: 0 })
    await pick(tenant, second.id, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
    expect(failure(await pick(tenant, second.id, { barcode: tea.barcode, location_id: 'A', quantity: 1 }))).toEqual([
      400,
      'flow_error',
    ])
    await pick(tenant, second.id, { barcode: rice.barcode, location_id: 'A', quantity: 1 })
    await newEvents()
    await complete(second.id)
    const [flowCompleted, , completed] = await newEvents()
    expect(flowCompleted?.data).toMatchObject({ items_picked: 2, total_quantity_picked: 2 })
    const first = await flowOf(flow)
    expect(completed?.data).toMatchObject({
      items_picked: 3,
      total_quantity_picked: 8,
      picked_by: 'grace@example.com',
      started_at: first.started_at,
    })
    expect(await flowOf(flow)).toMatchObject({
      items_picked: 2,
      total_quantity_picked: 6,
      picks: [{ quantity: 3 }, { quantity: 3 }],
    })
    expect(await flowOf(second.id)).toMatchObject({ items_picked: 2, total_quantity_picked: 2 })
  })

  test('asks for nothing when nothing was picked', async () => {
    const { order, flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    expect((await complete(flow)).body.data).toMatchObject({ state: 'completed', items_picked: 0 })
    expect(await orderOf(order)).toMatchObject({ state_id: 2, state_picking_id: 2 })
  })

  test('refuses a flow that is over', async () => {
    const { flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    await complete(flow)
    expect(failure(await complete(flow))).toEqual([400, 'flow_error'])
    expect(failure(await cancel(flow))).toEqual([400, 'flow_error'])
    expect(failure(await complete(999_999))).toEqual([404, 'not_found'])
  })
})

describe('POST /flows/{id}/cancel', () => {
  test('puts every pick back to where it came from', async () => {
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
    await undo(flow, 'undone')
    await newEvents()
    const { body } = await cancel(flow, { reason: 'shift ended' })
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
    const returns = (await movementsOf(order)).slice(0, 4).toReversed()
    expect(returns).toMatchObject([
      { location_id: 'B', movement_type: 'IN', quantity: 2, previous_quantity: 7, new_quantity: 9, reason: 'return', user_id: 7 },
      { location_id: 'A', quantity: 3, previous_quantity: 7, new_quantity: 10 },
      { location_id: 'B', quantity: 1, previous_quantity: 9, new_quantity: 10 },
      { location_id: 'A', product_id: rice.id, quantity: 3, previous_quantity: 7, new_quantity: 10 },
    ])
    const events = await newEvents()
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
    expect(await orderOf(order)).toMatchObject({
      state_id: 2,
      state_picking_id: 3,
      order_detail: [{ picked_quantity: 0 }, { picked_quantity: 0 }],
    })
    expect((await flowOf(flow)).picks.length).toBe(4)
  })

  test('leaves what earlier flows picked', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 8]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await complete(flow)
    const second = (await start({ order_id: order.id })).body.data.id
    await pick(tenant, second, { barcode: tea.barcode, location_id: 'A', quantity: 2 })
    await cancel(second)
    expect(await stockOf(tenant, tea)).toEqual({ A: 7 })
    expect((await orderOf(order)).order_detail[0].picked_quantity).toBe(3)
    expect((await start({ order_id: order.id })).body.data).toMatchObject({ items_to_pick: 1, total_quantity: 5 })
  })

  test('succeeds again without an event, and the reason stays', async () => {
    const { flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    const first = await cancel(flow, { reason: 'first' })
    await newEvents()
    expect((await cancel(flow, { reason: 'second' })).body).toEqual(first.body)
    expect(await newEvents()).toEqual([])
    expect(failure(await complete(flow))).toEqual([400, 'flow_error'])
    expect(failure(await pick(tenant, flow, { barcode: 'x', location_id: 'A', quantity: 1 }))).toEqual([400, 'flow_error'])
    expect(failure(await cancel(999_999))).toEqual([404, 'not_found'])
  })
})

describe('an order whose flow runs', () => {
  test('is cancelled together with the flow', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 8]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await newEvents()
    await tenant.request('POST', `/orders/${order.id}/cancel`, { reason: 'changed my mind' })
    const events = await newEvents()
    expect(topics(events)).toEqual(['stock/movement_created', 'stock/updated', 'flow/cancelled', 'order/cancelled'])
    expect(events[2]?.data).toMatchObject({
      flow_id: flow,
      cancellation_reason: 'changed my mind',
      items_picked_before_cancel: 1,
    })
    expect(events[3]?.data).toMatchObject({ previous_state_id: 3, cancellation_reason: 'changed my mind' })
    expect(await stockOf(tenant, tea)).toEqual({ A: 10 })
    expect(await orderOf(order)).toMatchObject({ state_id: 7, state_picking_id: 3, order_detail: [{ picked_quantity: 0 }] })
    expect(await flowOf(flow)).toMatchObject({ state: 'cancelled', cancellation_reason: 'changed my mind' })
  })

  test('keeps what earlier flows picked when it is cancelled', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 8]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await complete(flow)
    await tenant.request('POST', `/orders/${order.id}/cancel`)
    expect(await stockOf(tenant, tea)).toEqual({ A: 7 })
    expect(await orderOf(order)).toMatchObject({ state_id: 7, state_picking_id: 2, order_detail: [{ picked_quantity: 3 }] })
  })

  test('is cancelled by PUT with state_id 7', async () => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [[tea, 8]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 3 })
    await newEvents()
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 7 })
    const events = await newEvents()
    expect(topics(events)).toEqual([
      'stock/movement_created',
      'stock/updated',
      'flow/cancelled',
      'order/updated',
      'order/cancelled',
    ])
    expect(events[3]?.data).toMatchObject({ updated_fields: ['state_id', 'state_picking_id'], previous_state_id: 3 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 10 })
    expect(await flowOf(flow)).toMatchObject({ state: 'cancelled', cancellation_reason: null })
  })

  test('changes its state in no other way, and its fields freely', async () => {
    const { order, flow } = await startedFlow(tenant, [[await stockedProduct(tenant, {}), 1]])
    for (const state_id of [1, 2, 5]) {
      expect(failure(await tenant.request('PUT', `/orders/${order.id}`, { state_id }))).toEqual([400, 'update_error'])
    }
    expect((await tenant.request('PUT', `/orders/${order.id}`, { state_id: 3, customer_name: 'Ada' })).status).toBe(200)
    expect(await flowOf(flow)).toMatchObject({ state: 'started' })
    expect(await orderOf(order)).toMatchObject({ state_id: 3, state_picking_id: 1, customer_name: 'Ada' })
  })
})

describe('GET /flows/{id}', () => {
  test("shows what is left, where it lies in the order's warehouse, and the picks", async () => {
    const tea = await stockedProduct(tenant, { 'B-1': 2, 'A-1': 10, empty: 0, elsewhere: 5 })
    const rice = await stockedProduct(tenant, {})
    const warehouse = (await tenant.request('POST', '/warehouses', { name: 'East' })).body.data
    await tenant.request('PUT', '/locations/elsewhere', { warehouse_id: warehouse.id })
    await tenant.request('PUT', '/locations/A-1', { code: 'Aisle 1' })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 3],
      [rice, 4],
    ])
    const [first, second] = (await orderOf(order)).order_detail
    const taken = (await pick(tenant, flow, { barcode: tea.barcode, location_id: 'B-1', quantity: 1 })).body.data.pick
    const more = (await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A-1', quantity: 2 })).body.data.pick
    const listed = (await tenant.request('GET', '/flows')).body.data.flows[0]
    expect(await flowOf(flow)).toEqual({
      ...listed,
      lines: [
        {
          order_detail_id: first.id,
          product_id: tea.id,
          barcode: tea.barcode,
          product_name: tea.name,
          quantity: 3,
          picked_quantity: 3,
          remaining: 0,
          locations: [
            { location_id: 'A-1', location_code: 'Aisle 1', quantity: 8 },
            { location_id: 'B-1', location_code: 'B-1', quantity: 1 },
          ],
        },
        {
          order_detail_id: second.id,
          product_id: rice.id,
          barcode: rice.barcode,
          product_name: rice.name,
          quantity: 4,
          picked_quantity: 0,
          remaining: 4,
          locations: [],
        },
      ],
      picks: [taken, more],
    })
  })

  test('answers not_found and invalid_id', async () => {
    expect(failure(await tenant.request('GET', '/flows/999999'))).toEqual([404, 'not_found'])
    expect(failure(await tenant.request('GET', '/flows/abc'))).toEqual([400, 'invalid_id'])
  })
})

describe('GET /flows', () => {
  test('lists flows newest first, by state and by order, with exact totals', async () => {
    const tea = await stockedProduct(tenant, {})
    const flows = []
    for (let n = 0; n < 5; n++) flows.push(await startedFlow(tenant, [[tea, 1]]))
    const [a, b, c, d, e] = flows.map(({ flow }) => flow) as [number, number, number, number, number]
    await complete(b)
    await cancel(c)
    await cancel(d)
    const again = (await start({ order_id: flows[1]?.order.id })).body.data.id
    const list = async (query: string) => {
      const { flows, pagination } = (await tenant.request('GET', `/flows${query}`)).body.data
      return [flows.map(({ id }: { id: number }) => id), pagination]
    }
    const page = (total: number, more: object = {}) => ({ total, page: 1, limit: 50, total_pages: Math.min(total, 1), ...more })
    for (let round = 0; round < 2; round++) {
      expect(await list('')).toEqual([[again, e, d, c, b, a], page(6)])
      expect(await list('?state=started')).toEqual([[again, e, a], page(3)])
      expect(await list('?state=completed')).toEqual([[b], page(1)])
      expect(await list('?state=cancelled&limit=1&page=2')).toEqual([[c], page(2, { page: 2, limit: 1, total_pages: 2 })])
      expect(await list('?limit=4&page=2')).toEqual([[b, a], page(6, { page: 2, limit: 4, total_pages: 2 })])
      expect(await list('?page=3')).toEqual([[], page(6, { page: 3 })])
      expect(await list(`?order_id=${flows[1]?.order.id}`)).toEqual([[again, b], page(2)])
      expect(await list(`?order_id=${flows[1]?.order.id}&state=completed`)).toEqual([[b], page(1)])
      expect(await list('?order_id=999999')).toEqual([[], page(0)])
      await foldCounts(service.db)
    }
    expect((await tenant.request('GET', '/flows?limit=500')).body.data.pagination.limit).toBe(100)
    expect(failure(await tenant.request('GET', '/flows?state=running'))).toEqual([400, 'validation_error'])
    expect(failure(await tenant.request('GET', '/flows?order_id=x'))).toEqual([400, 'validation_error'])
  })
})

/** Minutes from one timestamp to another as events give them; the timestamps' own microseconds are not known here. */
function minutes(from: string, to: string): unknown {
  return expect.closeTo((Date.parse(to) - Date.parse(from)) / 60_000, 1)
}

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf } from '../support/events.ts'
import { newOrder } from '../support/orders.ts'
import {
  expectConsistentPicking,
  OPERATOR,
  pick,
  startedFlow,
  stockedProduct,
  stockOf,
  type PickableProduct,
} from '../support/picking.ts'
import { startService, type Answer, type TestService, type TestTenant } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'

let service: TestService
let tenant: TestTenant
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

/** A new tenant for the test; what it leaves behind is checked when `body` is done. */
function test(name: string, body: () => Promise<void>): void {
  it(name, async () => {
    tenant = await service.newTenant()
    await body()
    await expectConsistentStock(service.db, tenant)
    await expectConsistentPicking(service.db, tenant)
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(service.db.kysely)
    expect(rows).toEqual([{ deadlocks: 0 }])
  })
}

/** How many answers were given: `ok`, or the error code. */
function tally(answers: Answer[]): Record<string, number> {
  const outcomes = answers.map(({ status, body }) => (status === 200 ? 'ok' : body.error.code))
  return Object.fromEntries([...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, all]) => [outcome, all.length]))
}

const pickOne = (flow: number, { barcode }: PickableProduct, more: object = {}) =>
  pick(tenant, flow, { barcode, location_id: 'A', quantity: 1, ...more })
const post = (path: string) => tenant.request('POST', path)
const undo = (flow: number, id: string) => tenant.request('DELETE', `/flows/${flow}/picks/${id}`)
const flowOf = async (flow: number) => (await tenant.request('GET', `/flows/${flow}`)).body.data
const orderOf = async ({ id }: { id: number }) => (await tenant.request('GET', `/orders/${id}`)).body.data

describe('operators at the same time', () => {
  test('never take more than there is in stock', async () => {
    const tea = await stockedProduct(tenant, { A: 20 })
    const flows = await Promise.all(times(6, () => startedFlow(tenant, [[tea, 10]])))
    const answers = await Promise.all(times(60, (n) => pickOne(flows[n % 6]?.flow as number, tea)))
    expect(tally(answers)).toEqual({ ok: 20, adjustment_error: 40 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 0 })
  })

  test('never take more than is ordered', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [
      [tea, 4],
      [tea, 6],
    ])
    const answers = await Promise.all(times(40, () => pickOne(flow, tea)))
    expect(tally(answers)).toEqual({ ok: 10, flow_error: 30 })
    expect(await flowOf(flow)).toMatchObject({
      items_picked: 2,
      total_quantity_picked: 10,
      lines: [{ remaining: 0 }, { remaining: 0 }],
    })
  })

  test('start one flow of an order', async () => {
    const order = await newOrder(tenant)
    const answers = await Promise.all(times(12, () => tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })))
    expect(tally(answers)).toEqual({ ok: 1, flow_error: 11 })
  })

  test('start the next flow with what the one before left, whenever it ends', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    for (let round = 0; round < 8; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 5]])
      await pickOne(flow, tea, { quantity: 2 })
      const [, , ...starts] = await Promise.all([
        pickOne(flow, tea),
        post(`/flows/${flow}/complete`),
        ...times(4, () => tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })),
      ])
      const picked = (await flowOf(flow)).total_quantity_picked
      for (const { body } of starts.filter(({ status }) => status === 200)) expect(body.data.total_quantity).toBe(5 - picked)
    }
  })
})

describe('the same pick at the same time', () => {
  test('is taken once, and every answer is the same', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 100]])
    const answers = await Promise.all(times(12, () => pickOne(flow, tea, { pick_id: 'scan', quantity: 3 })))
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body)
    expect(tally(answers)).toEqual({ ok: 12 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 97 })
  })

  test('is taken once when it takes all that is ordered, or all that is in stock', async () => {
    for (const [stock, ordered] of [
      [5, 100],
      [100, 5],
      [5, 5],
    ] as const) {
      const tea = await stockedProduct(tenant, { A: stock })
      const { flow } = await startedFlow(tenant, [[tea, ordered]])
      const answers = await Promise.all(times(8, () => pickOne(flow, tea, { pick_id: 'scan', quantity: 5 })))
      expect(tally(answers)).toEqual({ ok: 8 })
    }
  })

  test('is taken once when it carries an Idempotency-Key each time', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 100]])
    const answers = await Promise.all(
      times(8, (n) =>
        tenant.request(
          'POST',
          `/flows/${flow}/picks`,
          { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'scan' },
          { headers: { 'idempotency-key': `${n}` } },
        ),
      ),
    )
    expect(tally(answers)).toEqual({ ok: 8 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 99 })
  })

  test('is refused where it is not quite the same', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 100]])
    const answers = await Promise.all(times(8, (n) => pickOne(flow, tea, { pick_id: 'scan', quantity: n + 1 })))
    expect(tally(answers)).toEqual({ ok: 1, flow_error: 7 })
  })

  test('is undone once', async () => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { order, flow } = await startedFlow(tenant, [[tea, 10]])
    await pickOne(flow, tea, { pick_id: 'scan', quantity: 4 })
    await pickOne(flow, tea, { quantity: 3 })
    const answers = await Promise.all([
      ...times(8, () => undo(flow, 'scan')),
      ...times(4, () => pickOne(flow, tea, { pick_id: 'scan', quantity: 4 })),
    ])
    expect(tally(answers)).toEqual({ ok: 12 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 97 })
    expect((await tenant.request('GET', `/stock/movements?order_id=${order.id}`)).body.data.pagination.total).toBe(3)
  })
})

describe('undoing picks', () => {
  test('loses no pick that is taken at the same time', async () => {
    const tea = await stockedProduct(tenant, { A: 500 })
    const { flow } = await startedFlow(tenant, [[tea, 200]])
    for (let round = 0; round < 5; round++) {
      const taken = times(6, (n) => `${round}-${n}`)
      await Promise.all(taken.map((id) => pickOne(flow, tea, { pick_id: id })))
      const answers = await Promise.all(taken.flatMap((id) => [undo(flow, id), pickOne(flow, tea, { quantity: 2 })]))
      expect(tally(answers)).toEqual({ ok: 12 })
      expect(await flowOf(flow)).toMatchObject({
        total_quantity_picked: 12 * (round + 1),
        lines: [{ picked_quantity: 12 * (round + 1) }],
      })
    }
  })
})

describe('picks while the flow ends', () => {
  test('are all put back when it is cancelled', async () => {
    const tea = await stockedProduct(tenant, { A: 50, B: 50 })
    const { order, flow } = await startedFlow(tenant, [[tea, 40]])
    const pick = (n: number) => pickOne(flow, tea, { location_id: n % 2 === 0 ? 'A' : 'B' })
    const before = times(15, pick)
    const answers = await Promise.all([...before, post(`/flows/${flow}/cancel`), ...times(15, pick)])
    expect(answers[15]?.status).toBe(200)
    // How many come before the cancellation is up to chance; what comes after it is refused.
    expect(Object.keys(tally([...answers, await pick(0)])).toSorted()).toEqual(['flow_error', 'ok'])
    expect(await stockOf(tenant, tea)).toEqual({ A: 50, B: 50 })
    expect(await orderOf(order)).toMatchObject({ state_id: 2, order_detail: [{ picked_quantity: 0 }] })
  })

  test('are all put back when the order is cancelled, in either way', async () => {
    const tea = await stockedProduct(tenant, { A: 50 })
    for (const cancelOrder of [
      (id: number) => post(`/orders/${id}/cancel`),
      (id: number) => tenant.request('PUT', `/orders/${id}`, { state_id: 7 }),
    ]) {
      const { order, flow } = await startedFlow(tenant, [[tea, 40]])
      const before = times(10, () => pickOne(flow, tea))
      const [cancelled] = await Promise.all([cancelOrder(order.id), ...before, ...times(10, () => pickOne(flow, tea))])
      expect(cancelled?.status).toBe(200)
      expect(await stockOf(tenant, tea)).toEqual({ A: 50 })
      expect(await orderOf(order)).toMatchObject({ state_id: 7, state_picking_id: 3, order_detail: [{ picked_quantity: 0 }] })
      expect(await flowOf(flow)).toMatchObject({ state: 'cancelled' })
    }
  })

  test('are in what the completion tells, or refused', async () => {
    const tea = await stockedProduct(tenant, { A: 500 })
    for (let round = 0; round < 10; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 5]])
      const [completion, ...picks] = await Promise.all([post(`/flows/${flow}/complete`), ...times(5, () => pickOne(flow, tea))])
      const taken = tally(picks).ok ?? 0
      expect(completion?.body.data.total_quantity_picked).toBe(taken)
      expect(await orderOf(order)).toMatchObject({ state_id: taken === 5 ? 5 : 2, order_detail: [{ picked_quantity: taken }] })
    }
  })

  test('are undone or kept, as the answer says', async () => {
    const tea = await stockedProduct(tenant, { A: 500 })
    for (let round = 0; round < 10; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 2]])
      await pickOne(flow, tea, { quantity: 2, pick_id: 'scan' })
      const completion = round % 2 === 0 ? post(`/flows/${flow}/complete`) : undefined
      const [undone] = await Promise.all([undo(flow, 'scan'), completion ?? post(`/flows/${flow}/complete`)])
      expect(await orderOf(order)).toMatchObject(
        undone?.status === 200
          ? { state_id: 2, order_detail: [{ picked_quantity: 0 }] }
          : { state_id: 5, order_detail: [{ picked_quantity: 2 }] },
      )
    }
  })
})

describe('everything at once', () => {
  test('ends a flow once, and tells it once', async () => {
    const tea = await stockedProduct(tenant, { A: 500 })
    for (let round = 0; round < 10; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 2]])
      await pickOne(flow, tea)
      await Promise.all([
        post(`/flows/${flow}/complete`),
        post(`/flows/${flow}/cancel`),
        post(`/orders/${order.id}/cancel`),
        tenant.request('PUT', `/orders/${order.id}`, { state_id: 7 }),
        tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 }),
        pickOne(flow, tea),
      ])
      const ends = (await eventsOf(service, tenant)).filter(
        ({ event, data }) => data.flow_id === flow && event !== 'flow/started',
      )
      expect(ends.length).toBe(1)
    }
  })

  test('never waits in a circle for stock that several flows and a count need in different orders', async () => {
    const products = await Promise.all(times(6, () => stockedProduct(tenant, { A: 1_000 })))
    const flows = await Promise.all(
      times(6, async (n) => {
        const own = n % 2 === 0 ? products : products.toReversed()
        const started = await startedFlow(
          tenant,
          own.map((product) => [product, 5]),
        )
        for (const product of own) await pickOne(started.flow, product, { quantity: 2 })
        return started
      }),
    )
    const updates = products.map(({ id }) => ({ product_id: id, location_id: 'A', quantity: 500 }))
    const answers = await Promise.all([
      ...flows.map(({ flow }, n) => (n < 3 ? post(`/flows/${flow}/cancel`) : post(`/orders/${flows[n]?.order.id}/cancel`))),
      ...times(12, (n) => pickOne(flows[n % 6]?.flow as number, products[n % 6] as PickableProduct)),
      tenant.request('POST', '/stock/bulk', { updates }),
      tenant.request('POST', '/stock/bulk', { updates: updates.toReversed() }),
    ])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  })

  test("tells an order's events in the order of occurrence", async () => {
    const tea = await stockedProduct(tenant, { A: 500 })
    for (let round = 0; round < 6; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 20]])
      await Promise.all([
        ...times(8, () => pickOne(flow, tea)),
        post(`/flows/${flow}/cancel`),
        ...times(4, () => tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })),
        ...times(4, (n) => tenant.request('PUT', `/orders/${order.id}`, { customer_name: `${n}` })),
        post(`/orders/${order.id}/cancel`),
      ])
      const movements = (await tenant.request('GET', `/stock/movements?order_id=${order.id}`)).body.data.movements.toReversed()
      const ids = new Set(movements.map(({ id }: { id: string }) => id))
      const events = await eventsOf(service, tenant)
      const told = events.filter(({ event, data }) => event === 'stock/movement_created' && ids.has(data.movement_id))
      expect(told.map(({ data }) => data.movement_id)).toEqual(movements.map(({ id }: { id: string }) => id))
      const changes = events.filter(
        ({ event, data }) => data.order_id === order.id && (event === 'order/updated' || event === 'order/cancelled'),
      )
      expect(changes.map(({ data }) => data.previous_state_id)).toEqual(
        [1, ...changes.map(({ data }) => data.state_id)].slice(0, -1),
      )
      const lastReturn = events.findLastIndex(
        ({ event, data }) => event === 'stock/movement_created' && ids.has(data.movement_id),
      )
      const lastEnd = events.findLastIndex(({ event, data }) => event === 'flow/cancelled' && data.order_id === order.id)
      expect(lastEnd).toBeGreaterThan(lastReturn)
    }
  })
})

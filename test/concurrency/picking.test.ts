import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { endBatch, orderWith, startBatch } from '../support/batches.ts'
import { it } from '../support/it.ts'
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
import type { ServiceResponse, TestTenant } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

/** After every test, orders, lines, flows, picks, movements and counts must be consistent. */
it.afterEach(async ({ service, tenant }) => {
  await expectConsistentStock(service.db, tenant)
  await expectConsistentPicking(service.db, tenant)
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(service.db.kysely)
  expect(rows).toEqual([{ deadlocks: 0 }])
})

/** Number of responses by outcome: `ok`, or the error code. */
function tally(responses: ServiceResponse[]): Record<string, number> {
  const outcomes = responses.map(({ status, body }) => (status === 200 ? 'ok' : body.error.code))
  return Object.fromEntries([...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, all]) => [outcome, all.length]))
}

const pickOne = (tenant: TestTenant, flow: number, { barcode }: PickableProduct, more: object = {}) =>
  pick(tenant, flow, { barcode, location_id: 'A', quantity: 1, ...more })
const post = (tenant: TestTenant, path: string) => tenant.request('POST', path)
const undo = (tenant: TestTenant, flow: number, id: string) => tenant.request('DELETE', `/flows/${flow}/picks/${id}`)
const flowOf = async (tenant: TestTenant, flow: number) => (await tenant.request('GET', `/flows/${flow}`)).body.data
const orderOf = async (tenant: TestTenant, { id }: { id: number }) => (await tenant.request('GET', `/orders/${id}`)).body.data

describe('concurrent operators', () => {
  it('never take more than is in stock', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 20 })
    const flows = await Promise.all(times(6, () => startedFlow(tenant, [[tea, 10]])))
    const responses = await Promise.all(times(60, (n) => pickOne(tenant, flows[n % 6]?.flow as number, tea)))
    expect(tally(responses)).toEqual({ ok: 20, adjustment_error: 40 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 0 })
  })

  it('never take more than is ordered', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [
      [tea, 4],
      [tea, 6],
    ])
    const responses = await Promise.all(times(40, () => pickOne(tenant, flow, tea)))
    expect(tally(responses)).toEqual({ ok: 10, flow_error: 30 })
    expect(await flowOf(tenant, flow)).toMatchObject({
      items_picked: 2,
      total_quantity_picked: 10,
      lines: [{ remaining: 0 }, { remaining: 0 }],
    })
  })

  it('start one flow of an order', async ({ tenant }) => {
    const order = await newOrder(tenant)
    const responses = await Promise.all(times(12, () => tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })))
    expect(tally(responses)).toEqual({ ok: 1, flow_error: 11 })
  })

  it('start the next flow with the remaining quantities, whenever the previous one ends', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    for (let round = 0; round < 8; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 5]])
      await pickOne(tenant, flow, tea, { quantity: 2 })
      const [, , ...starts] = await Promise.all([
        pickOne(tenant, flow, tea),
        post(tenant, `/flows/${flow}/complete`),
        ...times(4, () => tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })),
      ])
      const picked = (await flowOf(tenant, flow)).total_quantity_picked
      for (const { body } of starts.filter(({ status }) => status === 200)) expect(body.data.total_quantity).toBe(5 - picked)
    }
  })
})

describe('concurrent repeats of a pick', () => {
  it('take stock once, and get the same response', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 100]])
    const responses = await Promise.all(times(12, () => pickOne(tenant, flow, tea, { pick_id: 'scan', quantity: 3 })))
    for (const response of responses) expect(response.body).toEqual(responses[0]?.body)
    expect(tally(responses)).toEqual({ ok: 12 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 97 })
  })

  it('take stock once if the pick takes the whole order line or the whole stock', async ({ tenant }) => {
    for (const [stock, ordered] of [
      [5, 100],
      [100, 5],
      [5, 5],
    ] as const) {
      const tea = await stockedProduct(tenant, { A: stock })
      const { flow } = await startedFlow(tenant, [[tea, ordered]])
      const responses = await Promise.all(times(8, () => pickOne(tenant, flow, tea, { pick_id: 'scan', quantity: 5 })))
      expect(tally(responses)).toEqual({ ok: 8 })
    }
  })

  it('take stock once with an Idempotency-Key', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 100]])
    const responses = await Promise.all(
      times(8, (n) =>
        tenant.request(
          'POST',
          `/flows/${flow}/picks`,
          { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'scan' },
          { headers: { 'idempotency-key': `${n}` } },
        ),
      ),
    )
    expect(tally(responses)).toEqual({ ok: 8 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 99 })
  })

  it('are rejected if they differ', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 100]])
    const responses = await Promise.all(times(8, (n) => pickOne(tenant, flow, tea, { pick_id: 'scan', quantity: n + 1 })))
    expect(tally(responses)).toEqual({ ok: 1, flow_error: 7 })
  })

  it('are undone once', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { order, flow } = await startedFlow(tenant, [[tea, 10]])
    await pickOne(tenant, flow, tea, { pick_id: 'scan', quantity: 4 })
    await pickOne(tenant, flow, tea, { quantity: 3 })
    const responses = await Promise.all([
      ...times(8, () => undo(tenant, flow, 'scan')),
      ...times(4, () => pickOne(tenant, flow, tea, { pick_id: 'scan', quantity: 4 })),
    ])
    expect(tally(responses)).toEqual({ ok: 12 })
    expect(await stockOf(tenant, tea)).toEqual({ A: 97 })
    expect((await tenant.request('GET', `/stock/movements?order_id=${order.id}`)).body.data.pagination.total).toBe(3)
  })
})

describe('undoing picks', () => {
  it('does not lose concurrent picks', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 500 })
    const { flow } = await startedFlow(tenant, [[tea, 200]])
    for (let round = 0; round < 5; round++) {
      const taken = times(6, (n) => `${round}-${n}`)
      await Promise.all(taken.map((id) => pickOne(tenant, flow, tea, { pick_id: id })))
      const responses = await Promise.all(
        taken.flatMap((id) => [undo(tenant, flow, id), pickOne(tenant, flow, tea, { quantity: 2 })]),
      )
      expect(tally(responses)).toEqual({ ok: 12 })
      expect(await flowOf(tenant, flow)).toMatchObject({
        total_quantity_picked: 12 * (round + 1),
        lines: [{ picked_quantity: 12 * (round + 1) }],
      })
    }
  })
})

describe('picks while the flow ends', () => {
  it('are all returned to stock when it is cancelled', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 50, B: 50 })
    const { order, flow } = await startedFlow(tenant, [[tea, 40]])
    const pick = (n: number) => pickOne(tenant, flow, tea, { location_id: n % 2 === 0 ? 'A' : 'B' })
    const before = times(15, pick)
    const responses = await Promise.all([...before, post(tenant, `/flows/${flow}/cancel`), ...times(15, pick)])
    expect(responses[15]?.status).toBe(200)
    // The number of picks before the cancellation varies; picks after it are rejected.
    expect(Object.keys(tally([...responses, await pick(0)])).toSorted()).toEqual(['flow_error', 'ok'])
    expect(await stockOf(tenant, tea)).toEqual({ A: 50, B: 50 })
    expect(await orderOf(tenant, order)).toMatchObject({ state_id: 2, order_detail: [{ picked_quantity: 0 }] })
  })

  it('are all returned to stock when the order is cancelled, by either endpoint', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 50 })
    for (const cancelOrder of [
      (id: number) => post(tenant, `/orders/${id}/cancel`),
      (id: number) => tenant.request('PUT', `/orders/${id}`, { state_id: 7 }),
    ]) {
      const { order, flow } = await startedFlow(tenant, [[tea, 40]])
      const before = times(10, () => pickOne(tenant, flow, tea))
      const [cancelled] = await Promise.all([cancelOrder(order.id), ...before, ...times(10, () => pickOne(tenant, flow, tea))])
      expect(cancelled?.status).toBe(200)
      expect(await stockOf(tenant, tea)).toEqual({ A: 50 })
      expect(await orderOf(tenant, order)).toMatchObject({
        state_id: 7,
        state_picking_id: 3,
        order_detail: [{ picked_quantity: 0 }],
      })
      expect(await flowOf(tenant, flow)).toMatchObject({ state: 'cancelled' })
    }
  })

  it('are either part of the completion or rejected', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 500 })
    for (let round = 0; round < 10; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 5]])
      const [completion, ...picks] = await Promise.all([
        post(tenant, `/flows/${flow}/complete`),
        ...times(5, () => pickOne(tenant, flow, tea)),
      ])
      const taken = tally(picks).ok ?? 0
      expect(completion?.body.data.total_quantity_picked).toBe(taken)
      expect(await orderOf(tenant, order)).toMatchObject({
        state_id: taken === 5 ? 5 : 2,
        order_detail: [{ picked_quantity: taken }],
      })
    }
  })

  it('are undone or kept, according to the response', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 500 })
    for (let round = 0; round < 10; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 2]])
      await pickOne(tenant, flow, tea, { quantity: 2, pick_id: 'scan' })
      const completion = round % 2 === 0 ? post(tenant, `/flows/${flow}/complete`) : undefined
      const [undone] = await Promise.all([undo(tenant, flow, 'scan'), completion ?? post(tenant, `/flows/${flow}/complete`)])
      expect(await orderOf(tenant, order)).toMatchObject(
        undone?.status === 200
          ? { state_id: 2, order_detail: [{ picked_quantity: 0 }] }
          : { state_id: 5, order_detail: [{ picked_quantity: 2 }] },
      )
    }
  })
})

describe('all operations at the same time', () => {
  it('end a flow once, with one event', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 500 })
    for (let round = 0; round < 10; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 2]])
      await pickOne(tenant, flow, tea)
      await Promise.all([
        post(tenant, `/flows/${flow}/complete`),
        post(tenant, `/flows/${flow}/cancel`),
        post(tenant, `/orders/${order.id}/cancel`),
        tenant.request('PUT', `/orders/${order.id}`, { state_id: 7 }),
        tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 }),
        pickOne(tenant, flow, tea),
      ])
      const ends = (await eventsOf(service, tenant)).filter(
        ({ event, data }) => data.flow_id === flow && event !== 'flow/started',
      )
      expect(ends.length).toBe(1)
    }
  })

  it('do not deadlock when several flows and a stock count lock levels in different orders', async ({ tenant }) => {
    const products = await Promise.all(times(6, () => stockedProduct(tenant, { A: 1_000 })))
    const flows = await Promise.all(
      times(6, async (n) => {
        const own = n % 2 === 0 ? products : products.toReversed()
        const started = await startedFlow(
          tenant,
          own.map((product) => [product, 5]),
        )
        for (const product of own) await pickOne(tenant, started.flow, product, { quantity: 2 })
        return started
      }),
    )
    const updates = products.map(({ id }) => ({ product_id: id, location_id: 'A', quantity: 500 }))
    const responses = await Promise.all([
      ...flows.map(({ flow }, n) =>
        n < 3 ? post(tenant, `/flows/${flow}/cancel`) : post(tenant, `/orders/${flows[n]?.order.id}/cancel`),
      ),
      ...times(12, (n) => pickOne(tenant, flows[n % 6]?.flow as number, products[n % 6] as PickableProduct)),
      tenant.request('POST', '/stock/bulk', { updates }),
      tenant.request('POST', '/stock/bulk', { updates: updates.toReversed() }),
    ])
    expect(responses.filter(({ status }) => status >= 500)).toEqual([])
  })

  it('send an order’s events in the order of occurrence', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 500 })
    for (let round = 0; round < 6; round++) {
      const { order, flow } = await startedFlow(tenant, [[tea, 20]])
      await Promise.all([
        ...times(8, () => pickOne(tenant, flow, tea)),
        post(tenant, `/flows/${flow}/cancel`),
        ...times(4, () => tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })),
        ...times(4, (n) => tenant.request('PUT', `/orders/${order.id}`, { customer_name: `${n}` })),
        post(tenant, `/orders/${order.id}/cancel`),
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

describe('batches that end at the same time', () => {
  it('put picks back to the same levels, slot by slot, without a deadlock', async ({ tenant }) => {
    const [tea, rice] = [await stockedProduct(tenant, { A: 100 }), await stockedProduct(tenant, { A: 100 })]
    for (let round = 0; round < 4; round++) {
      const batches = []
      // Every second batch has the products in the other order.
      for (const products of times(6, (index) => (index % 2 === 0 ? [tea, rice] : [rice, tea]))) {
        const orders = await Promise.all(products.map((product) => orderWith(tenant, [[product, 2]])))
        const batch = await startBatch(tenant, { order_ids: orders.map(({ id }) => id) })
        await Promise.all(products.map((product, slot) => pickOne(tenant, batch.slots[slot].flow_id, product)))
        batches.push(batch)
      }
      const responses = await Promise.all(batches.map((batch) => endBatch(tenant, batch, 'cancel')))
      expect(tally(responses)).toEqual({ ok: 6 })
    }
    expect([await stockOf(tenant, tea), await stockOf(tenant, rice)]).toEqual([{ A: 100 }, { A: 100 }])
  })
})

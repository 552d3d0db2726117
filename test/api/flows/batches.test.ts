import pg from 'pg'
import { describe, expect, onTestFinished } from 'vitest'
import { it as base } from './it.ts'
import { type Batch, batchOf, endBatch, orderWith, requestBatch, startBatch } from '../../support/batches.ts'
import { failure, newOrder } from '../../support/orders.ts'
import { pick, type PickableProduct, startedFlow, stockedProduct, stockOf } from '../../support/picking.ts'
import { expectConsistentReservations, reserve } from '../../support/reservations.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { cancel, complete, flowOf, newEvents, orderOf, start, TIMESTAMP, topics, undo } from './calls.ts'

/** A tenant that does not reserve has nothing reserved. */
const it = base.extend('reservations', { auto: true }, async ({ service, tenant }, { onCleanup }) => {
  onCleanup(async () => {
    const { body } = await tenant.request('GET', '/settings')
    if (body.data.reservation_policy !== 'off') await expectConsistentReservations(service.db, tenant)
  })
})

const placed = (tenant: TestTenant, id: string, fields: object) => tenant.request('PUT', `/locations/${id}`, fields)

/** Location, product, quantity and quantities by slot of each stop. */
const wayOf = ({ stops }: Batch) => stops.map((stop: Batch) => [stop.location_id, stop.product_id, stop.quantity, bySlot(stop)])
const bySlot = ({ slots }: Batch) => Object.fromEntries(slots.map(({ slot, quantity }: Batch) => [slot, quantity]))
const missingOf = ({ missing }: Batch) => missing.map((one: Batch) => [one.product_id, one.quantity, bySlot(one)])

const orderIdsOf = ({ slots }: Batch): number[] => slots.map(({ order_id: id }: Batch) => id)

/** Two orders of tea, and one of rice. */
async function threeOrders(tenant: TestTenant, tea: PickableProduct, rice: PickableProduct) {
  return [
    await orderWith(tenant, [[tea, 2]]),
    await orderWith(tenant, [
      [rice, 1],
      [tea, 3],
    ]),
    await orderWith(tenant, [[tea, 4]]),
  ] as const
}

describe('POST /flow-batches', () => {
  it('starts a flow for each order, in slots in the order given', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 4, B: 9 })
    const rice = await stockedProduct(tenant, { A: 5 })
    const [first, second, third] = await threeOrders(tenant, tea, rice)
    await newEvents(service, tenant)
    const batch = await startBatch(tenant, { order_ids: [third.id, first.id, second.id], reference: 'walk 1' })
    const slot = (number: number, order: { id: number; order_tenant_id: string }, items: number) => ({
      slot: number,
      flow_id: batch.slots[number - 1].flow_id,
      order_id: order.id,
      order_tenant_id: order.order_tenant_id,
      state: 'started',
      items_to_pick: items,
      items_picked: 0,
    })
    const stop = (product: PickableProduct, location: string, quantity: number, slots: Record<number, number>) => ({
      location_id: location,
      location_code: location,
      product_id: product.id,
      barcode: product.barcode,
      product_name: product.name,
      quantity,
      slots: Object.entries(slots).map(([number, share]) => ({
        slot: Number(number),
        flow_id: batch.slots[Number(number) - 1].flow_id,
        quantity: share,
      })),
    })
    const { warehouse_id } = await orderOf(tenant, first)
    expect(batch).toEqual({
      id: expect.any(Number),
      reference: 'walk 1',
      state: 'started',
      warehouse_id,
      operator_email: 'ada@example.com',
      operator_id: 7,
      created_by: expect.any(String),
      created_at: TIMESTAMP,
      ended_at: null,
      slots: [slot(1, third, 1), slot(2, first, 1), slot(3, second, 2)],
      stops: [stop(tea, 'A', 4, { 1: 4 }), stop(rice, 'A', 1, { 3: 1 }), stop(tea, 'B', 5, { 2: 2, 3: 3 })],
      missing: [],
    })
    expect(await batchOf(tenant, batch)).toEqual(batch)
    const { stops: _, missing: __, ...listed } = batch
    expect((await tenant.request('GET', '/flow-batches?state=started&reference=walk%201')).body.data).toEqual({
      flow_batches: [listed],
      pagination: { total: 1, page: 1, limit: 50, total_pages: 1 },
    })
    for (const { slot: number, flow_id: flow } of batch.slots)
      expect(await flowOf(tenant, flow)).toMatchObject({ batch_id: batch.id, slot: number, operator_id: 7 })
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual([
      'flow/started',
      'order/updated',
      'flow/started',
      'order/updated',
      'flow/started',
      'order/updated',
    ])
    expect(events.map(({ data }) => data.order_id)).toEqual([third, third, first, first, second, second].map(({ id }) => id))
    expect(events[5]?.data).toMatchObject({ state_id: 3, previous_state_id: 1, updated_fields: ['state_id', 'state_picking_id'] })
  })

  it('takes the client’s identifiers of orders', async ({ tenant }) => {
    const [first, second] = [await newOrder(tenant), await newOrder(tenant)]
    const names = [second, first].map(({ order_tenant_id: name }) => name)
    const batch = await startBatch(tenant, { order_tenant_ids: names, order_ids: null, rule: null, operator_id: null })
    expect(batch).toMatchObject({ reference: null, operator_id: null })
    expect(orderIdsOf(batch)).toEqual([second.id, first.id])
  })

  it('starts none when one cannot be started, and says why for each', async ({ service, tenant }) => {
    const [good, running, over, gone] = [
      await newOrder(tenant),
      await newOrder(tenant),
      await newOrder(tenant),
      await newOrder(tenant),
    ]
    await start(tenant, { order_id: running.id })
    await tenant.request('PUT', `/orders/${over.id}`, { state_id: 5 })
    await tenant.request('POST', `/orders/${gone.id}/cancel`)
    await newEvents(service, tenant)
    const refused = await requestBatch(tenant, { order_ids: [running, good, over, gone].map(({ id }) => id), reference: 'r' })
    expect(failure(refused)).toEqual([400, 'flow_error'])
    expect(refused.body.error.message).toMatch(/^order_ids\[0\]: The order already .*order_ids\[2\]: /)
    expect(refused.body.error.details).toEqual([
      { index: 0, error: 'The order already has a running picking flow' },
      { index: 2, error: 'The order is completed and cannot be picked' },
      { index: 3, error: 'The order is cancelled and cannot be picked' },
    ])
    expect(await newEvents(service, tenant)).toEqual([])
    expect(await orderOf(tenant, good)).toMatchObject({ state_id: 1, state_picking_id: null })
    expect((await tenant.request('GET', '/flow-batches')).body.data.flow_batches).toEqual([])
    // The reference is still free.
    expect((await startBatch(tenant, { order_ids: [good.id], reference: 'r' })).slots.length).toBe(1)
  })

  it('refuses unknown orders, orders of several warehouses and too many lines', async ({ tenant }) => {
    const order = await newOrder(tenant)
    const unknown = await requestBatch(tenant, { order_ids: [999, order.id, 998] })
    expect(failure(unknown)).toEqual([400, 'validation_error'])
    expect(unknown.body.error.details).toEqual([
      { path: 'order_ids[0]', error: 'names no order' },
      { path: 'order_ids[2]', error: 'names no order' },
    ])
    const { id: north } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    const elsewhere = await newOrder(tenant, { warehouse_id: north })
    const mixed = await requestBatch(tenant, { order_tenant_ids: [order.order_tenant_id, elsewhere.order_tenant_id] })
    expect([failure(mixed), mixed.body.error.details]).toEqual([
      [400, 'validation_error'],
      [{ path: 'order_tenant_ids[1]', error: 'is an order of a different warehouse than the first' }],
    ])
    const tea = await stockedProduct(tenant, { A: 5_000 })
    const lines = (count: number) =>
      orderWith(
        tenant,
        Array.from({ length: count }, () => [tea, 1] as [PickableProduct, number]),
      )
    const [most, few] = [await lines(999), await lines(2)]
    expect(failure(await requestBatch(tenant, { order_ids: [most.id, few.id] }))).toEqual([400, 'validation_error'])
    await tenant.request('PUT', `/orders/${few.id}`, { state_id: 5 })
    const last = await lines(1)
    const batch = await startBatch(tenant, { order_ids: [most.id, last.id] })
    expect(wayOf(batch)).toEqual([['A', tea.id, 1_000, { 1: 999, 2: 1 }]])
  })

  it.for([
    ['no orders', {}],
    ['two of the three', { order_ids: [1], rule: {} }],
    ['an empty list', { order_ids: [] }],
    ['51 orders', { order_ids: Array.from({ length: 51 }, (_, index) => index + 1) }],
    ['an order twice', { order_tenant_ids: ['a', 'b', 'a'] }],
    ['an id that is a text', { order_ids: ['1'] }],
    ['no operator', { order_ids: [1], operator_email: undefined }],
    ['a rule that is no object', { rule: true }],
    ['a rule for 0 orders', { rule: { max_orders: 0 } }],
    ['a rule for 51 orders', { rule: { max_orders: 51 } }],
    ['a rule until no date', { rule: { assembly_until: '2026-02-30' } }],
    ['a rule for an unknown warehouse', { rule: { warehouse_id: 999_999 } }],
    ['an empty reference', { order_ids: [1], reference: '' }],
  ] as const)('refuses %s', async ([, body], { tenant }) => {
    expect(failure(await requestBatch(tenant, body))).toEqual([400, 'validation_error'])
  })

  it('answers a repeat of its reference with the batch as it is now, and refuses other content', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const [first, second] = [await orderWith(tenant, [[tea, 1]]), await orderWith(tenant, [[tea, 1]])]
    const content = { order_ids: [first.id, second.id], reference: 'walk' }
    const batch = await startBatch(tenant, content)
    const names = { order_tenant_ids: [first.order_tenant_id, second.order_tenant_id], reference: 'walk' }
    await newEvents(service, tenant)
    expect(await startBatch(tenant, content)).toEqual(batch)
    expect(await startBatch(tenant, names)).toEqual(batch)
    for (const other of [{ order_ids: [second.id, first.id] }, { order_ids: [first.id] }, { rule: {} }, { order_ids: [999] }])
      expect(failure(await requestBatch(tenant, { ...other, reference: 'walk' }))).toEqual([409, 'idempotency_conflict'])
    expect(failure(await requestBatch(tenant, { ...content, operator_id: 8 }))).toEqual([409, 'idempotency_conflict'])
    await endBatch(tenant, batch, 'cancel')
    await newEvents(service, tenant)
    expect(await startBatch(tenant, names)).toMatchObject({ id: batch.id, state: 'cancelled' })
    const byRule = await startBatch(tenant, { rule: { max_orders: 1, single_line: null }, reference: 'rule' })
    expect(await startBatch(tenant, { rule: { max_orders: 1, single_line: false }, reference: 'rule' })).toEqual(byRule)
    expect(failure(await requestBatch(tenant, { rule: { max_orders: 2 }, reference: 'rule' }))).toEqual([
      409,
      'idempotency_conflict',
    ])
    expect(topics(await newEvents(service, tenant))).toEqual(['flow/started', 'order/updated'])
  })
})

describe('the rule of a batch', () => {
  const chosen = async (tenant: TestTenant, rule: object = {}) => {
    const response = await requestBatch(tenant, { rule })
    if (response.status !== 200) return failure(response)
    const ids = orderIdsOf(response.body.data)
    await endBatch(tenant, response.body.data, 'cancel')
    return ids
  }

  it('chooses by date, then id, of its warehouse, until a date, as many as it says', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const on = (assembly_date: string, fields: object = {}) => orderWith(tenant, [[tea, 1]], { assembly_date, ...fields })
    const { id: north } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    await placed(tenant, 'A', { pick_sequence: 1 })
    const late = await on('2026-12-03')
    const early = await on('2026-12-01')
    const next = await on('2026-12-01')
    const released = await on('2026-12-02')
    await tenant.request('PUT', `/orders/${released.id}`, { state_id: 2 })
    const elsewhere = await on('2026-11-01', { warehouse_id: north })
    const picked = await on('2026-11-01')
    const flow = (await start(tenant, { order_id: picked.id })).body.data.id
    const handled = await on('2026-11-01')
    await tenant.request('PUT', `/orders/${handled.id}`, { state_id: 3 })
    expect(await chosen(tenant)).toEqual([early.id, next.id, released.id, late.id])
    expect(await chosen(tenant, { max_orders: 1 })).toEqual([early.id])
    expect(await chosen(tenant, { assembly_until: '2026-12-02' })).toEqual([early.id, next.id, released.id])
    expect(await chosen(tenant, { warehouse_id: north })).toEqual([400, 'flow_error'])
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'N', quantity: 1 })
    await placed(tenant, 'N', { warehouse_id: north })
    expect(await chosen(tenant, { warehouse_id: north })).toEqual([elsewhere.id])
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1 })
    await cancel(tenant, flow)
    expect(await chosen(tenant, { max_orders: 1 })).toEqual([picked.id])
  })

  it('takes 10 orders unless it says otherwise', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const orders = []
    for (let index = 0; index < 11; index += 1) orders.push((await orderWith(tenant, [[tea, 1]])).id)
    expect(await chosen(tenant)).toEqual(orders.slice(0, 10))
    expect(await chosen(tenant, { max_orders: 50 })).toEqual(orders)
  })

  it('judges each order on what those before it leave in pickable locations', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5, B: 3, dock: 50 })
    const rice = await stockedProduct(tenant, { A: 2 })
    await placed(tenant, 'dock', { pickable: false })
    const large = await orderWith(tenant, [[tea, 9]])
    const first = await orderWith(tenant, [
      [tea, 3],
      [rice, 1],
      [tea, 3],
    ])
    const second = await orderWith(tenant, [[tea, 3]])
    const third = await orderWith(tenant, [[tea, 2]])
    const alone = await orderWith(tenant, [[rice, 1]])
    const none = await orderWith(tenant, [[rice, 1]])
    expect(await chosen(tenant)).toEqual([first.id, third.id, alone.id])
    expect(await chosen(tenant, { single_line: true })).toEqual([second.id, third.id, alone.id, none.id])
    await placed(tenant, 'dock', { pickable: true })
    expect(await chosen(tenant, { max_orders: 1 })).toEqual([large.id])
  })

  it('leaves out orders that wait for stock while the tenant reserves', async ({ tenant }) => {
    await reserve(tenant, 'track')
    const tea = await stockedProduct(tenant, { A: 5 })
    const holder = await orderWith(tenant, [[tea, 4]], { assembly_date: '2026-12-05' })
    const waiting = await orderWith(tenant, [[tea, 2]], { assembly_date: '2026-12-01' })
    expect((await tenant.request('GET', `/orders/${waiting.id}/blockers`)).body.data.ready).toBe(false)
    expect(await chosen(tenant)).toEqual([holder.id])
    await tenant.request('POST', `/orders/${holder.id}/cancel`)
    expect(await chosen(tenant)).toEqual([waiting.id])
  })

  it('stops at 1,000 open lines', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 9_000 })
    const lines = (count: number) =>
      orderWith(
        tenant,
        Array.from({ length: count }, () => [tea, 1] as [PickableProduct, number]),
      )
    const [first, , last] = [await lines(600), await lines(401), await lines(1)]
    expect(await chosen(tenant)).toEqual([first.id])
    const flow = (await start(tenant, { order_id: first.id })).body.data.id
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1 })
    await complete(tenant, flow)
    expect((await chosen(tenant)).length).toBe(2)
    expect(await chosen(tenant, { single_line: true })).toEqual([last.id])
  })

  it('passes over orders that another call has locked, and looks further', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 4 })
    const orders = []
    for (let index = 0; index < 6; index += 1) orders.push((await orderWith(tenant, [[tea, 1]])).id)
    const [first, second, third, fourth, fifth] = orders
    const other = await otherCall(service)
    await other.query('begin')
    await other.query('select 1 from orders where tenant_id = $1 and id = any ($2) for no key update', [
      tenant.id,
      [first, third],
    ])
    expect(await chosen(tenant, { max_orders: 3 })).toEqual([second, fourth, fifth])
    await other.query('rollback')
    expect(await chosen(tenant, { max_orders: 3 })).toEqual([first, second, third])
  })

  it('gives parallel calls different orders', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const orders = []
    for (let index = 0; index < 12; index += 1) orders.push((await orderWith(tenant, [[tea, 1]])).id)
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => requestBatch(tenant, { rule: { max_orders: 2 }, reference: null })),
    )
    const started = responses.filter(({ status }) => status === 200).flatMap(({ body }) => orderIdsOf(body.data))
    expect(started.toSorted((a, b) => a - b)).toEqual(orders)
    for (const refused of responses.filter(({ status }) => status !== 200)) expect(failure(refused)).toEqual([400, 'flow_error'])
  })
})

/** A connection for what another call does meanwhile. */
async function otherCall(service: TestService): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe('parallel starts', () => {
  it('of lists with an order in common: one starts, the others get flow_error', async ({ tenant }) => {
    const orders = [await newOrder(tenant), await newOrder(tenant), await newOrder(tenant)].map(({ id }) => id)
    const lists = [orders, orders.toReversed(), [orders[1], orders[0], orders[2]], [orders[2], orders[1]]]
    const responses = await Promise.all(lists.map((order_ids) => requestBatch(tenant, { order_ids })))
    const refused = responses.filter(({ status }) => status !== 200)
    expect(refused.map(failure)).toEqual([
      [400, 'flow_error'],
      [400, 'flow_error'],
      [400, 'flow_error'],
    ])
  })

  it('with one reference: one has the effect, all the same answer', async ({ service, tenant }) => {
    const orders = [await newOrder(tenant), await newOrder(tenant)].map(({ id }) => id)
    await newEvents(service, tenant)
    // Both have looked for the reference before one of them gets on.
    const other = await otherCall(service)
    await other.query('begin')
    await other.query('select 1 from orders where tenant_id = $1 for no key update', [tenant.id])
    const calls = Promise.all(Array.from({ length: 2 }, () => startBatch(tenant, { order_ids: orders, reference: 'one' })))
    const waiting = `select count(*)::int as calls from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await other.query<{ calls: number }>(waiting)).rows[0]?.calls).toBe(2)
    await other.query('rollback')
    const batches = await calls
    expect(new Set(batches.map(({ id }) => id)).size).toBe(1)
    expect(topics(await newEvents(service, tenant))).toHaveLength(4)
  })
})

describe('stops', () => {
  it('follow the pick order, leave out what cannot be picked, and say what is missing', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 3, B: 2, C: 4, dock: 9 })
    const rice = await stockedProduct(tenant, { C: 1, B: 1 })
    const { id: north } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    await tenant.request('PUT', `/stock/product/${rice.id}`, { location_id: 'N', quantity: 5 })
    await placed(tenant, 'N', { warehouse_id: north })
    await placed(tenant, 'dock', { pickable: false })
    await placed(tenant, 'C', { pick_sequence: 1, code: 'Cold' })
    await placed(tenant, 'B', { pick_sequence: 2 })
    const batch = await startBatch(tenant, {
      order_ids: [
        (await orderWith(tenant, [[tea, 3]])).id,
        (
          await orderWith(tenant, [
            [rice, 3],
            [tea, 2],
            [rice, 1],
          ])
        ).id,
        (
          await orderWith(tenant, [
            [tea, 5],
            [rice, 2],
          ])
        ).id,
      ],
    })
    expect(wayOf(batch)).toEqual([
      ['C', tea.id, 4, { 1: 3, 2: 1 }],
      ['C', rice.id, 1, { 2: 1 }],
      ['B', tea.id, 2, { 2: 1, 3: 1 }],
      ['B', rice.id, 1, { 2: 1 }],
      ['A', tea.id, 3, { 3: 3 }],
    ])
    expect(batch.stops[0]).toMatchObject({ location_code: 'Cold' })
    expect(missingOf(batch)).toEqual([
      [tea.id, 1, { 3: 1 }],
      [rice.id, 4, { 2: 2, 3: 2 }],
    ])
  })

  it('are made anew of what is open now', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5, B: 5 }, { weighable: true })
    const orders = [await orderWith(tenant, [[tea, 3]]), await orderWith(tenant, [[tea, 4]])]
    const batch = await startBatch(tenant, { order_ids: orders.map(({ id }) => id) })
    const [one, two] = batch.slots.map(({ flow_id: flow }: Batch) => flow)
    expect(wayOf(batch)).toEqual([
      ['A', tea.id, 5, { 1: 3, 2: 2 }],
      ['B', tea.id, 2, { 2: 2 }],
    ])
    await pick(tenant, one, { product_id: tea.id, location_id: 'A', quantity: 1.25, pick_id: 'scan' })
    expect(wayOf(await batchOf(tenant, batch))).toEqual([
      ['A', tea.id, 3.75, { 1: 1.75, 2: 2 }],
      ['B', tea.id, 2, { 2: 2 }],
    ])
    await undo(tenant, one, 'scan')
    expect(wayOf(await batchOf(tenant, batch))).toEqual(wayOf(batch))
    await cancel(tenant, one)
    expect(wayOf(await batchOf(tenant, batch))).toEqual([['A', tea.id, 4, { 2: 4 }]])
    await pick(tenant, two, { product_id: tea.id, location_id: 'B', quantity: 4 })
    expect(await batchOf(tenant, batch)).toMatchObject({
      state: 'started',
      stops: [],
      missing: [],
      slots: [{ state: 'cancelled' }, { state: 'started', items_picked: 1 }],
    })
    await complete(tenant, two)
    expect(await batchOf(tenant, batch)).toMatchObject({ state: 'completed', ended_at: TIMESTAMP, stops: [] })
  })
})

describe('the end of a batch', () => {
  /** A batch of three slots: the first is picked in full, the second in part, the third not at all. */
  async function pickedBatch(tenant: TestTenant) {
    const tea = await stockedProduct(tenant, { A: 20 })
    const rice = await stockedProduct(tenant, { A: 20 })
    const orders = await threeOrders(tenant, tea, rice)
    const batch = await startBatch(tenant, { order_ids: orders.map(({ id }) => id) })
    const flows: number[] = batch.slots.map(({ flow_id: flow }: Batch) => flow)
    await pick(tenant, flows[0] as number, { product_id: tea.id, location_id: 'A', quantity: 2 })
    await pick(tenant, flows[1] as number, { product_id: tea.id, location_id: 'A', quantity: 1 })
    return { batch, flows, orders, tea, rice }
  }
  const statesOf = ({ state, slots }: Batch) => [state, ...slots.map((slot: Batch) => slot.state)]

  it('complete ends every running flow, slot by slot', async ({ service, tenant }) => {
    const { batch, orders } = await pickedBatch(tenant)
    await newEvents(service, tenant)
    const { body } = await endBatch(tenant, batch, 'complete')
    expect(statesOf(body.data)).toEqual(['completed', 'completed', 'completed', 'completed'])
    expect(body.data).toMatchObject({ ended_at: TIMESTAMP, stops: [], missing: [] })
    expect(await batchOf(tenant, batch)).toEqual(body.data)
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual([
      'flow/completed',
      'order/updated',
      'order/completed',
      'flow/completed',
      'order/updated',
      'flow/completed',
      'order/updated',
    ])
    const [first, second, third] = orders.map(({ id }) => id)
    expect(events.map(({ data }) => data.order_id)).toEqual([first, first, first, second, second, third, third])
    const states = await Promise.all(orders.map(async (order) => (await orderOf(tenant, order)).state_id))
    expect(states).toEqual([5, 2, 2])
    expect(await endBatch(tenant, batch, 'complete')).toMatchObject({ status: 200, body: { data: body.data } })
    expect(failure(await endBatch(tenant, batch, 'cancel'))).toEqual([400, 'flow_error'])
    expect(await newEvents(service, tenant)).toEqual([])
  })

  it('cancel puts back all picks, slot by slot', async ({ service, tenant }) => {
    const { batch, tea, flows } = await pickedBatch(tenant)
    await newEvents(service, tenant)
    const { body } = await endBatch(tenant, batch, 'cancel', { reason: 'shift ended' })
    expect(statesOf(body.data)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled'])
    expect(await stockOf(tenant, tea)).toEqual({ A: 20 })
    expect((await flowOf(tenant, flows[1] as number)).cancellation_reason).toBe('shift ended')
    const events = await newEvents(service, tenant)
    const returned = ['stock/movement_created', 'stock/updated']
    const ended = ['flow/cancelled', 'order/updated']
    expect(topics(events)).toEqual([...returned, ...ended, ...returned, ...ended, ...ended])
    expect(events.filter(({ event }) => event === 'stock/updated').map(({ data }) => data)).toMatchObject([
      { quantity: 19, previous_quantity: 17 },
      { quantity: 20, previous_quantity: 19 },
    ])
    expect(await endBatch(tenant, batch, 'cancel')).toMatchObject({ status: 200, body: { data: body.data } })
    expect(failure(await endBatch(tenant, batch, 'complete'))).toEqual([400, 'flow_error'])
    expect(await newEvents(service, tenant)).toEqual([])
  })

  it('a flow that ends by itself leaves the others alone', async ({ tenant }) => {
    const { batch, flows, orders } = await pickedBatch(tenant)
    await complete(tenant, flows[0] as number)
    await tenant.request('POST', `/orders/${orders[2].id}/cancel`)
    expect(statesOf(await batchOf(tenant, batch))).toEqual(['started', 'completed', 'started', 'cancelled'])
    const { body } = await endBatch(tenant, batch, 'cancel')
    expect(statesOf(body.data)).toEqual(['completed', 'completed', 'cancelled', 'cancelled'])
    for (const [state, total] of [
      ['started', 0],
      ['completed', 1],
      ['cancelled', 0],
    ] as const)
      expect((await tenant.request('GET', `/flow-batches?state=${state}`)).body.data.pagination.total, state).toBe(total)
  })

  it('cancels none when a location cannot hold what comes back', async ({ service, tenant }) => {
    const { batch, tea } = await pickedBatch(tenant)
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 999_999_999_997 })
    await newEvents(service, tenant)
    expect(failure(await endBatch(tenant, batch, 'cancel'))).toEqual([400, 'adjustment_error'])
    expect(statesOf(await batchOf(tenant, batch))).toEqual(['started', 'started', 'started', 'started'])
    expect(await newEvents(service, tenant)).toEqual([])
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 1 })
    expect((await endBatch(tenant, batch, 'cancel')).status).toBe(200)
  })

  it('settles reservations once, and sends their events after all others, by order', async ({ service, tenant }) => {
    await reserve(tenant, 'track')
    const tea = await stockedProduct(tenant, { A: 9, B: 10 })
    await placed(tenant, 'B', { sellable: false })
    const rice = await stockedProduct(tenant, { A: 1 })
    const orders = await threeOrders(tenant, tea, rice)
    const waiting = await orderWith(tenant, [[tea, 3]])
    const batch = await startBatch(tenant, { order_ids: orders.map(({ id }) => id) })
    // What is picked at a place that is not sellable leaves its reservation to the order that waits.
    for (const [slot, quantity] of [2, 1].entries())
      await pick(tenant, batch.slots[slot].flow_id, { product_id: tea.id, location_id: 'B', quantity })
    expect(await orderOf(tenant, waiting)).toMatchObject({ reservation_status: 'reserved' })
    await newEvents(service, tenant)
    await endBatch(tenant, batch, 'cancel')
    const events = await newEvents(service, tenant)
    expect(topics(events).slice(-4)).toEqual(['flow/cancelled', 'order/updated', 'reservation/updated', 'reservation/updated'])
    expect(events.filter(({ event }) => event === 'reservation/updated').map(({ data }) => data)).toMatchObject([
      { order_id: orders[0].id, status: 'backordered', reserved_quantity: 0, backordered_quantity: 2 },
      { order_id: orders[1].id, status: 'backordered', reserved_quantity: 3, backordered_quantity: 1 },
    ])
    await expectConsistentReservations(service.db, tenant)
    const again = await startBatch(tenant, { order_ids: [waiting.id, orders[0].id] })
    await pick(tenant, again.slots[0].flow_id, { product_id: tea.id, location_id: 'A', quantity: 3 })
    await endBatch(tenant, again, 'complete')
  })

  it('complete and cancel at once: one of them ends it', async ({ tenant }) => {
    const { batch } = await pickedBatch(tenant)
    const calls = (['complete', 'cancel', 'complete', 'cancel'] as const).map((call) => endBatch(tenant, batch, call))
    const outcomes = (await Promise.all(calls)).map(({ status, body }) => (status === 200 ? body.data.state : body.error.code))
    const ended = (await batchOf(tenant, batch)).state
    expect(outcomes.toSorted()).toEqual([ended, ended, 'flow_error', 'flow_error'].toSorted())
  })

  it('a batch that does not exist is not found', async ({ tenant }) => {
    expect(failure(await tenant.request('GET', '/flow-batches/999'))).toEqual([404, 'not_found'])
    for (const call of ['complete', 'cancel'] as const)
      expect(failure(await endBatch(tenant, { id: 999 }, call))).toEqual([404, 'not_found'])
  })
})

it('flows that are in no batch do not say so', async ({ tenant }) => {
  const { flow } = await startedFlow(tenant, [[await stockedProduct(tenant, { A: 1 }), 1]])
  const { flows } = (await tenant.request('GET', '/flows')).body.data
  for (const one of [await flowOf(tenant, flow), flows[0], (await complete(tenant, flow)).body.data])
    expect(Object.keys(one)).not.toEqual(expect.arrayContaining([expect.stringMatching(/batch_id|slot/)]))
})

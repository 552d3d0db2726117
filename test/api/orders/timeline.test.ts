import { describe, expect, vi } from 'vitest'
import { removeOldCalls } from '@fulfillment/server/domain/audit/named-calls.ts'
import { removeOldOrderEvents } from '@fulfillment/server/domain/events/remove-old-order-events.ts'
import type { Scope } from '@fulfillment/server/procedures/context.ts'
import { it } from '../../support/shared-service.ts'
import { eventsOf } from '../../support/events.ts'
import { failure, newOrder, orderFor } from '../../support/orders.ts'
import { OPERATOR, stockedProduct } from '../../support/picking.ts'
import { reserve } from '../../support/reservations.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { movementsOf } from '../flows/calls.ts'

const KINDS = ['call', 'created', 'state', 'flow', 'movement', 'reservation', 'shipment', 'return', 'event']

interface Entry {
  at: string
  kind: string
  id: string
  // Each test reads the fields that it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

const read = async (tenant: TestTenant, id: number, query = '', options = {}) =>
  (await tenant.request('GET', `/orders/${id}/timeline${query}`, undefined, options)).body.data as {
    entries: Entry[]
    omitted: string[]
    next_cursor: string | null
  }

/** The same over `/trpc`, where the schema of the endpoint checks what REST sends as text. */
async function readOverTrpc({ url, key }: TestTenant, input: object): Promise<unknown> {
  const path = `${url}/trpc/orders.timeline?input=${encodeURIComponent(JSON.stringify(input))}`
  const response = await fetch(path, { headers: { 'x-api-key': key } })
  return ((await response.json()) as { result: { data: unknown } }).result.data
}

/** All entries, in pages of `limit`, and what happens before each next page. */
async function inPages(tenant: TestTenant, id: number, limit: number, between = async () => {}, query = ''): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    // Both names of the parameter.
    const name = entries.length % 2 === 0 ? 'cursor' : 'after'
    const page = await read(tenant, id, `?limit=${limit}${query}${cursor && `&${name}=${cursor}`}`)
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    if (page.next_cursor !== null) expect(page.entries).toHaveLength(limit)
    entries.push(...page.entries)
    // Fails where a repeated entry would make the pages endless.
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
    cursor = page.next_cursor
    await between()
  }
  return entries
}

/** All entries in one page. Checks their order, that their ids are unique, and that a client of tRPC gets the same. */
async function timelineOf(tenant: TestTenant, { id }: { id: number }, query = ''): Promise<Entry[]> {
  const page = await read(tenant, id, `?limit=100${query}`)
  const { entries, next_cursor } = page
  expect(next_cursor).toBeNull()
  if (query === '') expect(await readOverTrpc(tenant, { id, limit: 100 })).toEqual(page)
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length)
  expect(entries).toEqual(entries.toSorted(compare))
  return entries
}

const compare = (a: Entry, b: Entry): number =>
  Date.parse(a.at) - Date.parse(b.at) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.id < b.id ? -1 : 1)

const dataOfKind = (entries: Entry[], kind: string) => entries.filter((entry) => entry.kind === kind).map(({ data }) => data)

/** An order that was released, picked, picked again in part, and cancelled. */
async function pickedOrder(tenant: TestTenant) {
  const tea = await stockedProduct(tenant, { A: 20 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 5 }] })
  await tenant.request('PUT', `/orders/${order.id}`, { state_id: 2 })
  const first = await startFlow(tenant, order.id)
  await pick(tenant, first, tea.id, 1, 'kept')
  await pick(tenant, first, tea.id, 1, 'undone')
  await tenant.request('DELETE', `/flows/${first}/picks/undone`)
  await tenant.request('POST', `/flows/${first}/complete`)
  const second = await startFlow(tenant, order.id)
  for (const id of ['a', 'b', 'c']) await pick(tenant, second, tea.id, 1, id)
  await tenant.request('POST', `/orders/${order.id}/cancel`, { reason: 'sold out' })
  return { ...order, tea, flows: [first, second] }
}

const startFlow = async (tenant: TestTenant, order_id: number): Promise<number> =>
  (await tenant.request('POST', '/flows', { ...OPERATOR, order_id })).body.data.id

async function pick(tenant: TestTenant, flow: number, product_id: number, quantity: number, pick_id: string): Promise<void> {
  const body = { product_id, location_id: 'A', quantity, pick_id }
  expect((await tenant.request('POST', `/flows/${flow}/picks`, body)).status).toBe(200)
}

describe('GET /orders/{id}/timeline', () => {
  it('has the creation, changes of state, flows, movements and events of an order', async ({ service, tenant }) => {
    const order = await pickedOrder(tenant)
    const [first, second] = order.flows
    const entries = await timelineOf(tenant, order)
    const { created_at, warehouse_id } = (await tenant.request('GET', `/orders/${order.id}`)).body.data
    expect(entries.filter(({ kind }) => kind === 'created')).toMatchObject([
      { at: created_at, data: { order_tenant_id: order.order_tenant_id, warehouse_id, items_count: 1, total_quantity: 5 } },
    ])
    const by = 'test key'
    expect(dataOfKind(entries, 'state')).toEqual([
      { state_id: 2, previous_state_id: 1, by, reason: null },
      { state_id: 3, previous_state_id: 2, by, reason: null },
      { state_id: 2, previous_state_id: 3, by, reason: null },
      { state_id: 3, previous_state_id: 2, by, reason: null },
      { state_id: 7, previous_state_id: 3, by, reason: 'sold out' },
    ])
    const flow = { batch_id: null, slot: null, operator_email: OPERATOR.operator_email, reason: null }
    const atStart = { ...flow, state: 'started', items_picked: 0, total_quantity_picked: 0 }
    expect(dataOfKind(entries, 'flow')).toEqual([
      { ...atStart, flow_id: first },
      { ...flow, flow_id: first, state: 'completed', items_picked: 1, total_quantity_picked: 1 },
      { ...atStart, flow_id: second },
      { ...flow, flow_id: second, state: 'cancelled', items_picked: 1, total_quantity_picked: 3, reason: 'sold out' },
    ])
    const events = (await eventsOf(service, tenant)).filter(({ data }) => data['order_id'] === order.id)
    expect(events.map(({ event }) => event)).toContain('order/cancelled')
    expect(entries.filter(({ kind }) => kind === 'event')).toMatchObject(
      events.map(({ id, event, created_at }) => ({ at: created_at, data: { event_id: id, event, deliveries: [] } })),
    )
  })

  it('has the operators who started and ended a flow, whoever had it between', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 2 })
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }], state_id: 2 })
    const flow = await startFlow(tenant, order.id)
    for (const operator_email of ['ben@warehouse.example', 'cleo@warehouse.example'])
      expect((await tenant.request('POST', `/flows/${flow}/assign`, { operator_email })).status).toBe(200)
    await pick(tenant, flow, tea.id, 2, 'all')
    await tenant.request('POST', `/flows/${flow}/complete`)
    const operators = dataOfKind(await timelineOf(tenant, order), 'flow').map((data) => [data.state, data.operator_email])
    expect(operators).toEqual([
      ['started', OPERATOR.operator_email],
      ['completed', 'cleo@warehouse.example'],
    ])
  })

  it('has the movements as their list does, with the flow and the pick that they were made by', async ({ tenant }) => {
    const order = await pickedOrder(tenant)
    const [first, second] = order.flows
    const back = await tenant.request('POST', '/returns', {
      order_id: order.id,
      lines: [{ product_id: order.tea.id, quantity: 1 }],
    })
    const receipt = { product_id: order.tea.id, quantity: 1, location_id: 'A', disposition: 'restock', operator_id: 9 }
    expect((await tenant.request('POST', `/returns/${back.body.data.id}/receipts`, receipt)).status).toBe(200)
    const movements = dataOfKind(await timelineOf(tenant, order), 'movement')
    const withoutPicks = movements.map(({ flow_id: _flow, pick_id: _pick, ...movement }) => movement)
    expect(withoutPicks).toEqual((await movementsOf(tenant, order)).toReversed())
    expect(movements.map(({ movement_type, flow_id, pick_id }) => [movement_type, flow_id, pick_id])).toEqual([
      ['OUT', first, 'kept'],
      ['OUT', first, 'undone'],
      ['IN', first, 'undone'],
      ['OUT', second, 'a'],
      ['OUT', second, 'b'],
      ['OUT', second, 'c'],
      ['IN', second, 'a'],
      ['IN', second, 'b'],
      ['IN', second, 'c'],
      ['IN', undefined, undefined],
    ])
  })

  it('has texts as they were sent, whatever characters they have', async ({ tenant }) => {
    const odd = '"quoted", \\ back\\slashed\nü 漢 😀 \u001f {}[],'
    const tea = await stockedProduct(tenant, { [odd]: 2 })
    await tenant.request('PUT', `/products/${tea.id}`, { name: odd })
    const order = await newOrder(tenant, { order_tenant_id: odd, order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    const flow = await startFlow(tenant, order.id)
    const body = { product_id: tea.id, location_id: odd, quantity: 1, pick_id: odd }
    expect((await tenant.request('POST', `/flows/${flow}/picks`, body)).status).toBe(200)
    await tenant.request('POST', `/flows/${flow}/complete`)
    const lines = [{ product_id: tea.id, quantity: 1 }]
    await tenant.request('POST', '/returns', { order_id: order.id, reference: odd, lines })
    await startFlow(tenant, order.id)
    await tenant.request('POST', `/orders/${order.id}/cancel`, { reason: odd })
    const entries = await timelineOf(tenant, order)
    expect(dataOfKind(entries, 'created')).toMatchObject([{ order_tenant_id: odd }])
    expect(dataOfKind(entries, 'movement')[0]).toMatchObject({ product_name: odd, location_id: odd, pick_id: odd })
    expect(dataOfKind(entries, 'return')[0]).toMatchObject({ reference: odd })
    expect(dataOfKind(entries, 'state').at(-1)).toMatchObject({ reason: odd })
    expect(dataOfKind(entries, 'flow').at(-1)).toMatchObject({ reason: odd })
  })

  it('tells an empty text from one that is missing', async ({ tenant }) => {
    const reasons = []
    for (const body of [{ reason: '' }, {}]) {
      const order = await newOrder(tenant)
      await startFlow(tenant, order.id)
      await tenant.request('POST', `/orders/${order.id}/cancel`, body)
      const entries = await timelineOf(tenant, order)
      reasons.push([...dataOfKind(entries, 'state'), ...dataOfKind(entries, 'flow')].map(({ reason }) => reason))
    }
    expect(reasons).toEqual([
      [null, '', null, ''],
      [null, null, null, null],
    ])
  })

  it('has a pick without an id of its own with the id that it got', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 2 })
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    const flow = await startFlow(tenant, order.id)
    const body = { product_id: tea.id, location_id: 'A', quantity: 1 }
    const { id } = (await tenant.request('POST', `/flows/${flow}/picks`, body)).body.data.pick
    expect(dataOfKind(await timelineOf(tenant, order), 'movement')).toMatchObject([{ flow_id: flow, pick_id: id }])
  })

  it('shows every entry once, in any size of page, while more are added', async ({ tenant }) => {
    const order = await pickedOrder(tenant)
    const all = await timelineOf(tenant, order)
    for (const limit of [1, 2, 3, 7, all.length, all.length + 1]) expect(await inPages(tenant, order.id, limit)).toEqual(all)
    const lines = [{ product_id: order.tea.id, quantity: 1 }]
    let returns = 0
    const entries = await inPages(tenant, order.id, 4, async () => {
      if (returns++ >= 5) return
      const { id } = (await tenant.request('POST', '/returns', { order_id: order.id, lines })).body.data
      expect((await tenant.request('POST', `/returns/${id}/cancel`)).status).toBe(200)
    })
    expect(entries.slice(0, all.length)).toEqual(all)
    expect(entries.length).toBeGreaterThan(all.length)
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
    expect(entries).toEqual(entries.toSorted(compare))
  })

  it('has the latest 1,000 changes of state of an order that has more', async ({ service, tenant }) => {
    const { id } = await newOrder(tenant)
    await service.db.dedicatedPool.query(
      `insert into order_state_changes (tenant_id, order_id, at, state_id, previous_state_id, changed_by)
       select $1, $2, now() + n * interval '1 millisecond', 2, 1, n::text from generate_series(1, 1100) n`,
      [tenant.id, id],
    )
    const changes = dataOfKind(await inPages(tenant, id, 100, undefined, '&kind=state'), 'state')
    expect(changes.map(({ by }) => by)).toEqual(Array.from({ length: 1_000 }, (_, index) => String(index + 101)))
  })

  it('shows every entry once when many have the same time', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 40 })
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 40 }] })
    const flow = await startFlow(tenant, order.id)
    for (let pickNumber = 0; pickNumber < 20; pickNumber++) await pick(tenant, flow, tea.id, 1, `pick ${pickNumber}`)
    // One statement writes 20 movements within a millisecond or two.
    await tenant.request('POST', `/flows/${flow}/cancel`)
    const all = await timelineOf(tenant, order)
    const times = all.filter(({ kind }) => kind === 'movement').map(({ at }) => at)
    expect(new Set(times).size).toBeLessThan(times.length)
    for (const limit of [1, 3, 10]) expect(await inPages(tenant, order.id, limit)).toEqual(all)
  })

  it('has the same pages when they are read together, with returns and without', async ({ tenant }) => {
    const orders = [await pickedOrder(tenant), await pickedOrder(tenant)] as const
    const lines = [{ product_id: orders[1].tea.id, quantity: 1 }]
    const queries = [
      '?limit=100',
      '?limit=3',
      '?limit=100&kind=call',
      '?limit=100&kind=state&kind=flow',
      '?limit=5&kind=movement',
    ]
    for (const reads of [1, 2]) {
      const alone = []
      for (const { id } of orders) for (const query of queries) alone.push(await read(tenant, id, query))
      const again = alone.flatMap((page) => [page, page, page])
      const together = orders.flatMap(({ id }) => queries.flatMap((query) => [1, 2, 3].map(() => read(tenant, id, query))))
      expect(await Promise.all(together)).toEqual(again)
      const returns = await timelineOf(tenant, orders[1], '&kind=return')
      expect(returns).toHaveLength(reads - 1)
      if (reads === 1) expect((await tenant.request('POST', '/returns', { order_id: orders[1].id, lines })).status).toBe(200)
    }
  })

  it('leaves out the kinds that the scopes of the key do not allow, and names them', async ({ tenant }) => {
    const order = await pickedOrder(tenant)
    const all = await timelineOf(tenant, order)
    const omittedFor = async (...scopes: Scope[]) => {
      const { entries, omitted } = await read(tenant, order.id, '?limit=100', { key: await tenant.createKey({ scopes }) })
      expect(entries).toEqual(all.filter(({ kind }) => !omitted.includes(kind)))
      return omitted
    }
    expect(await omittedFor('read:orders')).toEqual(['call', 'movement', 'event'])
    expect(await omittedFor('read:orders', 'read:stock')).toEqual(['call', 'event'])
    expect(await omittedFor('read:orders', 'read:webhooks')).toEqual(['call', 'movement'])
    expect(await omittedFor('admin')).toEqual([])
    const key = await tenant.createKey({ scopes: ['read:orders'] })
    expect((await read(tenant, order.id, '?kind=call&kind=event', { key })).entries).toEqual([])
  })

  it('has only the kinds asked for, and refuses others, foreign orders and foreign cursors', async ({ service, tenant }) => {
    const order = await pickedOrder(tenant)
    const all = await timelineOf(tenant, order)
    for (const kinds of [['state'], ['movement', 'flow'], ['call', 'event'], ['reservation', 'return']]) {
      const query = kinds.map((kind) => `&kind=${kind}`).join('')
      expect(await timelineOf(tenant, order, query)).toEqual(all.filter(({ kind }) => kinds.includes(kind)))
    }
    const path = `/orders/${order.id}/timeline`
    for (const query of ['?kind=pick', '?kind=', '?cursor=1', '?cursor=', '?limit=0', '?limit=x'])
      expect(failure(await tenant.request('GET', path + query))).toEqual([400, 'validation_error'])
    expect(failure(await tenant.request('GET', '/orders/x/timeline'))).toEqual([400, 'invalid_id'])
    expect(failure(await tenant.request('GET', '/orders/999999999/timeline'))).toEqual([404, 'not_found'])
    const other = await service.newTenant()
    expect(failure(await other.request('GET', path))).toEqual([404, 'not_found'])
  })

  it('has the reservations of an order with the data of their events', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 1 })
    await reserve(tenant, 'track')
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 3 }] })
    // A change of stock that does not name the order.
    await tenant.request('POST', '/stock/adjustment', { product_id: tea.id, location_id: 'A', adjustment_quantity: 5 })
    const events = (await eventsOf(service, tenant)).filter(({ event }) => event === 'reservation/updated')
    expect(events.map(({ data }) => data['status'])).toEqual(['backordered', 'reserved'])
    expect((await timelineOf(tenant, order)).filter(({ kind }) => kind === 'reservation')).toMatchObject(
      events.map(({ created_at, data }) => ({ at: created_at, data })),
    )
  })

  it('has a reservation once that comes after other events of its millisecond', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 1 })
    await reserve(tenant, 'track')
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 1 }] })
    const flow = await startFlow(tenant, order.id)
    await pick(tenant, flow, tea.id, 1, 'back')
    await tenant.request('PUT', '/locations/A', { sellable: false })
    // What was picked goes back to where it is not for sale.
    await tenant.request('POST', `/flows/${flow}/cancel`)
    const all = await timelineOf(tenant, order)
    expect(dataOfKind(all, 'reservation')).toMatchObject([{ status: 'backordered' }])
    for (let limit = 1; limit <= all.length; limit++) expect(await inPages(tenant, order.id, limit)).toEqual(all)
  })

  it('has each reservation once in pages of any size, with its event and without', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 1 })
    await reserve(tenant, 'track')
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 3 }] })
    for (const adjustment_quantity of [5, -5, 4, -4, 9])
      await tenant.request('POST', '/stock/adjustment', { product_id: tea.id, location_id: 'A', adjustment_quantity })
    const all = await timelineOf(tenant, order)
    expect(dataOfKind(all, 'reservation').map(({ status }) => status)).toHaveLength(6)
    for (const kinds of [['reservation'], ['event'], ['reservation', 'event'], ['created', 'reservation', 'event'], KINDS])
      for (const limit of [1, 2, 5, 50])
        expect(await inPages(tenant, order.id, limit, undefined, kinds.map((kind) => `&kind=${kind}`).join(''))).toEqual(
          all.filter(({ kind }) => kinds.includes(kind)),
        )
  })

  it('has the changes of state of returns, at the times that they have', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 4 }] })
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 })
    const make = async (reference: string) =>
      (await tenant.request('POST', '/returns', { reference, order_id: order.id, lines: [{ product_id: tea.id, quantity: 1 }] }))
        .body.data.id
    const receipt = { product_id: tea.id, quantity: 1, receipt_id: 'r', location_id: 'A', disposition: 'restock' }
    const [closed, cancelled, unused, empty] = [
      await make('closed'),
      await make('cancelled'),
      await make('unused'),
      await make('empty'),
    ]
    await tenant.request('POST', `/returns/${closed}/receipts`, receipt)
    await tenant.request('POST', `/returns/${closed}/close`)
    await tenant.request('POST', `/returns/${cancelled}/receipts`, receipt)
    await tenant.request('DELETE', `/returns/${cancelled}/receipts/r`)
    await tenant.request('POST', `/returns/${cancelled}/cancel`)
    await tenant.request('POST', `/returns/${unused}/cancel`)
    await tenant.request('POST', `/returns/${empty}/close`)
    const changes = dataOfKind(await timelineOf(tenant, order), 'return')
    const of = (id: number) =>
      changes
        .filter((change) => change.id === id)
        .map(({ reference, state, previous_state }) => [reference, state, previous_state])
    expect(of(closed)).toEqual([
      ['closed', 'expected', null],
      ['closed', 'receiving', 'expected'],
      ['closed', 'closed', 'receiving'],
    ])
    expect(of(cancelled)).toEqual([
      ['cancelled', 'expected', null],
      ['cancelled', 'receiving', 'expected'],
      ['cancelled', 'cancelled', 'receiving'],
    ])
    expect(of(unused)).toEqual([
      ['unused', 'expected', null],
      ['unused', 'cancelled', 'expected'],
    ])
    expect(of(empty)).toEqual([
      ['empty', 'expected', null],
      ['empty', 'closed', 'expected'],
    ])
  })

  it('has events with their deliveries as the subscription lists them, without attempts', async ({ tenant, receiver }) => {
    const webhook = (await tenant.request('POST', '/webhooks', { name: 'shop', url: receiver.url, events: ['order/created'] }))
      .body.data
    const order = await newOrder(tenant)
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 2 })
    await vi.waitFor(
      async () => {
        const { deliveries } = (await tenant.request('GET', `/webhooks/${webhook.id}/deliveries`)).body.data
        expect(deliveries).toMatchObject([{ state: 'succeeded' }])
        const { attempts: _, ...delivery } = deliveries[0]
        expect(dataOfKind(await timelineOf(tenant, order), 'event')).toMatchObject([
          { event: 'order/created', deliveries: [delivery] },
          { event: 'order/updated', deliveries: [] },
        ])
      },
      { timeout: 60_000, interval: 100 },
    )
    await tenant.request('DELETE', `/webhooks/${webhook.id}`)
    expect(dataOfKind(await timelineOf(tenant, order), 'event')[0]).toMatchObject({ deliveries: [] })
  })
})

describe('calls in the timeline of an order', () => {
  const callsOf = async (tenant: TestTenant, order: { id: number }) =>
    dataOfKind(await timelineOf(tenant, order, '&kind=call'), 'call')
  const operationsOf = async (tenant: TestTenant, order: { id: number }) =>
    (await callsOf(tenant, order)).map(({ operation }) => operation)

  it('name it, a flow or a return of it, and are as in the audit log', async ({ tenant }) => {
    const order = await pickedOrder(tenant)
    const lines = [{ product_id: order.tea.id, quantity: 1 }]
    const body = { order_id: order.id, order_tenant_id: order.order_tenant_id, lines }
    const back = (await tenant.request('POST', '/returns', body)).body.data
    await tenant.request('POST', `/returns/${back.id}/close`)
    await newOrder(tenant)
    const log = (await tenant.request('GET', '/audit-log?limit=100')).body.data.entries.toReversed()
    const named = log.filter(({ operation }: { operation: string }) => /^(orders|flows|returns)\./.test(operation)).slice(0, -1)
    expect(named).toHaveLength(14)
    expect(await callsOf(tenant, order)).toEqual(
      named.map(({ operation, key_name, address, request_id, error }: Record<string, unknown>) => ({
        operation,
        key_name,
        address,
        request_id,
        error,
      })),
    )
  })

  it('show the error of a call that failed, also of one that would have created the order', async ({ tenant }) => {
    const order = await orderFor(tenant)
    const wrong = { ...order, order_detail: [{ barcode: 'unknown barcode', quantity: 1 }] }
    expect((await tenant.request('POST', '/orders', wrong)).status).toBe(400)
    const { id } = (await tenant.request('POST', '/orders', order)).body.data.orders[0]
    await tenant.request('POST', '/orders', order)
    await tenant.request('PUT', `/orders/${id}`, { state_id: 5 })
    await tenant.request('POST', `/orders/${id}/cancel`)
    await vi.waitFor(
      async () =>
        expect((await callsOf(tenant, { id })).map(({ operation, error }) => [operation, error])).toEqual([
          ['orders.create', 'creation_error'],
          ['orders.create', null],
          ['orders.create', null],
          ['orders.update', null],
          ['orders.cancel', 'cancel_error'],
        ]),
      { timeout: 60_000, interval: 100 },
    )
  })

  it('are those that name it by its order_tenant_id, and not those of another order with that id', async ({ tenant }) => {
    const first = await newOrder(tenant)
    const other = await newOrder(tenant, { order_tenant_id: String(first.id) })
    const numeric = await newOrder(tenant, { order_tenant_id: '4000000000' })
    await tenant.request('POST', `/orders/${first.id}/cancel`)
    await tenant.request('POST', '/orders/4000000000/cancel')
    const named = await newOrder(tenant, { order_tenant_id: 'SHOP/7' })
    await tenant.request('POST', '/orders/SHOP%2F7/cancel')
    await tenant.request('POST', `/orders/${named.id}/cancel`, { order_tenant_id: other.order_tenant_id })
    // The audit log shortens texts of more than 200 characters.
    const long = await newOrder(tenant, { order_tenant_id: 'SHOP'.padEnd(255, '-') })
    await tenant.request('POST', `/orders/${long.order_tenant_id}/cancel`)
    const cancelled = ['orders.create', 'orders.cancel']
    expect(await operationsOf(tenant, first)).toEqual(cancelled)
    expect(await operationsOf(tenant, other)).toEqual(cancelled)
    expect(await operationsOf(tenant, numeric)).toEqual(cancelled)
    expect(await operationsOf(tenant, named)).toEqual(cancelled)
    expect(await operationsOf(tenant, long)).toEqual(cancelled)
  })

  it('stay with their order when a later order gets its order_tenant_id as its id', async ({ tenant }) => {
    // Ids come from one sequence: of twenty orders made next, some have the next ids.
    const bulk = async (names: (number | undefined)[]): Promise<{ id: number }[]> => {
      const orders = await Promise.all(
        names.map((name) => orderFor(tenant, name === undefined ? {} : { order_tenant_id: String(name) })),
      )
      return (await tenant.request('POST', '/orders', { orders })).body.data.orders
    }
    let cancelled: { id: number }[] = []
    let taken: { id: number } | undefined
    for (let attempt = 1; attempt <= 10 && taken === undefined; attempt += 1) {
      const { id } = await newOrder(tenant)
      const names = Array.from({ length: 20 }, (_, index) => id + 21 + index)
      cancelled = await bulk(names)
      for (const name of names) await tenant.request('POST', `/orders/${name}/cancel`)
      const later = await bulk(Array.from({ length: 20 }, () => undefined))
      taken = later.find((order) => names.includes(order.id))
      if (taken !== undefined) cancelled = [cancelled[names.indexOf(taken.id)] as { id: number }]
    }
    expect(await operationsOf(tenant, taken as { id: number })).toEqual(['orders.create'])
    expect(await operationsOf(tenant, cancelled[0] as { id: number })).toEqual(['orders.create', 'orders.cancel'])
  })

  it('are, of a long POST /orders, those of the orders that the audit log keeps', async ({ tenant }) => {
    const { order_detail } = await orderFor(tenant)
    const orders = Array.from({ length: 12 }, (_, index) => ({
      order_tenant_id: `long ${index}`,
      assembly_date: '2026-11-30',
      order_detail,
    }))
    const created = (await tenant.request('POST', '/orders', { orders })).body.data.orders as { id: number }[]
    const calls = await Promise.all(created.map((order) => callsOf(tenant, order)))
    expect(calls.map(({ length }) => length)).toEqual([...Array.from({ length: 10 }, () => 1), 0, 0])
  })

  it('are there for a POST /orders that is too long for the audit log to keep its orders, also when it fails', async ({
    tenant,
  }) => {
    const [line] = (await orderFor(tenant)).order_detail as { barcode: string }[]
    const lines = Array.from({ length: 8 }, () => ({ ...line, quantity: 1 }))
    const orders = Array.from({ length: 10 }, (_, index) => ({
      order_tenant_id: `with lines ${index}`,
      assembly_date: '2026-11-30',
      shipping_address: '12 Long Street, 10115 Berlin, Germany',
      order_detail: lines,
    }))
    const wrong = orders.map((order) => ({ ...order, order_detail: [{ ...lines[0], barcode: 'unknown barcode' }, ...lines] }))
    expect((await tenant.request('POST', '/orders', { orders: wrong })).status).toBe(400)
    const created = (await tenant.request('POST', '/orders', { orders })).body.data.orders as { id: number }[]
    const kept = (await tenant.request('GET', '/audit-log')).body.data.entries as { operation: string; input: unknown }[]
    const inputs = kept.filter(({ operation }) => operation === 'orders.create').map(({ input }) => input)
    expect(inputs).toEqual([{ orders: '10 items' }, { orders: '10 items' }])
    for (const order of created)
      await expect
        .poll(async () => (await callsOf(tenant, order)).map(({ operation, error }) => [operation, error]))
        .toEqual([
          ['orders.create', 'creation_error'],
          ['orders.create', null],
        ])
  })

  it('are found with an Idempotency-Key, once, and under a policy', async ({ tenant }) => {
    await reserve(tenant, 'track')
    const order = await orderFor(tenant)
    const headers = { 'idempotency-key': 'order once' }
    const { id } = (await tenant.request('POST', '/orders', order, { headers })).body.data.orders[0]
    await tenant.request('POST', '/orders', order, { headers })
    expect(await operationsOf(tenant, { id })).toEqual(['orders.create'])
  })
})

describe('what the timeline is read from', () => {
  const agedBy = async ({ db }: TestService, tenant: TestTenant, days: number) => {
    const at = new Date(Date.now() - days * 86_400_000)
    await db.kysely.updateTable('order_calls').set({ at }).where('tenant_id', '=', tenant.id).execute()
    await db.kysely.updateTable('order_events').set({ created_at: at }).where('tenant_id', '=', tenant.id).execute()
  }

  it.for([
    { days: 29, kept: ['call', 'created', 'event'] },
    { days: 31, kept: ['call', 'created'] },
    { days: 364, kept: ['call', 'created'] },
    { days: 366, kept: ['created'] },
  ])('shows events for 30 days and calls for a year: after $days days', async ({ days, kept }, { service, tenant }) => {
    const order = await newOrder(tenant)
    await agedBy(service, tenant, days)
    const kinds = async () => (await timelineOf(tenant, order)).map(({ kind }) => kind).toSorted()
    expect(await kinds()).toEqual(kept)
    await removeOldCalls(service.db, new AbortController().signal)
    await removeOldOrderEvents(service.db, new AbortController().signal)
    expect(await kinds()).toEqual(kept)
    const rows = await Promise.all(
      (['order_calls', 'order_events'] as const).map((table) =>
        service.db.kysely.selectFrom(table).select('tenant_id').where('tenant_id', '=', tenant.id).execute(),
      ),
    )
    expect(rows.map(({ length }) => length)).toEqual([kept.includes('call') ? 1 : 0, kept.includes('event') ? 1 : 0])
  })
})

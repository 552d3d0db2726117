import type { PackageLine, Shipment, ShipmentUpdatedEvent } from '@fulfillment/sdk'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { newOrder } from '../support/orders.ts'
import { pick, startedFlow, stockedProduct } from '../support/picking.ts'
import type { ServiceResponse, TestTenant } from '../support/service.ts'
import {
  change,
  completedOrder,
  expectConsistentShipments,
  transition,
  pack,
  packageOf,
  pickedOrder,
  readShipment,
  statusOf,
  tryToPack,
} from '../support/shipments.ts'
import { it } from './support/it.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

it.afterEach(async ({ service, tenant }) => {
  await expectConsistentShipments(service.db, tenant)
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(service.db.kysely)
  expect(rows).toEqual([{ deadlocks: 0 }])
})

const cancelOrder = (tenant: TestTenant, id: number): Promise<ServiceResponse> =>
  tenant.request('POST', `/orders/${id}/cancel`, {})

/** Statements of the database that wait for a lock. */
const waiting = sql<{ count: number }>`
  select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** Number of responses by outcome: `ok`, or the error code. */
function tally(responses: ServiceResponse[]): Record<string, number> {
  const outcomes = responses.map(({ status, body }) => (status === 200 ? 'ok' : body.error.code))
  return Object.fromEntries([...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, all]) => [outcome, all.length]))
}

it('parallel shipments, and changed ones, never pack more than was taken, on any server', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 20 })
  const order = await pickedOrder(
    tenant,
    [
      [tea, 4],
      [tea, 8],
    ],
    [7, 3],
  )
  const [first, second] = order.lines as [number, number]
  const empty = await Promise.all(times(6, () => pack(tenant, order)))
  const ways: object[] = [{ product_id: tea.id }, { order_detail_id: first }, { order_detail_id: second }, { sku: tea.sku }]
  const made = times(24, (index) => tryToPack(tenant, order, [packageOf(ways[index % 4] as object, 1)]))
  const changed = empty.map((shipment, index) =>
    change(tenant, shipment, { packages: [packageOf(ways[index % 4] as object, 1)] }),
  )
  const responses = await Promise.all([...made, ...changed])
  expect(tally(responses)).toEqual({ ok: 10, shipment_error: 20 })
  const packed = responses.flatMap(({ status, body }) => (status === 200 ? body.data.packages[0].lines : []))
  const ofLine = (line: number): number =>
    packed.reduce((sum, { order_detail_id: id, quantity }: PackageLine) => sum + (id === line ? quantity : 0), 0)
  expect([ofLine(first), ofLine(second)]).toEqual([4, 6])
})

it('shipments packed while goods are picked have what completed flows took', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 20 })
  const { order, flow } = await startedFlow(tenant, [[tea, 10]])
  const picks = times(9, () => pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1 }))
  const early = times(6, () => tryToPack(tenant, order, [packageOf({ product_id: tea.id }, 1)]))
  expect(tally(await Promise.all(picks))).toEqual({ ok: 9 })
  expect(tally(await Promise.all(early))).toEqual({ shipment_error: 6 })
  const [completed, ...late] = await Promise.all([
    tenant.request('POST', `/flows/${flow}/complete`),
    ...times(12, () => tryToPack(tenant, order, [packageOf({ product_id: tea.id }, 1)])),
  ])
  expect(completed.status).toBe(200)
  expect(new Set(late.map(({ status, body }) => body.error?.code ?? status))).toSatisfy((outcomes: Set<unknown>) =>
    [...outcomes].every((outcome) => outcome === 200 || outcome === 'shipment_error'),
  )
})

it('with one reference pack once, and all get the same shipment, also when all is packed then', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, {})
  const order = await completedOrder(tenant, [[tea, 3]])
  const packages = [packageOf({ product_id: tea.id }, 3)]
  const responses = await Promise.all(times(20, () => tryToPack(tenant, order, packages, { reference: 'r' })))
  expect(tally(responses)).toEqual({ ok: 20 })
  expect(new Set(responses.map(({ body }) => JSON.stringify(body.data))).size).toBe(1)
  const other = await completedOrder(tenant, [[tea, 3]])
  const both = await Promise.all(
    [order, other, order, other].map((one) => tryToPack(tenant, one, [], { reference: 'of one order' })),
  )
  expect(tally(both)).toEqual({ ok: 2, idempotency_conflict: 2 })
})

it('of parallel calls about a state, each change happens once, and the last event has the last status', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, {})
  const order = await completedOrder(tenant, [[tea, 6]])
  const shipments = await Promise.all(times(6, () => pack(tenant, order, [packageOf({ product_id: tea.id }, 1)])))
  for (const call of ['ship', 'deliver']) {
    const responses = await Promise.all([...shipments, ...shipments].map((shipment) => transition(tenant, shipment, call)))
    expect(tally(responses)).toEqual({ ok: 12 })
  }
  const { events } = (await tenant.request('GET', '/events?event=shipment/updated&limit=100')).body.data
  expect(events.map(({ data }: ShipmentUpdatedEvent) => data.shipment_status)).toEqual([
    ...times(6, () => 'packing'),
    ...times(5, () => 'partial'),
    ...times(6, () => 'shipped'),
    'delivered',
  ])
})

it('a cancelled order leaves no open shipment, whatever is packed and shipped meanwhile', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 60 })
  for (let round = 0; round < 4; round++) {
    const order = await pickedOrder(tenant, [[tea, 12]], [8])
    const first = await pack(tenant, order, [packageOf({ product_id: tea.id }, 1)])
    const packages = [packageOf({ product_id: tea.id }, 1)]
    const [cancelled, shipped] = await Promise.all([
      tenant.request('POST', `/orders/${order.id}/cancel`, {}),
      transition(tenant, first, 'ship'),
      ...times(5, () => tryToPack(tenant, order, packages)),
      change(tenant, first, { packages }),
    ])
    expect(cancelled.status).toBe(200)
    // Shipped before: it stays. After: it is cancelled, and cannot be shipped.
    expect((await readShipment(tenant, first)).state).toBe(shipped.status === 200 ? 'shipped' : 'cancelled')
    expect(await statusOf(tenant, order)).toBe(shipped.status === 200 ? 'partial' : undefined)
  }
})

it('an order that is cancelled while its first shipment is made leaves none open', async ({ tenant, service }) => {
  const orders = await Promise.all(times(4, () => newOrder(tenant)))
  const calls: Promise<ServiceResponse>[] = []
  await service.db.transaction(async (tx) => {
    await sql`select from orders where tenant_id = ${tenant.id} order by id for update`.execute(tx.kysely)
    // The cancellation begins before the shipment is there, and gets the order after it.
    for (const call of [(id: number) => tryToPack(tenant, { id }, []), (id: number) => cancelOrder(tenant, id)]) {
      for (const { id } of orders) calls.push(call(id))
      await expect.poll(async () => (await waiting.execute(service.db.kysely)).rows[0]).toEqual({ count: calls.length })
    }
  })
  const responses = await Promise.all(calls)
  expect(tally(responses.slice(orders.length))).toEqual({ ok: orders.length })
  const { shipments } = (await tenant.request('GET', '/shipments')).body.data
  expect(shipments.map(({ state }: Shipment) => state)).toEqual(shipments.map(() => 'cancelled'))
})

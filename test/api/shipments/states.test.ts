import type { Package, Shipment, TimelineEntry } from '@fulfillment/sdk'
import { describe, expect } from 'vitest'
import { failure } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import type { ServiceResponse, TestTenant } from '../../support/service.ts'
import { change, completedOrder, transition, pack, packageOf, readShipment } from '../../support/shipments.ts'
import { newEvents } from '../flows/calls.ts'
import { it } from './it.ts'

const STATES = ['empty', 'open', 'shipped', 'delivered', 'cancelled', 'cancelled when shipped'] as const
type State = (typeof STATES)[number]

const WAY: Record<State, string[]> = {
  empty: [],
  open: [],
  shipped: ['ship'],
  delivered: ['ship', 'deliver'],
  cancelled: ['cancel'],
  'cancelled when shipped': ['ship', 'cancel'],
}

const THE_SHIPMENT = { reference: 'the shipment' }

interface ShipmentInState extends Shipment {
  /** The order line of its piece. */
  line: number
  /** Its packages, as they were sent. */
  sent: object[]
}

/** A shipment of one of 3 pieces taken, in a state. */
async function shipmentIn(state: State, tenant: TestTenant, reference = THE_SHIPMENT.reference): Promise<ShipmentInState> {
  const order = await completedOrder(tenant, [[await stockedProduct(tenant, {}), 3]])
  const packages = state === 'empty' ? [] : [packageOf({ order_detail_id: order.lines[0] }, 1, { carrier: 'DHL' })]
  const shipment = await pack(tenant, order, packages, { reference })
  for (const call of WAY[state]) expect((await transition(tenant, shipment, call)).status).toBe(200)
  return { ...shipment, line: order.lines[0] as number, sent: packages }
}

const CALLS: Record<string, (tenant: TestTenant, shipment: ShipmentInState) => Promise<ServiceResponse>> = {
  'the shipment again': (tenant, { order_id, sent }) =>
    tenant.request('POST', '/shipments', { ...THE_SHIPMENT, order_id, packages: sent }),
  'other packages': (tenant, shipment) =>
    change(tenant, shipment, { packages: [packageOf({ order_detail_id: shipment.line }, 2, { carrier: 'UPS' })] }),
  tracking: (tenant, shipment) => change(tenant, shipment, { tracking: [{ number: 1, tracking_number: 'T1' }] }),
  ship: (tenant, shipment) => transition(tenant, shipment, 'ship'),
  deliver: (tenant, shipment) => transition(tenant, shipment, 'deliver'),
  cancel: (tenant, shipment) => transition(tenant, shipment, 'cancel', { reason: 'late' }),
}

/** Of each call in each state: the state afterwards, with `!` where its event is sent; or the code of the error. */
const EXPECTED: Record<string, Record<State, string>> = {
  'the shipment again': row('open', 'open', 'shipped', 'delivered', 'cancelled', 'cancelled'),
  'other packages': row('open', 'open', 'error', 'error', 'error', 'error'),
  tracking: row('validation_error', 'open', 'shipped', 'delivered', 'error', 'error'),
  ship: row('error', 'shipped!', 'shipped', 'error', 'error', 'error'),
  deliver: row('error', 'error', 'delivered!', 'delivered', 'error', 'error'),
  cancel: row('cancelled!', 'cancelled!', 'cancelled!', 'error', 'cancelled', 'cancelled'),
}

function row(...cells: string[]): Record<State, string> {
  return Object.fromEntries(STATES.map((state, index) => [state, cells[index]])) as Record<State, string>
}

/** Of a shipment alone in its order: the status that its event has. */
const STATUS: Record<string, string | null> = { open: 'packing', shipped: 'partial', delivered: 'partial', cancelled: null }

describe.for(STATES)('%s', (state) => {
  it.for(Object.keys(CALLS))('%s', async (call, { tenant, service }) => {
    const shipment = await shipmentIn(state, tenant)
    const before = await readShipment(tenant, shipment)
    await newEvents(service, tenant)
    const response = (await CALLS[call]?.(tenant, shipment)) as ServiceResponse
    const after = await readShipment(tenant, shipment)
    const events = await newEvents(service, tenant)
    const expected = EXPECTED[call]?.[state] as string
    if (expected.endsWith('error')) {
      const code = expected === 'error' ? 'shipment_error' : expected
      expect([failure(response), after, events]).toEqual([[400, code], before, []])
      return
    }
    expect([response.status, response.body.error]).toEqual([200, undefined])
    expect([after, after.state]).toEqual([response.body.data, expected.replace('!', '')])
    const data = {
      shipment_id: shipment.id,
      reference: 'the shipment',
      order_id: shipment.order_id,
      order_tenant_id: shipment.order_tenant_id,
      warehouse_id: shipment.warehouse_id,
      state: after.state,
      previous_state: before.state,
      shipment_status: STATUS[after.state],
      packages: after.packages.map(({ number, carrier, tracking_number, tracking_url }: Package) => ({
        number,
        carrier,
        tracking_number,
        tracking_url,
      })),
      updated_at: after.updated_at,
    }
    expect(events).toEqual(expected.endsWith('!') ? [{ event: 'shipment/updated', data }] : [])
    if (!expected.endsWith('!') && !['other packages', 'tracking'].includes(call)) expect(after).toEqual(before)
  })
})

it('refusals say what can no longer be changed', async ({ tenant }) => {
  const messageOf = async (call: string, shipment: ShipmentInState) => (await CALLS[call]?.(tenant, shipment))?.body.error.message
  const shipped = await shipmentIn('shipped', tenant)
  expect(await messageOf('other packages', shipped)).toBe('The shipment is shipped: its packages can no longer be changed')
  const cancelled = await shipmentIn('cancelled', tenant, 'another')
  expect(await messageOf('tracking', cancelled)).toBe('The shipment is cancelled: its tracking can no longer be changed')
})

it('times and the reason tell the way of a shipment', async ({ tenant }) => {
  const shipment = await shipmentIn('shipped', tenant)
  expect(shipment).toMatchObject({ shipped_at: null, delivered_at: null, cancelled_at: null, cancellation_reason: null })
  const shipped = await readShipment(tenant, shipment)
  expect(shipped).toMatchObject({ shipped_at: shipped.updated_at, delivered_at: null, cancelled_at: null })
  const { data } = (await transition(tenant, shipment, 'cancel', { reason: 'lost' })).body
  expect(data).toMatchObject({
    shipped_at: shipped.shipped_at,
    delivered_at: null,
    cancelled_at: data.updated_at,
    cancellation_reason: 'lost',
  })
})

it('the timeline of an order has every change of state, and the calls about its shipments', async ({ tenant }) => {
  const [delivered, cancelled] = [
    await shipmentIn('delivered', tenant),
    await shipmentIn('cancelled when shipped', tenant, 'another'),
  ]
  const timeline = async <Kind extends TimelineEntry['kind']>(
    { order_id: id }: Shipment,
    kind: Kind,
  ): Promise<Extract<TimelineEntry, { kind: Kind }>[]> =>
    (await tenant.request('GET', `/orders/${id}/timeline?kind=${kind}`)).body.data.entries
  const states = async (shipment: Shipment) =>
    (await timeline(shipment, 'shipment')).map(({ at, data }) => {
      expect(data).toMatchObject({ id: shipment.id, reference: shipment.reference })
      return [data.previous_state, data.state, at]
    })
  const ended = await readShipment(tenant, delivered)
  expect(await states(delivered)).toEqual([
    [null, 'open', ended.created_at],
    ['open', 'shipped', ended.shipped_at],
    ['shipped', 'delivered', ended.delivered_at],
  ])
  expect((await states(cancelled)).map(([before, after]) => [before, after])).toEqual([
    [null, 'open'],
    ['open', 'shipped'],
    ['shipped', 'cancelled'],
  ])
  await expect
    .poll(async () => (await timeline(delivered, 'call')).map(({ data }) => data.operation))
    .toEqual(expect.arrayContaining(['shipments.create', 'shipments.ship', 'shipments.deliver']))
})

it('a shipment that does not exist is not found, whatever the call', async ({ tenant }) => {
  const shipment = await shipmentIn('open', tenant)
  for (const [name, call] of Object.entries(CALLS))
    if (name !== 'the shipment again')
      expect(failure(await call(tenant, { ...shipment, id: 999 })), name).toEqual([404, 'not_found'])
  expect(failure(await tenant.request('GET', '/shipments/999'))).toEqual([404, 'not_found'])
})

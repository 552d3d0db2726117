import type { OrderSummary, Shipment } from '@fulfillment/sdk'
import { describe, expect } from 'vitest'
import { failure, newOrder } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct } from '../../support/picking.ts'
import { reserve } from '../../support/reservations.ts'
import {
  change,
  completedOrder,
  transition,
  pack,
  packageOf,
  pickedOrder,
  pickMore,
  readShipment,
  statusOf,
  tryToPack,
} from '../../support/shipments.ts'
import { newEvents, TIMESTAMP, topics } from '../flows/calls.ts'
import { it } from './it.ts'

/** What is in each package, as `[order line, quantity]`. */
const contentOf = ({ packages }: Shipment): [number, number][][] =>
  packages.map(({ lines }) => lines.map((line) => [line.order_detail_id, line.quantity]))

const REFUSED = [400, 'shipment_error']
const INVALID = [400, 'validation_error']

describe('a new shipment', () => {
  it('is refused for an order that has 1,000', async ({ tenant, service }) => {
    const order = await newOrder(tenant)
    expect((await tenant.request('POST', '/shipments', { order_id: order.id })).status).toBe(200)
    await service.db.dedicatedPool.query(
      `insert into shipments (tenant_id, sent_hash, content_hash, order_id, order_tenant_id, warehouse_id, state, created_by)
       select tenant_id, '', '', id, order_tenant_id, warehouse_id, 'cancelled', 'test' from orders, generate_series(1, 999)
       where tenant_id = $1 and id = $2`,
      [tenant.id, order.id],
    )
    expect(failure(await tenant.request('POST', '/shipments', { order_id: order.id }))).toEqual(REFUSED)
  })

  it('has the fields of its packages, of what is in them, and of its order', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 3]])
    await newEvents(service, tenant)
    const shipment = await pack(
      tenant,
      order,
      [
        {
          lines: [{ sku: tea.sku, quantity: 2 }],
          weight: 1.25,
          width: 30,
          height: 0.5,
          depth: 20,
          carrier: 'DHL',
          tracking_number: '0034',
          tracking_url: 'https://track.example/0034',
          label_url: 'https://labels.example/1.pdf',
        },
        packageOf({ barcode: tea.barcode }, 1),
      ],
      { reference: 'S-1' },
    )
    const [line] = order.lines
    expect(shipment).toEqual({
      id: shipment.id,
      reference: 'S-1',
      order_id: order.id,
      order_tenant_id: order.order_tenant_id,
      warehouse_id: shipment.warehouse_id,
      state: 'open',
      packages: [
        {
          number: 1,
          lines: [{ order_detail_id: line, product_id: tea.id, quantity: 2 }],
          weight: 1.25,
          width: 30,
          height: 0.5,
          depth: 20,
          carrier: 'DHL',
          tracking_number: '0034',
          tracking_url: 'https://track.example/0034',
          label_url: 'https://labels.example/1.pdf',
        },
        {
          number: 2,
          lines: [{ order_detail_id: line, product_id: tea.id, quantity: 1 }],
          weight: null,
          width: null,
          height: null,
          depth: null,
          carrier: null,
          tracking_number: null,
          tracking_url: null,
          label_url: null,
        },
      ],
      total_quantity: 3,
      created_by: 'test key',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      shipped_at: null,
      delivered_at: null,
      cancelled_at: null,
      cancellation_reason: null,
    })
    const tracked = (number: number) => ({ number, carrier: null, tracking_number: null, tracking_url: null })
    expect(await newEvents(service, tenant)).toEqual([
      {
        event: 'shipment/updated',
        data: {
          shipment_id: shipment.id,
          reference: 'S-1',
          order_id: order.id,
          order_tenant_id: order.order_tenant_id,
          warehouse_id: shipment.warehouse_id,
          state: 'open',
          previous_state: null,
          shipment_status: 'packing',
          packages: [
            { number: 1, carrier: 'DHL', tracking_number: '0034', tracking_url: 'https://track.example/0034' },
            tracked(2),
          ],
          updated_at: shipment.updated_at,
        },
      },
    ])
    expect(await readShipment(tenant, shipment)).toEqual(shipment)
  })

  it('can be made by the order_tenant_id, without packages, also of an order of which nothing was taken', async ({ tenant }) => {
    const order = await newOrder(tenant)
    const { body } = await tenant.request('POST', '/shipments', { order_tenant_id: order.order_tenant_id })
    expect(body.data).toMatchObject({ order_id: order.id, packages: [], total_quantity: 0, reference: null })
    expect(failure(await transition(tenant, body.data, 'ship'))).toEqual(REFUSED)
  })

  it('must name one order that exists', async ({ tenant }) => {
    const [one, other] = [await newOrder(tenant), await newOrder(tenant)]
    const created = async (body: object) => failure(await tenant.request('POST', '/shipments', body))
    expect(await created({})).toEqual(INVALID)
    expect(await created({ order_id: 999 })).toEqual([404, 'not_found'])
    expect(await created({ order_tenant_id: 'none' })).toEqual([404, 'not_found'])
    expect(await created({ order_id: one.id, order_tenant_id: other.order_tenant_id })).toEqual(INVALID)
  })

  it('changes no stock, no movement, no flow and no order', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const order = await pickedOrder(tenant, [[tea, 3]], [2])
    const state = async () => {
      const { shipment_status: _, ...rest } = (await tenant.request('GET', `/orders/${order.id}`)).body.data
      const reads = ['/stock/movements', '/flows', `/stock/sku/${tea.sku}`].map((path) => tenant.request('GET', path))
      return [rest, (await Promise.all(reads)).map(({ body }) => body.data)]
    }
    const before = await state()
    const shipment = await pack(tenant, order, [packageOf({ product_id: tea.id }, 2)])
    for (const call of ['ship', 'deliver']) await transition(tenant, shipment, call)
    expect(await state()).toEqual(before)
  })
})

describe('lines of packages', () => {
  it('of a product go to the lines of the order in order, to each up to what is left', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const mate = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [
      [tea, 2],
      [mate, 1],
      [tea, 3],
      [tea, 4],
    ])
    const [first, ofMate, second, third] = order.lines as [number, number, number, number]
    await pack(tenant, order, [packageOf({ order_detail_id: second }, 2)])
    const shipment = await pack(tenant, order, [
      packageOf({ sku: tea.sku }, 1),
      {
        lines: [
          { product_id: mate.id, quantity: 1 },
          { barcode: tea.barcode, quantity: 3 },
        ],
      },
    ])
    expect(contentOf(shipment)).toEqual([
      [[first, 1]],
      [
        [ofMate, 1],
        [first, 1],
        [second, 1],
        [third, 1],
      ],
    ])
  })

  it('of a line of the order take from that line, wherever they stand in the call', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [
      [tea, 2],
      [tea, 3],
    ])
    const [first, second] = order.lines as [number, number]
    const shipment = await pack(tenant, order, [packageOf({ product_id: tea.id }, 3), packageOf({ order_detail_id: first }, 2)])
    expect(contentOf(shipment)).toEqual([[[second, 3]], [[first, 2]]])
  })

  it('never have more than was taken, over all shipments that are not cancelled', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 9 })
    const lines: [typeof tea, number][] = [[tea, 6]]
    const order = await pickedOrder(tenant, lines, [2])
    const tried = async (named: object, quantity: number) => failure(await tryToPack(tenant, order, [packageOf(named, quantity)]))
    const byLine = { order_detail_id: order.lines[0] }
    const byProduct = { product_id: tea.id }
    for (const named of [byLine, byProduct]) expect(await tried(named, 3)).toEqual(REFUSED)
    const one = await pack(tenant, order, [packageOf(byLine, 1)])
    for (const named of [byLine, byProduct]) expect(await tried(named, 2)).toEqual(REFUSED)
    const two = await pack(tenant, order, [packageOf(byProduct, 1)])
    for (const named of [byLine, byProduct]) expect(await tried(named, 1)).toEqual(REFUSED)
    await transition(tenant, two, 'ship')
    await transition(tenant, one, 'cancel')
    const again = await pack(tenant, order, [packageOf(byProduct, 1)])
    await transition(tenant, two, 'cancel')
    await pack(tenant, order, [packageOf(byLine, 1)])
    await pickMore(tenant, order, lines, [3])
    expect(await tried(byLine, 4)).toEqual(REFUSED)
    expect(failure(await change(tenant, again, { packages: [packageOf(byLine, 5)] }))).toEqual(REFUSED)
    expect(contentOf((await change(tenant, again, { packages: [packageOf(byLine, 4)] })).body.data)).toEqual([
      [[order.lines[0], 4]],
    ])
  })

  it('are refused with what the call has in all, and what other shipments have', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 20 })
    const order = await completedOrder(tenant, [
      [tea, 5],
      [tea, 5],
    ])
    const one = await pack(tenant, order, [packageOf({ product_id: tea.id }, 1)])
    const lines = [
      { product_id: tea.id, quantity: 8 },
      { order_detail_id: order.lines[1], quantity: 3 },
    ]
    const messageOf = ({ body }: { body: { error: { message: string } } }) => body.error.message
    const packed = 'Cannot pack 11 of product'
    expect(messageOf(await tryToPack(tenant, order, [{ lines }]))).toBe(
      `${packed} ${tea.id}: 10 taken for the order, 1 packed already`,
    )
    expect(messageOf(await change(tenant, one, { packages: [{ lines }] }))).toBe(
      `${packed} ${tea.id}: 10 taken for the order, 0 packed already`,
    )
  })

  it('count what completed flows took, not what a running one picks', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 9 })
    const { order, flow } = await startedFlow(tenant, [[tea, 6]])
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 2 })
    const packed = () => tryToPack(tenant, order, [packageOf({ product_id: tea.id }, 2)])
    expect(failure(await packed())).toEqual(REFUSED)
    await tenant.request('POST', `/flows/${flow}/complete`)
    expect((await packed()).status).toBe(200)
  })

  it('of an order that was completed after a part was picked have that part alone', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 9 })
    const order = await pickedOrder(tenant, [[tea, 6]], [2])
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 })
    expect(failure(await tryToPack(tenant, order, [packageOf({ product_id: tea.id }, 3)]))).toEqual(REFUSED)
    await pack(tenant, order, [packageOf({ product_id: tea.id }, 2)])
  })

  it('are refused when they name nothing, each with its place', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const other = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 2]])
    const elsewhere = await completedOrder(tenant, [[tea, 2]])
    const { body } = await tryToPack(tenant, order, [
      packageOf({ sku: tea.sku }, 1),
      {
        lines: [
          { order_detail_id: elsewhere.lines[0], quantity: 1 },
          { sku: 'none', quantity: 1 },
          { product_id: tea.id, quantity: 0.5 },
          { order_detail_id: order.lines[0], quantity: 0.5 },
        ],
      },
    ])
    expect([body.error.code, body.error.details]).toEqual([
      'validation_error',
      [
        { path: 'packages[1].lines[0].order_detail_id', error: 'is not a line of the order' },
        { path: 'packages[1].lines[1].sku', error: 'names no product' },
        { path: 'packages[1].lines[2].quantity', error: 'must be an integer, because the product is not weighable' },
        { path: 'packages[1].lines[3].quantity', error: 'must be an integer, because the product is not weighable' },
      ],
    ])
    // A product that the order does not have was not taken for it.
    expect(failure(await tryToPack(tenant, order, [packageOf({ product_id: other.id }, 1)]))).toEqual(REFUSED)
  })

  it('have the quantity that their barcode carries, if none is sent', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    await tenant.request('POST', `/products/${tea.id}/barcodes`, { barcode: 'case', quantity: 6 })
    const order = await completedOrder(tenant, [[tea, 9]])
    const packages = [{ lines: [{ barcode: 'case' }] }, { lines: [{ barcode: 'case', quantity: 2 }] }]
    const shipment = await pack(tenant, order, packages, { reference: 'r' })
    expect(contentOf(shipment)).toEqual([[[order.lines[0], 6]], [[order.lines[0], 2]]])
    expect(await pack(tenant, order, packages, { reference: 'r' })).toEqual(shipment)
    const meant = [packageOf({ product_id: tea.id }, 6), packageOf({ product_id: tea.id }, 2)]
    expect(await pack(tenant, order, meant, { reference: 'r' })).toEqual(shipment)
    for (const line of [{ barcode: tea.barcode }, { product_id: tea.id }, { order_detail_id: order.lines[0] }])
      expect(failure(await tryToPack(tenant, order, [{ lines: [line] }]))).toEqual(INVALID)
  })

  it('can be of products that were deleted since', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 2]])
    await tenant.request('DELETE', `/products/${tea.id}`)
    await pack(tenant, order, [packageOf({ product_id: tea.id }, 1), packageOf({ order_detail_id: order.lines[0] }, 1)])
  })

  it('are limited', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {}, { weighable: true })
    const order = await completedOrder(tenant, [[tea, 2]])
    const line = { product_id: tea.id, quantity: 0.001 }
    const lines = (count: number) => Array.from({ length: count }, () => line)
    const refused: object[][] = [
      [{ lines: [] }],
      [{}],
      [{ lines: [{ quantity: 1 }] }],
      [{ lines: [{ ...line, sku: tea.sku }] }],
      [{ lines: [{ ...line, order_detail_id: order.lines[0] }] }],
      [{ lines: [{ ...line, quantity: 0 }] }],
      [{ lines: [{ ...line, quantity: 0.0001 }] }],
      [{ lines: [line], tracking_url: 'javascript:alert(1)' }],
      [{ lines: [line], weight: -1 }],
      Array.from({ length: 101 }, () => ({ lines: [line] })),
      [{ lines: lines(501) }, { lines: lines(500) }],
    ]
    for (const packages of refused) expect(failure(await tryToPack(tenant, order, packages))).toEqual(INVALID)
    const packages = Array.from({ length: 100 }, () => ({ lines: lines(10) }))
    const shipment = await pack(tenant, order, packages)
    expect([shipment.packages.length, shipment.total_quantity]).toEqual([100, 1])
    // Large pages are sent in pieces.
    const second = await pack(tenant, order, packages.slice(0, 2))
    const { shipments, pagination } = (await tenant.request('GET', `/shipments?order_id=${order.id}`)).body.data
    expect([shipments, pagination.total]).toEqual([[second, shipment], 2])
  })
})

describe('a repeated shipment', () => {
  it('changes nothing, also when the products have other names or the order is cancelled since', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const order = await pickedOrder(tenant, [[tea, 5]], [3])
    const body = { reference: 'r', packages: [packageOf({ sku: tea.sku }, 3, { weight: 1 })] }
    const shipment = await pack(tenant, order, body.packages, body)
    await newEvents(service, tenant)
    expect(await pack(tenant, order, body.packages, body)).toEqual(shipment)
    expect(await pack(tenant, order, [packageOf({ product_id: tea.id }, 3, { weight: 1, width: null })], body)).toMatchObject({
      id: shipment.id,
    })
    await tenant.request('PUT', `/products/${tea.id}`, { sku: 'another' })
    await tenant.request('POST', `/orders/${order.id}/cancel`, {})
    expect(await pack(tenant, order, body.packages, body)).toMatchObject({ id: shipment.id, state: 'cancelled' })
    expect(topics(await newEvents(service, tenant)).filter((topic) => topic === 'shipment/updated')).toHaveLength(1)
  })

  it('of other content is a conflict', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 9]])
    const other = await completedOrder(tenant, [[tea, 9]])
    const fields = { reference: 'r' }
    const packages = [packageOf({ product_id: tea.id }, 1)]
    await pack(tenant, order, packages, fields)
    const others: [typeof order, object[]][] = [
      [other, packages],
      [order, []],
      [order, [...packages, ...packages]],
      [order, [packageOf({ product_id: tea.id }, 2)]],
      [order, [packageOf({ product_id: tea.id }, 1, { label_url: 'https://labels.example/1' })]],
      [order, [packageOf({ order_detail_id: order.lines[0] }, 1)]],
    ]
    for (const [named, sent] of others)
      expect(failure(await tryToPack(tenant, named, sent, fields))).toEqual([409, 'idempotency_conflict'])
    const unknown = { ...order, id: 999_999 }
    expect(failure(await tryToPack(tenant, unknown, packages, fields))).toEqual([409, 'idempotency_conflict'])
    expect(failure(await tryToPack(tenant, unknown, packages, { reference: 'new' }))).toEqual([404, 'not_found'])
  })
})

describe('PUT', () => {
  it('replaces the packages, then sets tracking, and null clears', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 4]])
    const shipment = await pack(tenant, order, [packageOf({ product_id: tea.id }, 4, { carrier: 'DHL', weight: 2 })])
    await newEvents(service, tenant)
    const packages = [packageOf({ product_id: tea.id }, 3, { carrier: 'UPS' }), packageOf({ product_id: tea.id }, 1)]
    const tracking = [
      { number: 2, carrier: 'DPD', tracking_number: 'T2' },
      { number: 1, carrier: null },
      { number: 2, tracking_number: 'T3' },
    ]
    const { data } = (await change(tenant, shipment, { packages, tracking })).body
    expect(data).toMatchObject({
      total_quantity: 4,
      packages: [
        { number: 1, carrier: null, weight: null, tracking_number: null },
        { number: 2, carrier: 'DPD', tracking_number: 'T3', tracking_url: null },
      ],
    })
    expect(Date.parse(data.updated_at)).toBeGreaterThanOrEqual(Date.parse(shipment.updated_at))
    const empty = (await change(tenant, shipment, { packages: [] })).body.data
    expect([empty.packages, empty.total_quantity]).toEqual([[], 0])
    expect(await newEvents(service, tenant)).toEqual([])
  })

  it('leaves everything when one part of it is wrong', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 4]])
    const shipment = await pack(tenant, order, [packageOf({ product_id: tea.id }, 4)])
    const packages = [packageOf({ product_id: tea.id }, 1)]
    const unknown = [
      { number: 1, carrier: 'DHL' },
      { number: 2, carrier: 'DHL' },
    ]
    const refused = await change(tenant, shipment, { packages, tracking: unknown })
    expect([failure(refused), refused.body.error.details]).toEqual([
      INVALID,
      [{ path: 'tracking[1].number', error: 'no package has this number' }],
    ])
    expect(failure(await change(tenant, shipment, { packages: [packageOf({ product_id: tea.id }, 5)] }))).toEqual(REFUSED)
    expect(failure(await change(tenant, shipment, { packages: [packageOf({ order_detail_id: 999 }, 1)] }))).toEqual(INVALID)
    expect(await readShipment(tenant, shipment)).toEqual(shipment)
  })

  it('with nothing new changes nothing', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 4]])
    const shipment = await pack(tenant, order, [packageOf({ product_id: tea.id }, 4, { carrier: 'DHL' })])
    for (const body of [{}, { packages: null, tracking: null }, { tracking: [{ number: 1, carrier: 'DHL' }] }])
      expect((await change(tenant, shipment, body)).body.data).toEqual(shipment)
  })
})

describe('shipment_status', () => {
  it('follows the shipments, and the completion of the order', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, { A: 9 })
    const lines: [typeof tea, number][] = [[tea, 5]]
    const order = await pickedOrder(tenant, lines, [4])
    expect(await statusOf(tenant, order)).toBeUndefined()
    const packed = (quantity: number) => pack(tenant, order, [packageOf({ product_id: tea.id }, quantity)])
    const [one, two] = [await packed(1), await packed(3)]
    expect(await statusOf(tenant, order)).toBe('packing')
    await transition(tenant, one, 'ship')
    expect(await statusOf(tenant, order)).toBe('partial')
    await transition(tenant, two, 'ship')
    // All that was taken is shipped, but more may be taken.
    expect(await statusOf(tenant, order)).toBe('partial')
    await pickMore(tenant, order, lines, [1])
    expect(await statusOf(tenant, order)).toBe('partial')
    const three = await packed(1)
    await newEvents(service, tenant)
    await transition(tenant, three, 'ship')
    expect(await statusOf(tenant, order)).toBe('shipped')
    await transition(tenant, one, 'deliver')
    await transition(tenant, two, 'deliver')
    expect(await statusOf(tenant, order)).toBe('shipped')
    await transition(tenant, three, 'deliver')
    expect(await statusOf(tenant, order)).toBe('delivered')
    const events = await newEvents(service, tenant)
    expect(events.map(({ data }) => data.shipment_status)).toEqual(['shipped', 'shipped', 'shipped', 'delivered'])
  })

  it('ends with the last shipment, and begins again with another', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 4]])
    const packed = () => pack(tenant, order, [packageOf({ product_id: tea.id }, 2)])
    const [one, two] = [await packed(), await packed()]
    await newEvents(service, tenant)
    await transition(tenant, one, 'cancel')
    expect(await statusOf(tenant, order)).toBe('packing')
    await transition(tenant, two, 'cancel')
    expect(await statusOf(tenant, order)).toBeUndefined()
    expect((await newEvents(service, tenant)).map(({ data }) => data.shipment_status)).toEqual(['packing', null])
    await transition(tenant, await packed(), 'ship')
    expect(await statusOf(tenant, order)).toBe('partial')
    await transition(tenant, await packed(), 'ship')
    expect(await statusOf(tenant, order)).toBe('shipped')
  })

  it('is beside the reservations, in each form of the list', async ({ tenant }) => {
    await reserve(tenant, 'track')
    const tea = await stockedProduct(tenant, {})
    const order = await completedOrder(tenant, [[tea, 4]])
    const open = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 1 }] })
    await pack(tenant, order, [packageOf({ product_id: tea.id }, 2)])
    await pack(tenant, open)
    expect(await statusOf(tenant, order)).toBe('packing')
    const day = new Date().toISOString().slice(0, 10)
    for (const query of [
      '',
      '&include_details=true',
      `&start_date=${day}`,
      '&assembly_date=2026-11-30',
      '&assembly_until=2026-11-30',
    ]) {
      const { orders } = (await tenant.request('GET', `/orders?limit=9${query}`)).body.data
      expect(orders.map(({ shipment_status: status }: OrderSummary) => status)).toEqual(['packing', 'packing'])
    }
    const waiting = await tenant.request('GET', '/orders?reservation_status=backordered')
    expect(waiting.body.data.orders).toMatchObject([{ id: open.id, shipment_status: 'packing' }])
  })
})

describe('a cancelled order', () => {
  it.for(['cancel', 'state_id'])('cancels its open shipments with its own call: %s', async (by, { tenant, service }) => {
    await reserve(tenant, 'track')
    const tea = await stockedProduct(tenant, { A: 5 })
    const order = await pickedOrder(tenant, [[tea, 5]], [3])
    const packed = () => pack(tenant, order, [packageOf({ product_id: tea.id }, 1)])
    const [shipped, first, second] = [await packed(), await packed(), await packed()]
    await transition(tenant, shipped, 'ship')
    // Waits for what the order has reserved.
    await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    await newEvents(service, tenant)
    const reason = by === 'cancel' ? 'no longer wanted' : null
    await (by === 'cancel'
      ? tenant.request('POST', `/orders/${order.id}/cancel`, { reason })
      : tenant.request('PUT', `/orders/${order.id}`, { state_id: 7 }))
    const events = await newEvents(service, tenant)
    const own = by === 'cancel' ? ['order/cancelled'] : ['order/updated', 'order/cancelled']
    expect(topics(events)).toEqual([...own, 'reservation/updated', 'shipment/updated', 'shipment/updated'])
    expect(events.slice(-2).map(({ data }) => data)).toMatchObject(
      [first, second].map(({ id }) => ({
        shipment_id: id,
        state: 'cancelled',
        previous_state: 'open',
        shipment_status: 'partial',
        packages: [{ number: 1, carrier: null, tracking_number: null, tracking_url: null }],
      })),
    )
    for (const { id } of [first, second])
      expect(await readShipment(tenant, { id })).toMatchObject({ state: 'cancelled', cancellation_reason: reason })
    expect(await readShipment(tenant, shipped)).toMatchObject({ state: 'shipped', cancelled_at: null })
    expect(await statusOf(tenant, order)).toBe('partial')
    expect(failure(await tryToPack(tenant, order, []))).toEqual(REFUSED)
    // What is on its way arrives, or comes back.
    expect((await transition(tenant, shipped, 'deliver')).status).toBe(200)
  })

  it('without other shipments has no status any more', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const order = await pickedOrder(tenant, [[tea, 5]], [3])
    await pack(tenant, order, [packageOf({ product_id: tea.id }, 1)])
    await newEvents(service, tenant)
    await tenant.request('POST', `/orders/${order.id}/cancel`, {})
    const events = await newEvents(service, tenant)
    expect(events.at(-1)).toMatchObject({ event: 'shipment/updated', data: { shipment_status: null } })
    expect(await statusOf(tenant, order)).toBeUndefined()
  })
})

it('the list is filtered by state, order, reference and tracking number, newest first', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, {})
  const [one, two] = [await completedOrder(tenant, [[tea, 9]]), await completedOrder(tenant, [[tea, 9]])]
  const packed = (order: typeof one, ...numbers: string[]) =>
    pack(
      tenant,
      order,
      numbers.map((tracking_number) => packageOf({ product_id: tea.id }, 1, { tracking_number })),
      { reference: numbers.join() },
    )
  const [a, b, c] = [await packed(one, 'T1', 'T2'), await packed(two, 'T1'), await packed(two, 'T1', 'T1')]
  await transition(tenant, b, 'ship')
  const found = async (query: string) => {
    const { shipments, pagination } = (await tenant.request('GET', `/shipments?${query}`)).body.data
    return [shipments.map(({ id }: Shipment) => id), pagination.total]
  }
  expect(await found('')).toEqual([[c.id, b.id, a.id], 3])
  expect(await found('limit=1&page=2')).toEqual([[b.id], 3])
  expect(await found('limit=2&page=9')).toEqual([[], 3])
  expect(await found('state=open')).toEqual([[c.id, a.id], 2])
  expect(await found(`order_id=${two.id}`)).toEqual([[c.id, b.id], 2])
  expect(await found(`order_id=${two.id}&state=shipped`)).toEqual([[b.id], 1])
  expect(await found('tracking_number=T1')).toEqual([[c.id, b.id, a.id], 3])
  expect(await found('tracking_number=T2&state=shipped')).toEqual([[], 0])
  expect(await found('reference=T1,T2&tracking_number=T2')).toEqual([[a.id], 1])
  expect(await found(`reference=T1,T2&order_id=${two.id}`)).toEqual([[], 0])
})

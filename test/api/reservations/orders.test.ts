import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { eventsOf } from '../../support/events.ts'
import { failure, newOrder, orderFor } from '../../support/orders.ts'
import { OPERATOR, pick, stockedProduct, type PickableProduct } from '../../support/picking.ts'
import { availabilityOf, expectConsistentReservations, reserve } from '../../support/reservations.ts'
import type { TestService, TestTenant } from '../../support/service.ts'

it.afterEach(({ service, tenant }) => expectConsistentReservations(service.db, tenant))

const linesOf = (...lines: [product: PickableProduct, quantity: number][]) =>
  lines.map(([{ barcode }, quantity]) => ({ barcode, quantity }))
const statusOf = async (tenant: TestTenant, { id }: { id: number }) =>
  (await tenant.request('GET', `/orders/${id}`)).body.data.reservation_status
const reservedOf = async (tenant: TestTenant, { id }: { id: number }): Promise<[reserved: number, backordered: number][]> =>
  (await tenant.request('GET', `/orders/${id}`)).body.data.order_detail.map(
    (line: { reserved_quantity: number; backordered_quantity: number }) => [line.reserved_quantity, line.backordered_quantity],
  )
const told = async (service: TestService, tenant: TestTenant) =>
  (await eventsOf(service, tenant))
    .filter(({ event }) => event === 'reservation/updated')
    .map(({ data }) => [data.order_id, data.previous_status, data.status, data.reserved_quantity, data.backordered_quantity])

describe('under track', () => {
  it('an order reserves what is available, line by line, and the rest is backordered', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await reserve(tenant, 'track')
    const first = await tenant.request('POST', '/orders', await orderFor(tenant, { order_detail: linesOf([tea, 3]) }))
    expect(first.body.data.orders[0]).toMatchObject({ reservation_status: 'reserved' })
    const second = await newOrder(tenant, { order_detail: linesOf([tea, 1], [tea, 2]) })
    expect(await reservedOf(tenant, second)).toEqual([
      [1, 0],
      [1, 1],
    ])
    expect(await statusOf(tenant, second)).toBe('backordered')
    const { body } = await tenant.request('GET', '/orders')
    expect(body.data.orders.map((order: { reservation_status: string }) => order.reservation_status)).toEqual([
      'backordered',
      'reserved',
    ])
    expect(await told(service, tenant)).toEqual([[second.id, null, 'backordered', 2, 1]])
  })

  it('stock that comes is reserved by rank, stock that goes is taken from the last', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 0 })
    await reserve(tenant, 'track')
    const late = await newOrder(tenant, { assembly_date: '2026-12-02', order_detail: linesOf([tea, 2]) })
    const early = await newOrder(tenant, { assembly_date: '2026-12-01', order_detail: linesOf([tea, 2]) })
    await tenant.request('POST', '/stock/adjustment', { sku: tea.sku, location_id: 'A', adjustment_quantity: 3 })
    expect([await reservedOf(tenant, early), await reservedOf(tenant, late)]).toEqual([[[2, 0]], [[1, 1]]])
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 4 })
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 1 })
    expect([await reservedOf(tenant, early), await reservedOf(tenant, late)]).toEqual([[[1, 1]], [[0, 2]]])
    expect((await told(service, tenant)).slice(2)).toEqual([
      [early.id, 'backordered', 'reserved', 2, 0],
      [late.id, 'backordered', 'reserved', 2, 0],
      [late.id, 'reserved', 'backordered', 0, 2],
      [early.id, 'reserved', 'backordered', 1, 1],
    ])
  })

  it('a changed date changes the rank, and moves nothing by itself', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 0 })
    await reserve(tenant, 'track')
    const first = await newOrder(tenant, { assembly_date: '2026-12-01', order_detail: linesOf([tea, 1]) })
    const second = await newOrder(tenant, { assembly_date: '2026-12-02', order_detail: linesOf([tea, 1]) })
    await tenant.request('PUT', `/orders/${second.id}`, { assembly_date: '2026-11-01' })
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 1 })
    expect([await statusOf(tenant, first), await statusOf(tenant, second)]).toEqual(['backordered', 'reserved'])
    await tenant.request('PUT', `/orders/${second.id}`, { assembly_date: '2026-12-31' })
    expect([await statusOf(tenant, first), await statusOf(tenant, second)]).toEqual(['backordered', 'reserved'])
  })

  it('stock at a location that is not sellable is not available', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 2, B: 3 })
    await reserve(tenant, 'track')
    const first = await newOrder(tenant, { order_detail: linesOf([tea, 4]) })
    await tenant.request('PUT', '/locations/B', { sellable: false })
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({
      on_hand: 5,
      unsellable: 3,
      reserved: 2,
      available: 0,
      backordered: 2,
    })
    await tenant.request('POST', '/stock/transfer', { sku: tea.sku, from_location_id: 'B', to_location_id: 'A', quantity: 1 })
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({
      on_hand: 5,
      unsellable: 2,
      reserved: 3,
      available: 0,
      backordered: 1,
    })
    await tenant.request('PUT', '/locations/B', { sellable: true })
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ unsellable: 0, reserved: 4, available: 1, backordered: 0 })
    expect(await told(service, tenant)).toEqual([
      [first.id, 'reserved', 'backordered', 2, 2],
      [first.id, 'backordered', 'reserved', 4, 0],
    ])
  })

  it('cancelling and completing an order end its reservations, which go to those that wait', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 4 })
    await reserve(tenant, 'track')
    const [first, second, third] = [
      await newOrder(tenant, { order_detail: linesOf([tea, 2]) }),
      await newOrder(tenant, { order_detail: linesOf([tea, 2]) }),
      await newOrder(tenant, { order_detail: linesOf([tea, 3]) }),
    ]
    await tenant.request('POST', `/orders/${first.id}/cancel`)
    expect([await statusOf(tenant, first), await reservedOf(tenant, first), await reservedOf(tenant, third)]).toEqual([
      null,
      [[0, 0]],
      [[2, 1]],
    ])
    await tenant.request('PUT', `/orders/${second.id}`, { state_id: 5 })
    expect(await reservedOf(tenant, third)).toEqual([[3, 0]])
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ on_hand: 4, reserved: 3, available: 1 })
    expect(await told(service, tenant)).toEqual([
      [third.id, null, 'backordered', 0, 3],
      [third.id, 'backordered', 'reserved', 3, 0],
    ])
  })
})

describe('picks', () => {
  it('use up what is reserved, and give it back when they are undone', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await reserve(tenant, 'track')
    const first = await newOrder(tenant, { order_detail: linesOf([tea, 3]) })
    const second = await newOrder(tenant, { order_detail: linesOf([tea, 4]) })
    const flow = (await tenant.request('POST', '/flows', { order_id: first.id, ...OPERATOR })).body.data.id
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 2, pick_id: 'x' })
    expect([await reservedOf(tenant, first), await reservedOf(tenant, second)]).toEqual([[[1, 0]], [[2, 2]]])
    await tenant.request('DELETE', `/flows/${flow}/picks/x`)
    expect([await reservedOf(tenant, first), await reservedOf(tenant, second)]).toEqual([[[3, 0]], [[2, 2]]])
  })

  it('beyond the own share take from others', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 3 })
    await reserve(tenant, 'track')
    const first = await newOrder(tenant, { order_detail: linesOf([tea, 2]) })
    const second = await newOrder(tenant, { order_detail: linesOf([tea, 3]) })
    const flow = (await tenant.request('POST', '/flows', { order_id: second.id, ...OPERATOR })).body.data.id
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 2 })
    expect([await reservedOf(tenant, first), await reservedOf(tenant, second)]).toEqual([[[1, 1]], [[0, 1]]])
  })

  it('take what is reserved for their line first, so that neither holds nor later orders lose anything', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await reserve(tenant, 'track')
    await tenant.request('POST', '/holds', { reference: 'cart', lines: [{ product_id: tea.id, quantity: 1 }] })
    const late = await newOrder(tenant, { assembly_date: '2026-12-03', order_detail: linesOf([tea, 2]) })
    const early = await newOrder(tenant, { assembly_date: '2026-12-01', order_detail: linesOf([tea, 4]) })
    const flow = (await tenant.request('POST', '/flows', { order_id: early.id, ...OPERATOR })).body.data.id
    const shares = async () => {
      const { held } = await availabilityOf(tenant, tea.id)
      return { early: await reservedOf(tenant, early), held, late: await reservedOf(tenant, late) }
    }
    expect(await shares()).toEqual({ early: [[2, 2]], held: 1, late: [[2, 0]] })
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1 })
    expect(await shares()).toEqual({ early: [[1, 2]], held: 1, late: [[2, 0]] })
    // One more than its share: the backorder comes next, and the hold loses.
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 2 })
    expect(await shares()).toEqual({ early: [[0, 1]], held: 0, late: [[2, 0]] })
  })

  it('from a location that is not sellable leave the reservation to what is sellable', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 1, B: 5 })
    await tenant.request('PUT', '/locations/B', { sellable: false })
    await reserve(tenant, 'track')
    const only = await newOrder(tenant, { order_detail: linesOf([tea, 3]) })
    const flow = (await tenant.request('POST', '/flows', { order_id: only.id, ...OPERATOR })).body.data.id
    await pick(tenant, flow, { product_id: tea.id, location_id: 'B', quantity: 1 })
    expect(await reservedOf(tenant, only)).toEqual([[1, 1]])
    await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 1 })
    expect(await reservedOf(tenant, only)).toEqual([[0, 1]])
  })

  it.for(['that is not sellable', 'of another warehouse'])(
    'from a location %s take the backorder first, although another order waits for longer',
    async (kind, { tenant }) => {
      const { body } = await tenant.request('POST', '/warehouses', { name: 'North' })
      const place = kind === 'that is not sellable' ? { sellable: false } : { warehouse_id: body.data.id }
      await tenant.request('POST', '/locations', { id: 'Q', ...place })
      const tea = await stockedProduct(tenant, { A: 3, Q: 5 })
      await reserve(tenant, 'track')
      const late = await newOrder(tenant, { assembly_date: '2026-12-03', order_detail: linesOf([tea, 5]) })
      const early = await newOrder(tenant, { assembly_date: '2026-12-01', order_detail: linesOf([tea, 1]) })
      expect([await reservedOf(tenant, late), await reservedOf(tenant, early)]).toEqual([[[3, 2]], [[0, 1]]])
      const flow = (await tenant.request('POST', '/flows', { order_id: late.id, ...OPERATOR })).body.data.id
      await pick(tenant, flow, { product_id: tea.id, location_id: 'Q', quantity: 2, pick_id: 'x' })
      expect([await reservedOf(tenant, late), await reservedOf(tenant, early)]).toEqual([[[3, 0]], [[0, 1]]])
      await tenant.request('DELETE', `/flows/${flow}/picks/x`)
      expect([await reservedOf(tenant, late), await reservedOf(tenant, early)]).toEqual([[[3, 2]], [[0, 1]]])
    },
  )

  it('of a cancelled flow are reserved again; those of a cancelled order are free', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 3 })
    await reserve(tenant, 'track')
    const first = await newOrder(tenant, { order_detail: linesOf([tea, 3]) })
    const waiting = await newOrder(tenant, { assembly_date: '2026-01-01', order_detail: linesOf([tea, 2]) })
    for (const [path, reserved] of [
      ['/flows/:id/cancel', [[[3, 0]], [[0, 2]]]],
      [`/orders/${first.id}/cancel`, [[[0, 0]], [[2, 0]]]],
    ] as const) {
      const flow = (await tenant.request('POST', '/flows', { order_id: first.id, ...OPERATOR })).body.data.id
      await pick(tenant, flow, { product_id: tea.id, location_id: 'A', quantity: 2 })
      await tenant.request('POST', path.replace(':id', String(flow)))
      expect([await reservedOf(tenant, first), await reservedOf(tenant, waiting)]).toEqual(reserved)
    }
    // After the contract's events of the call.
    const events = (await eventsOf(service, tenant)).map(({ event }) => event)
    expect(events.slice(-3)).toEqual(['flow/cancelled', 'order/cancelled', 'reservation/updated'])
  })
})

describe('under strict', () => {
  it('refuses orders that cannot be reserved in full, each judged on what those before it leave', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await reserve(tenant, 'strict')
    const orders = await Promise.all(
      [4, 2, 1].map((quantity) => orderFor(tenant, { order_detail: linesOf([tea, quantity], [tea, 1]) })),
    )
    const response = await tenant.request('POST', '/orders', orders)
    expect(failure(response)).toEqual([400, 'insufficient_stock'])
    const line = (position: number, quantity: number, available: number) => ({
      position,
      barcode: tea.barcode,
      quantity,
      available,
    })
    expect(response.body.error.details).toMatchObject([
      { index: 1, lines: [line(0, 2, 0), line(1, 1, 0)] },
      { index: 2, lines: [line(0, 1, 0), line(1, 1, 0)] },
    ])
    expect((await tenant.request('GET', '/orders')).body.data.pagination.total).toBe(0)
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ reserved: 0, available: 5, backordered: 0 })
  })

  it('what an order leaves of its hold goes to the orders after it, before those that wait', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await reserve(tenant, 'strict')
    const lines = [{ product_id: tea.id, quantity: 5 }]
    expect((await tenant.request('POST', '/holds', { reference: 'cart', lines })).status).toBe(200)
    const orders = await Promise.all([
      orderFor(tenant, { hold: 'cart', assembly_date: '2030-01-05', order_detail: linesOf([tea, 2]) }),
      orderFor(tenant, { assembly_date: '2030-01-10', order_detail: linesOf([tea, 1], [tea, 1]) }),
      orderFor(tenant, { allow_backorder: true, assembly_date: '2030-01-01', order_detail: linesOf([tea, 3]) }),
    ])
    const { body } = await tenant.request('POST', '/orders', orders)
    const reserved = await Promise.all(body.data.orders.map((order: { id: number }) => reservedOf(tenant, order)))
    expect(reserved).toEqual([
      [[2, 0]],
      [
        [1, 0],
        [1, 0],
      ],
      [[1, 2]],
    ])
  })

  it('takes an order with allow_backorder, and one that exists already', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 1 })
    await reserve(tenant, 'strict')
    const existing = await orderFor(tenant, { order_detail: linesOf([tea, 1]) })
    await tenant.request('POST', '/orders', existing)
    const allowed = await orderFor(tenant, { allow_backorder: true, order_detail: linesOf([tea, 1]) })
    const { body } = await tenant.request('POST', '/orders', [existing, allowed])
    expect(body.data).toMatchObject({ created_count: 1, existing_count: 1, orders: [{ reservation_status: 'backordered' }] })
    const unknown = await orderFor(tenant, { order_detail: [{ barcode: 'none', quantity: 1 }, ...linesOf([tea, 1])] })
    expect(failure(await tenant.request('POST', '/orders', unknown))).toEqual([400, 'creation_error'])
  })
})

it('under off, nothing is reserved and no response tells of it', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 1 })
  const order = await newOrder(tenant, { allow_backorder: true, hold: 'none', order_detail: linesOf([tea, 2]) })
  const { body } = await tenant.request('GET', `/orders/${order.id}`)
  for (const mistake of [{ allow_backorder: 'yes' }, { hold: 7 }])
    expect(failure(await tenant.request('POST', '/orders', await orderFor(tenant, mistake)))).toEqual([400, 'validation_error'])
  expect(body.data).not.toHaveProperty('reservation_status')
  expect(body.data.order_detail[0]).not.toHaveProperty('reserved_quantity')
  expect((await tenant.request('GET', `/products/${tea.id}`)).body.data).not.toHaveProperty('availability')
  expect((await tenant.request('GET', `/stock/sku/${tea.sku}`)).body.data).not.toHaveProperty('availability')
  expect((await tenant.request('GET', '/orders')).body.data.orders[0]).not.toHaveProperty('reservation_status')
  await tenant.request('POST', `/orders/${order.id}/cancel`)
})

it('the list of orders is filtered by reservation status, except under off', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 1 })
  await reserve(tenant, 'track')
  const reserved = await newOrder(tenant, { customer_name: 'Ada', order_detail: linesOf([tea, 1]) })
  const backordered = await newOrder(tenant, { customer_name: 'Ada', order_detail: linesOf([tea, 1]) })
  const over = await newOrder(tenant, { order_detail: linesOf([tea, 1]) })
  await tenant.request('POST', `/orders/${over.id}/cancel`)
  const listed = async (query: string) => {
    const { body } = await tenant.request('GET', `/orders?${query}`)
    const ids = body.data.orders.map(({ id }: { id: number }) => id)
    expect(body.data.pagination.total).toBe(ids.length)
    return ids
  }
  expect(await listed('reservation_status=reserved')).toEqual([reserved.id])
  expect(await listed('reservation_status=backordered&include_details=true')).toEqual([backordered.id])
  expect(await listed('reservation_status=backordered&customer_name=AD&state_id=1')).toEqual([backordered.id])
  expect(await listed('reservation_status=backordered&state_id=2')).toEqual([])
  await tenant.request('POST', `/orders/${reserved.id}/cancel`)
  await tenant.request('POST', `/orders/${backordered.id}/cancel`)
  await reserve(tenant, 'off')
  expect(await listed('reservation_status=reserved')).toHaveLength(3)
})

it('reconciliation finds a total that is not the sum of its reservations', async ({ service, tenant }) => {
  const tea = await stockedProduct(tenant, { A: 3 })
  await reserve(tenant, 'track')
  await newOrder(tenant, { order_detail: linesOf([tea, 5]) })
  const reconciled = async () => (await tenant.request('GET', '/stock/reconcile')).body.data
  expect(await reconciled()).toMatchObject({ is_balanced: true })
  const change = (by: number) =>
    sql`update warehouse_stock set reserved = reserved + ${by}, backordered = backordered - ${by} where tenant_id = ${tenant.id}`.execute(
      service.db.kysely,
    )
  await change(-1)
  const difference = { product_id: tea.id, location_id: null }
  expect((await reconciled()).differences).toMatchObject([
    { kind: 'backordered', recorded: 3, expected: 2, ...difference },
    { kind: 'reserved', recorded: 2, expected: 3, ...difference },
  ])
  await change(1)
})

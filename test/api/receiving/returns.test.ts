import { describe, expect } from 'vitest'
import { failure, newOrder } from '../../support/orders.ts'
import { OPERATOR } from '../../support/picking.ts'
import { announce, read, receive, RETURNS, undo } from '../../support/receiving.ts'
import type { TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'
import { newEvents, topics } from '../flows/calls.ts'
import { it } from './it.ts'

type Product = Awaited<ReturnType<typeof newProduct>>

/** An order of products, of which a completed flow picked some. */
async function pickedOrder(tenant: TestTenant, lines: { product: Product; ordered: number; picked: number }[]) {
  const order = await newOrder(tenant, {
    order_detail: lines.map(({ product, ordered }) => ({ barcode: product.barcode, quantity: ordered })),
  })
  await pick(tenant, order.id, lines)
  return order
}

async function pick(tenant: TestTenant, order_id: number, lines: { product: Product; picked: number }[]): Promise<number> {
  const flow = (await tenant.request('POST', '/flows', { ...OPERATOR, order_id })).body.data.id
  for (const { product, picked } of lines) {
    await tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity: picked })
    const body = { product_id: product.id, location_id: 'A', quantity: picked }
    expect((await tenant.request('POST', `/flows/${flow}/picks`, body)).status).toBe(200)
  }
  expect((await tenant.request('POST', `/flows/${flow}/complete`)).status).toBe(200)
  return flow
}

const create = (tenant: TestTenant, body: object) => tenant.request('POST', '/returns', body)

describe('a return of an order', () => {
  it('has the order, by either name, and its warehouse', async ({ tenant }) => {
    const product = await newProduct(tenant)
    const { id: warehouse_id } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    const order = await newOrder(tenant, { warehouse_id, order_detail: [{ barcode: product.barcode, quantity: 2 }] })
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 })
    const lines = [{ product_id: product.id, quantity: 1, reason: 'wet' }]
    const { body } = await create(tenant, { order_id: order.id, reference: 'R', reason: 'damaged', lines })
    expect(body.data).toMatchObject({
      order_id: order.id,
      order_tenant_id: order.order_tenant_id,
      warehouse_id,
      reason: 'damaged',
    })
    expect(body.data.lines).toMatchObject([
      { reason: 'wet', restocked_quantity: 0, quarantined_quantity: 0, scrapped_quantity: 0 },
    ])
    const again = { order_tenant_id: order.order_tenant_id, reference: 'R', reason: 'damaged', warehouse_id, lines }
    expect((await create(tenant, again)).body.data).toEqual(body.data)
    expect(failure(await create(tenant, { ...again, lines: [{ ...lines[0], reason: 'dry' }] }))).toEqual([
      409,
      'idempotency_conflict',
    ])
    expect(failure(await create(tenant, { reference: 'R', reason: 'damaged', warehouse_id, lines }))).toEqual([
      409,
      'idempotency_conflict',
    ])
    const other = await newOrder(tenant)
    for (const named of [
      { order_id: 999_999 },
      { order_tenant_id: 'unknown' },
      { order_id: order.id, order_tenant_id: other.order_tenant_id },
    ])
      expect(failure(await create(tenant, { ...named, reference: 'R', lines })), JSON.stringify(named)).toEqual([
        409,
        'idempotency_conflict',
      ])
    expect(failure(await create(tenant, { order_id: 999_999, reference: 'new', lines }))).toEqual([404, 'not_found'])
    expect(failure(await create(tenant, { order_id: order.id, order_tenant_id: other.order_tenant_id, lines }))).toEqual([
      400,
      'validation_error',
    ])
    expect(failure(await create(tenant, { order_id: 999_999, lines }))).toEqual([404, 'not_found'])
    expect(failure(await create(tenant, { order_tenant_id: 'unknown', lines }))).toEqual([404, 'not_found'])
    const list = async (query: string) =>
      (await tenant.request('GET', `/returns?${query}`)).body.data.returns.map(({ id }: { id: number }) => id)
    expect([await list(`order_id=${order.id}`), await list(`order_id=${other.id}`)]).toEqual([[body.data.id], []])
  })

  it('has no more of a product than completed flows picked, over all its returns', async ({ tenant }) => {
    const [tea, mate] = [await newProduct(tenant), await newProduct(tenant)]
    const order = await pickedOrder(tenant, [
      { product: tea, ordered: 5, picked: 3 },
      { product: mate, ordered: 1, picked: 1 },
    ])
    const returning = (...quantities: number[]) =>
      create(tenant, { order_id: order.id, lines: quantities.map((quantity) => ({ product_id: tea.id, quantity })) })
    expect(failure(await returning(4))).toEqual([400, 'return_error'])
    expect(failure(await returning(2, 2))).toEqual([400, 'return_error'])
    expect((await returning(1, 1)).status).toBe(200)
    expect(failure(await returning(2))).toEqual([400, 'return_error'])
    expect((await returning(1)).status).toBe(200)
    const other = await newProduct(tenant)
    const lines = [{ product_id: other.id, quantity: 1 }]
    expect(failure(await create(tenant, { order_id: order.id, lines }))).toEqual([400, 'return_error'])
    // What a later flow picks can come back too, once it is completed.
    expect(failure(await returning(2))).toEqual([400, 'return_error'])
    await pick(tenant, order.id, [{ product: tea, picked: 2 }])
    expect((await returning(2)).status).toBe(200)
    expect(failure(await returning(1))).toEqual([400, 'return_error'])
  })

  it('does not count what a running flow has picked, nor what a cancelled one had', async ({ tenant }) => {
    const tea = await newProduct(tenant)
    const order = await pickedOrder(tenant, [{ product: tea, ordered: 5, picked: 1 }])
    const returning = (quantity: number) => create(tenant, { order_id: order.id, lines: [{ product_id: tea.id, quantity }] })
    const flow = (await tenant.request('POST', '/flows', { ...OPERATOR, order_id: order.id })).body.data.id
    await tenant.request('POST', '/stock/adjustment', { product_id: tea.id, location_id: 'A', adjustment_quantity: 4 })
    await tenant.request('POST', `/flows/${flow}/picks`, { product_id: tea.id, location_id: 'A', quantity: 3 })
    expect(failure(await returning(2))).toEqual([400, 'return_error'])
    await tenant.request('POST', `/flows/${flow}/cancel`)
    expect(failure(await returning(2))).toEqual([400, 'return_error'])
    // Of a cancelled order comes back what was taken before.
    await tenant.request('POST', `/orders/${order.id}/cancel`)
    expect((await returning(1)).status).toBe(200)
  })

  it.for([5, 7])('in state %i without picks can have what was ordered, or nothing', async (state_id, { tenant }) => {
    const tea = await newProduct(tenant)
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    await tenant.request('PUT', `/orders/${order.id}`, { state_id })
    const lines = [{ product_id: tea.id, quantity: 2 }]
    expect((await create(tenant, { order_id: order.id, lines })).status).toBe(state_id === 5 ? 200 : 400)
  })

  it('counts with the larger of announced and received, closed with what came, cancelled not at all', async ({ tenant }) => {
    const tea = await newProduct(tenant)
    const order = await pickedOrder(tenant, [{ product: tea, ordered: 10, picked: 10 }])
    const returning = (quantity: number, fields: object = {}) =>
      create(tenant, { order_id: order.id, lines: [{ product_id: tea.id, quantity }], ...fields })
    const closed = (await returning(4)).body.data
    await receive(RETURNS, tenant, closed, { product_id: tea.id, quantity: 1 })
    expect(failure(await returning(7))).toEqual([400, 'return_error'])
    await tenant.request('POST', `/returns/${closed.id}/close`)
    const cancelled = (await returning(9)).body.data
    expect(failure(await returning(1))).toEqual([400, 'return_error'])
    await tenant.request('POST', `/returns/${cancelled.id}/cancel`)
    const over = (await returning(2, { allow_over: true })).body.data
    const surplus = await receive(RETURNS, tenant, over, { product_id: tea.id, quantity: 5, receipt_id: 'over' })
    expect(surplus.body.data.return.total_received).toBe(5)
    expect(failure(await returning(5))).toEqual([400, 'return_error'])
    const last = (await returning(4, { allow_over: true })).body.data
    // allow_over does not lift it: 1 + 5 + 4 came or will come of 10.
    expect(failure(await receive(RETURNS, tenant, last, { product_id: tea.id, quantity: 5 }))).toEqual([400, 'return_error'])
    expect(failure(await receive(RETURNS, tenant, over, { product_id: tea.id, quantity: 1 }))).toEqual([400, 'return_error'])
    expect((await receive(RETURNS, tenant, last, { product_id: tea.id, quantity: 4 })).status).toBe(200)
    await undo(RETURNS, tenant, over, 'over')
    expect((await receive(RETURNS, tenant, last, { product_id: tea.id, quantity: 3 })).status).toBe(200)
    expect(failure(await receive(RETURNS, tenant, last, { product_id: tea.id, quantity: 1 }))).toEqual([400, 'return_error'])
  })

  it('never changes the order, and is not incoming', async ({ tenant }) => {
    const tea = await newProduct(tenant)
    const order = await pickedOrder(tenant, [{ product: tea, ordered: 2, picked: 2 }])
    const before = (await tenant.request('GET', `/orders/${order.id}`)).body
    const record = await announce(RETURNS, tenant, [{ product_id: tea.id, quantity: 2 }], { order_id: order.id })
    const availability = (await tenant.request('GET', `/stock/availability?product_id=${tea.id}`)).body.data.availability
    expect(availability).toMatchObject([{ incoming: 0 }])
    await receive(RETURNS, tenant, record, { product_id: tea.id, quantity: 2 })
    expect((await tenant.request('GET', `/orders/${order.id}`)).body).toEqual(before)
    const { movements } = (await tenant.request('GET', `/stock/movements?order_id=${order.id}`)).body.data
    expect(movements[0]).toMatchObject({ movement_type: 'IN', quantity: 2, reason: 'return', order_id: order.id })
  })
})

describe('a disposition', () => {
  it('says where the goods went, and is undone exactly', async ({ tenant, service }) => {
    const tea = await newProduct(tenant)
    await tenant.request('POST', '/locations', { id: 'Q', sellable: false, pickable: false })
    const record = await announce(
      RETURNS,
      tenant,
      [1, 3].map((quantity) => ({ product_id: tea.id, quantity })),
    )
    const back = (disposition: string, quantity: number, location_id: string | null) =>
      receive(RETURNS, tenant, record, { product_id: tea.id, quantity, disposition, location_id, receipt_id: disposition })
    const parts = async () =>
      (await read(RETURNS, tenant, record)).lines.map((line: Record<string, number>) => [
        line.received_quantity,
        line.restocked_quantity,
        line.quarantined_quantity,
        line.scrapped_quantity,
      ])
    await back('restock', 2, 'A')
    await back('quarantine', 1, 'Q')
    await newEvents(service, tenant)
    const { receipt } = (await back('scrap', 1, null)).body.data
    expect(receipt).toMatchObject({ disposition: 'scrap', location_id: null, movement_id: null, quantity: 1 })
    expect(await newEvents(service, tenant)).toEqual([])
    expect(await parts()).toEqual([
      [1, 1, 0, 0],
      [3, 1, 1, 1],
    ])
    const levels = (await tenant.request('GET', '/stock/levels')).body.data.levels
    expect(levels).toMatchObject([
      { location_id: 'A', quantity: 2 },
      { location_id: 'Q', quantity: 1 },
    ])
    for (const id of ['scrap', 'quarantine', 'restock']) await undo(RETURNS, tenant, record, id)
    expect(topics(await newEvents(service, tenant))).toEqual([
      'stock/movement_created',
      'stock/updated',
      'stock/movement_created',
      'stock/updated',
    ])
    expect(await parts()).toEqual([
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ])
    expect((await back('scrap', 1, null)).body.data.receipt.undone_at).not.toBeNull()
    expect(failure(await back('scrap', 2, null))).toEqual([409, 'idempotency_conflict'])
  })

  it.for([
    ['restock at a location that is not sellable', { disposition: 'restock', location_id: 'Q' }],
    ['restock without a location', { disposition: 'restock', location_id: null }],
    ['quarantine at a sellable location', { disposition: 'quarantine', location_id: 'A' }],
    ['quarantine at a location that does not exist', { disposition: 'quarantine', location_id: 'NEW' }],
    ['scrap at a location', { disposition: 'scrap', location_id: 'A' }],
    ['nothing', { disposition: undefined }],
    ['something else', { disposition: 'sell' }],
  ] as const)('that is %s is refused', async ([, body], { tenant }) => {
    const tea = await newProduct(tenant)
    await tenant.request('POST', '/locations', { id: 'Q', sellable: false })
    await tenant.request('POST', '/locations', { id: 'A' })
    const record = await announce(RETURNS, tenant, [{ product_id: tea.id, quantity: 2 }])
    expect(failure(await receive(RETURNS, tenant, record, { product_id: tea.id, quantity: 1, ...body }))).toEqual([
      400,
      'validation_error',
    ])
    expect((await tenant.request('GET', '/locations')).body.data.pagination.total).toBe(2)
  })
})

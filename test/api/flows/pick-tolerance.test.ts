import { describe, expect } from 'vitest'
import { it } from './it.ts'
import { eventsOf } from '../../support/events.ts'
import { failure, newOrder } from '../../support/orders.ts'
import { OPERATOR, pick, startedFlow, stockedProduct, type PickableProduct } from '../../support/picking.ts'
import { availabilityOf, expectConsistentReservations, reserve } from '../../support/reservations.ts'
import type { TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'
import { cancel, complete, flowOf, newEvents, orderOf, start, topics, undo } from './calls.ts'

const at = (location_id = 'A') => ({ location_id })
const cheese = (tenant: TestTenant, percent: number, stock: Record<string, number> = { A: 100 }): Promise<PickableProduct> =>
  stockedProduct(tenant, stock, { weighable: true, pick_tolerance_percent: percent })
const bulk = async (tenant: TestTenant, products: unknown) =>
  (await tenant.request('POST', '/products/bulk', { products })).body.data
const productOf = async (tenant: TestTenant, { id }: { id: number }) => (await tenant.request('GET', `/products/${id}`)).body.data

/** Picks the product until the service refuses, and returns what each pick got: `true`, or the message. */
async function picks(tenant: TestTenant, flow: number, product: PickableProduct, quantities: readonly number[]) {
  const results: (true | string)[] = []
  for (const quantity of quantities) {
    const { status, body } = await pick(tenant, flow, { product_id: product.id, ...at(), quantity })
    if (status !== 200) expect([status, body.error.code]).toEqual([400, 'flow_error'])
    results.push(status === 200 || body.error.message)
  }
  return results
}

describe('the tolerance of a product', () => {
  it('is given at creation and changed, of weighable products, and shown where it is not 0', async ({ service, tenant }) => {
    const plain = await newProduct(tenant, { weighable: true })
    const tolerant = await newProduct(tenant, { weighable: true, pick_tolerance_percent: 12.345 })
    expect(await productOf(tenant, plain)).not.toHaveProperty('pick_tolerance_percent')
    expect(await productOf(tenant, tolerant)).toMatchObject({ pick_tolerance_percent: 12.345 })
    const listed = (await tenant.request('GET', '/products')).body.data.products
    expect(listed.map((row: object) => ('pick_tolerance_percent' in row ? row.pick_tolerance_percent : 'none'))).toEqual([
      12.345,
      'none',
    ])
    expect((await tenant.request('GET', `/products/sku/${tolerant.sku}`)).body.data).not.toHaveProperty('pick_tolerance_percent')

    await eventsOf(service, tenant)
    const put = async (body: object) => (await tenant.request('PUT', `/products/${tolerant.id}`, body)).status
    expect(await put({ pick_tolerance_percent: 50 })).toBe(200)
    expect(await put({ pick_tolerance_percent: 50 })).toBe(200)
    expect(await put({ pick_tolerance_percent: null })).toBe(200)
    expect(await productOf(tenant, tolerant)).not.toHaveProperty('pick_tolerance_percent')
    expect((await eventsOf(service, tenant)).slice(2).map(({ event, data }) => [event, data.updated_fields])).toEqual([
      ['product/updated', ['pick_tolerance_percent']],
      ['product/updated', ['pick_tolerance_percent']],
    ])
  })

  it.for([-0.001, 50.001, 1.0001, '5', true])('is 0 to 50 with 3 decimal places: not %j', async (percent, { tenant }) => {
    const { id } = await newProduct(tenant, { weighable: true })
    const body = { pick_tolerance_percent: percent }
    for (const response of [
      await tenant.request('POST', '/products', { name: 'Ham', barcode: 'ham', weighable: true, ...body }),
      await tenant.request('PUT', `/products/${id}`, body),
    ]) {
      expect(failure(response)).toEqual([400, 'validation_error'])
      expect(response.body.error.details).toMatchObject([{ path: 'pick_tolerance_percent' }])
    }
    expect(await bulk(tenant, [{ barcode: 'ham', name: 'Ham', ...body }])).toMatchObject({
      created: 0,
      errors: [{ barcode: 'ham' }],
    })
  })

  it('is 0 of a product that is not weighable, whichever of the two is changed', async ({ tenant }) => {
    const piece = await newProduct(tenant)
    const weighed = await newProduct(tenant, { weighable: true, pick_tolerance_percent: 5 })
    for (const response of [
      await tenant.request('POST', '/products', { name: 'Ham', barcode: 'ham', pick_tolerance_percent: 0.001 }),
      await tenant.request('PUT', `/products/${piece.id}`, { pick_tolerance_percent: 5 }),
      await tenant.request('PUT', `/products/${weighed.id}`, { weighable: false }),
      await tenant.request('PUT', `/products/${weighed.id}`, { weighable: false, pick_tolerance_percent: 1 }),
    ]) {
      expect(failure(response)).toEqual([400, 'validation_error'])
      expect(response.body.error.details).toEqual([
        { path: 'pick_tolerance_percent', error: 'must be 0, because the product is not weighable' },
      ])
    }
    expect(await productOf(tenant, weighed)).toMatchObject({ weighable: true, pick_tolerance_percent: 5 })
    for (const [id, body] of [
      [piece.id, { pick_tolerance_percent: 0 }],
      [piece.id, { weighable: true, pick_tolerance_percent: 5 }],
      [weighed.id, { weighable: false, pick_tolerance_percent: 0 }],
    ])
      expect((await tenant.request('PUT', `/products/${id as number}`, body)).status).toBe(200)
    expect(await productOf(tenant, piece)).toMatchObject({ weighable: true, pick_tolerance_percent: 5 })
  })

  it('is changed by bulk calls', async ({ tenant }) => {
    const weighed = await newProduct(tenant, { weighable: true, pick_tolerance_percent: 5 })
    const other = await newProduct(tenant, { weighable: true, pick_tolerance_percent: 5 })
    const piece = await newProduct(tenant)
    const NO = 'pick_tolerance_percent: must be 0, because the product is not weighable'
    const items = [
      { barcode: weighed.barcode, pick_tolerance_percent: 7.5 },
      { barcode: other.barcode, price: 2 },
      { barcode: piece.barcode, pick_tolerance_percent: 1 },
      { barcode: 'new', name: 'New', pick_tolerance_percent: 1 },
      { barcode: 'newer', name: 'Newer', pick_tolerance_percent: 0 },
    ]
    const errors = [
      { barcode: piece.barcode, error: NO, index: 2 },
      { barcode: 'new', error: NO, index: 3 },
    ]
    expect((await tenant.request('POST', '/products/bulk/check', { products: items })).body.data).toMatchObject({
      created: 1,
      updated: 2,
      errors,
    })
    expect(await bulk(tenant, items)).toEqual({ created: 1, updated: 2, errors })
    expect(await productOf(tenant, weighed)).toMatchObject({ pick_tolerance_percent: 7.5 })
    expect(await productOf(tenant, other)).toMatchObject({ pick_tolerance_percent: 5, price: 2 })
    expect(await bulk(tenant, [{ barcode: weighed.barcode, pick_tolerance_percent: null }])).toMatchObject({
      updated: 1,
      errors: [],
    })
    expect(await productOf(tenant, weighed)).not.toHaveProperty('pick_tolerance_percent')
  })
})

describe('a line with a tolerance', () => {
  // Bounds with a fourth decimal of 5 are rounded up, both of them.
  it.for([
    { percent: 10, ordered: 2, least: 1.8, most: 2.2 },
    { percent: 12.345, ordered: 7, least: 6.136, most: 7.864 },
    { percent: 0.05, ordered: 1, least: 1, most: 1.001 },
    { percent: 0.05, ordered: 3, least: 2.999, most: 3.002 },
    { percent: 0.001, ordered: 40, least: 40, most: 40 },
    { percent: 50, ordered: 1, least: 0.5, most: 1.5 },
  ])('of $percent % and $ordered is fulfilled from $least to $most', async ({ percent, ordered, least, most }, { tenant }) => {
    const product = await cheese(tenant, percent)
    const { order, flow } = await startedFlow(tenant, [[product, ordered]])
    const exact = (quantity: number): number => Number(quantity.toFixed(3))
    const line = async () => (await flowOf(tenant, flow)).lines[0]
    expect(await picks(tenant, flow, product, [exact(most + 0.001)])).toEqual([
      `Cannot pick ${exact(most + 0.001)}: only ${most} left to pick`,
    ])
    expect(await picks(tenant, flow, product, [exact(least - 0.001)])).toEqual([true])
    expect(await line()).toMatchObject({
      picked_quantity: exact(least - 0.001),
      remaining: exact(ordered - least + 0.001),
      is_fulfilled: false,
      minimum_quantity: least,
      maximum_quantity: most,
    })
    const { body } = await pick(tenant, flow, { product_id: product.id, ...at(), quantity: 0.001, pick_id: 'last' })
    expect(body.data.lines).toMatchObject([{ picked_quantity: least, remaining: 0, is_fulfilled: true }])
    expect(await line()).toMatchObject({ picked_quantity: least, remaining: 0, is_fulfilled: true })
    if (most > least) expect(await picks(tenant, flow, product, [exact(most - least)])).toEqual([true])
    expect(await picks(tenant, flow, product, [0.001])).toEqual([expect.stringMatching(/only 0 left to pick$/)])
    expect(await line()).toMatchObject({ picked_quantity: most, remaining: 0, is_fulfilled: true })
    expect((await undo(tenant, flow, 'last')).body.data.lines).toMatchObject([
      { picked_quantity: exact(most - 0.001), remaining: most > least ? 0 : 0.001, is_fulfilled: most > least },
    ])
    if (most === least) await picks(tenant, flow, product, [0.001])
    await complete(tenant, flow)
    expect(await orderOf(tenant, order)).toMatchObject({ state_id: 5 })
  })

  it('keeps the tolerance of when it was ordered; others have no further fields', async ({ tenant }) => {
    const product = await cheese(tenant, 10)
    const before = await startedFlow(tenant, [[product, 1]])
    await tenant.request('PUT', `/products/${product.id}`, { pick_tolerance_percent: 0 })
    const after = await startedFlow(tenant, [[product, 1]])
    await tenant.request('PUT', `/products/${product.id}`, { pick_tolerance_percent: 20 })
    expect((await flowOf(tenant, before.flow)).lines).toMatchObject([{ minimum_quantity: 0.9, maximum_quantity: 1.1 }])
    expect(Object.keys((await flowOf(tenant, after.flow)).lines[0])).toEqual([
      'order_detail_id',
      'product_id',
      'barcode',
      'product_name',
      'quantity',
      'picked_quantity',
      'remaining',
      'locations',
    ])
    expect(await picks(tenant, before.flow, product, [1.1])).toEqual([true])
    expect(await picks(tenant, after.flow, product, [1.1, 0.9])).toEqual(['Cannot pick 1.1: only 1 left to pick', true])
    expect((await orderOf(tenant, after.order)).order_detail[0]).not.toHaveProperty('pick_tolerance_percent')
    expect((await complete(tenant, after.flow)).status).toBe(200)
    expect(await orderOf(tenant, after.order)).toMatchObject({ state_id: 2 })
  })

  it('is filled with the others of its product up to what was ordered, then up to the bounds', async ({ tenant }) => {
    const product = await cheese(tenant, 10)
    const { order, flow } = await startedFlow(tenant, [
      [product, 2],
      [product, 1],
      [product, 3],
    ])
    const take = async (body: object) => {
      const { data } = (await pick(tenant, flow, { ...at(), ...body })).body
      const ids = (await orderOf(tenant, order)).order_detail.map(({ id }: { id: number }) => id)
      expect(data.lines.map((line: { order_detail_id: number }) => line.order_detail_id)).toEqual(
        data.pick.lines.map((line: { order_detail_id: number }) => line.order_detail_id),
      )
      return data.pick.lines.map((line: { order_detail_id: number; quantity: number }) => [
        ids.indexOf(line.order_detail_id),
        line.quantity,
      ])
    }
    const [, second] = (await orderOf(tenant, order)).order_detail
    expect(await take({ order_detail_id: second.id, quantity: 0.95 })).toEqual([[1, 0.95]])
    // The second line is fulfilled, and still gets what was ordered of it before others get more than that.
    expect(await take({ barcode: product.barcode, quantity: 4.5 })).toEqual([
      [0, 2],
      [1, 0.05],
      [2, 2.45],
    ])
    expect(await take({ order_detail_id: second.id, quantity: 0.025 })).toEqual([[1, 0.025]])
    expect(await take({ product_id: product.id, quantity: 0.9 })).toEqual([
      [0, 0.2],
      [1, 0.075],
      [2, 0.625],
    ])
    expect(failure(await pick(tenant, flow, { product_id: product.id, ...at(), quantity: 0.226 }))).toEqual([400, 'flow_error'])
    expect(failure(await pick(tenant, flow, { order_detail_id: second.id, ...at(), quantity: 0.001 }))).toEqual([
      400,
      'flow_error',
    ])
    expect(await take({ product_id: product.id, quantity: 0.225 })).toEqual([[2, 0.225]])
    expect((await orderOf(tenant, order)).order_detail.map((line: { picked_quantity: number }) => line.picked_quantity)).toEqual([
      2.2, 1.1, 3.3,
    ])
  })

  it('is never picked beyond its bound by calls at the same time', async ({ tenant }) => {
    const product = await cheese(tenant, 20)
    const { order, flow } = await startedFlow(tenant, [[product, 1]])
    const results = await Promise.all(
      Array.from({ length: 12 }, () => pick(tenant, flow, { product_id: product.id, ...at(), quantity: 0.15 })),
    )
    expect(results.filter(({ status }) => status === 200)).toHaveLength(8)
    expect(results.filter(({ body }) => body.error?.code === 'flow_error')).toHaveLength(4)
    expect((await orderOf(tenant, order)).order_detail).toMatchObject([{ picked_quantity: 1.2 }])
  })

  it('that is fulfilled completes the order, and is not to be picked by a later flow', async ({ service, tenant }) => {
    const product = await cheese(tenant, 10)
    const tea = await stockedProduct(tenant, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [product, 1],
      [tea, 2],
    ])
    expect(await flowOf(tenant, flow)).toMatchObject({ items_to_pick: 2, total_quantity: 3 })
    await picks(tenant, flow, product, [0.9])
    await complete(tenant, flow)
    expect(await orderOf(tenant, order)).toMatchObject({ state_id: 2 })
    const queued = (await tenant.request('GET', '/flows/queue')).body.data.orders
    expect(queued).toMatchObject([{ order_id: order.id, open_lines: 1, open_quantity: 2 }])
    const later = (await start(tenant, { order_id: order.id })).body.data
    expect(later).toMatchObject({ items_to_pick: 1, total_quantity: 2 })
    // While a flow runs, the fulfilled line may still be picked.
    await picks(tenant, later.id, product, [0.05])
    await picks(tenant, later.id, tea, [2])
    await newEvents(service, tenant)
    expect((await complete(tenant, later.id)).body.data).toMatchObject({ items_picked: 2, total_quantity_picked: 2.05 })
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual(['flow/completed', 'order/updated', 'order/completed'])
    expect(events[2]?.data).toMatchObject({ items_picked: 2, total_quantity_picked: 2.95 })
    expect(await orderOf(tenant, order)).toMatchObject({
      state_id: 5,
      order_detail: [{ picked_quantity: 0.95 }, { picked_quantity: 2 }],
    })
  })

  it('blocks an order only by what is still to be picked', async ({ tenant }) => {
    const product = await cheese(tenant, 10, { A: 1 })
    const { order, flow } = await startedFlow(tenant, [[product, 1]])
    const blockers = async () => (await tenant.request('GET', `/orders/${order.id}/blockers`)).body.data.blockers
    await picks(tenant, flow, product, [0.8])
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 0.1 })
    expect(await blockers()).toMatchObject([{ code: 'flow_running' }, { code: 'not_in_stock', quantity: 0.1 }])
    await picks(tenant, flow, product, [0.1])
    expect(await blockers()).toMatchObject([{ code: 'flow_running' }])
  })

  it('comes back as far as it was taken', async ({ tenant }) => {
    const product = await cheese(tenant, 10)
    const { order, flow } = await startedFlow(tenant, [[product, 1]])
    await picks(tenant, flow, product, [1.1])
    await complete(tenant, flow)
    const back = (quantity: number) =>
      tenant.request('POST', '/returns', { order_id: order.id, lines: [{ product_id: product.id, quantity }] })
    expect(failure(await back(1.101))).toEqual([400, 'return_error'])
    expect((await back(1.1)).status).toBe(200)
  })
})

describe('while the tenant reserves, a line with a tolerance', () => {
  const reservedOf = async (tenant: TestTenant, order: { id: number }) =>
    (await orderOf(tenant, order)).order_detail.map((line: Record<string, number>) => [
      line.reserved_quantity,
      line.backordered_quantity,
    ])
  const linesOf = (product: PickableProduct, quantity: number) => ({ order_detail: [{ barcode: product.barcode, quantity }] })

  it('has nothing reserved or backordered once it is fulfilled, and again when its picks are undone', async ({
    service,
    tenant,
  }) => {
    const product = await cheese(tenant, 10, { A: 3, B: 2 })
    await tenant.request('PUT', '/locations/B', { sellable: false })
    await reserve(tenant, 'track')
    const first = await newOrder(tenant, linesOf(product, 4))
    const second = await newOrder(tenant, linesOf(product, 2))
    const flow = (await start(tenant, { order_id: first.id })).body.data.id
    const states = async () => {
      await expectConsistentReservations(service.db, tenant)
      const { available, reserved, backordered } = await availabilityOf(tenant, product.id)
      return {
        first: await reservedOf(tenant, first),
        second: await reservedOf(tenant, second),
        numbers: [available, reserved, backordered],
      }
    }
    expect(await states()).toEqual({ first: [[3, 1]], second: [[0, 2]], numbers: [0, 3, 3] })
    await pick(tenant, flow, { product_id: product.id, ...at(), quantity: 2, pick_id: 'a' })
    expect(await states()).toEqual({ first: [[1, 1]], second: [[0, 2]], numbers: [0, 1, 3] })
    // Fulfilled by stock that nobody can reserve: what is left of the line goes to those that wait.
    await pick(tenant, flow, { product_id: product.id, ...at('B'), quantity: 1.6, pick_id: 'b' })
    expect(await states()).toEqual({ first: [[0, 0]], second: [[1, 1]], numbers: [0, 1, 1] })
    expect((await orderOf(tenant, first)).reservation_status).toBe('reserved')
    // Beyond what was ordered: from the share of others.
    await pick(tenant, flow, { product_id: product.id, ...at(), quantity: 0.8, pick_id: 'c' })
    expect(await states()).toEqual({ first: [[0, 0]], second: [[0.2, 1.8]], numbers: [0, 0.2, 1.8] })
    await undo(tenant, flow, 'c')
    expect(await states()).toEqual({ first: [[0, 0]], second: [[1, 1]], numbers: [0, 1, 1] })
    await undo(tenant, flow, 'a')
    expect(await states()).toEqual({ first: [[2, 0.4]], second: [[1, 1]], numbers: [0, 3, 1.4] })
    await cancel(tenant, flow)
    expect(await states()).toEqual({ first: [[2, 2]], second: [[1, 1]], numbers: [0, 3, 3] })
  })

  it('is collected by what is open when reserving is turned on', async ({ service, tenant }) => {
    const product = await cheese(tenant, 10, { A: 10 })
    const { order, flow } = await startedFlow(tenant, [
      [product, 1],
      [product, 2],
    ])
    await picks(tenant, flow, product, [1.5])
    const [, second] = (await orderOf(tenant, order)).order_detail
    await pick(tenant, flow, { order_detail_id: second.id, ...at(), quantity: 0.4 })
    await reserve(tenant, 'track')
    await expectConsistentReservations(service.db, tenant)
    expect(await reservedOf(tenant, order)).toEqual([
      [0, 0],
      [1.1, 0],
    ])
    await tenant.request('POST', `/orders/${order.id}/cancel`)
    await expectConsistentReservations(service.db, tenant)
    expect(await availabilityOf(tenant, product.id)).toMatchObject({ available: 10, reserved: 0 })
    expect((await tenant.request('GET', '/stock/reconcile')).body.data).toMatchObject({ is_balanced: true })
    await tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })
  })
})

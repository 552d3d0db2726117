import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { it } from '../../support/shared-service.ts'
import { failure, newOrder, orderFor } from '../../support/orders.ts'
import { atMost } from '../../support/patience.ts'
import { stockedProduct } from '../../support/picking.ts'
import { availabilityOf, expectConsistentReservations, reserve } from '../../support/reservations.ts'
import { newProduct } from '../../support/stock.ts'
import type { TestTenant } from '../../support/service.ts'

it.beforeEach(({ tenant }) => reserve(tenant, 'strict'))
it.afterEach(({ service, tenant }) => expectConsistentReservations(service.db, tenant))

const keep = (tenant: TestTenant, reference: string, body: object) => tenant.request('POST', '/holds', { reference, ...body })
const holdOf = async (tenant: TestTenant, id: number) => (await tenant.request('GET', `/holds/${id}`)).body.data

/** Moves the time at which a hold expires into the past, as if it had been made earlier. */
async function expire(db: Database, id: number): Promise<void> {
  const at = sql`now() - interval '1 millisecond'`
  await sql`with h as (update holds set expires_at = ${at} where id = ${id}) update hold_lines set expires_at = ${at} where hold_id = ${id}`.execute(
    db.kysely,
  )
}

describe('POST /holds', () => {
  it('keeps all lines in full', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const salt = await stockedProduct(tenant, { A: 2.5 }, { weighable: true })
    const { body } = await keep(tenant, 'cart', {
      ttl_seconds: 60,
      lines: [
        { sku: tea.sku, quantity: 2 },
        { barcode: salt.barcode, quantity: 0.5 },
        { product_id: tea.id, quantity: 1 },
      ],
    })
    expect(body.data).toMatchObject({ reference: 'cart', state: 'active', order_id: null, created_by: 'test key' })
    expect(body.data.lines).toMatchObject([
      { product_id: tea.id, sku: tea.sku, barcode: tea.barcode, product_name: tea.name, quantity: 2, reserved_quantity: 2 },
      { product_id: salt.id, quantity: 0.5, reserved_quantity: 0.5 },
      { product_id: tea.id, quantity: 1, reserved_quantity: 1 },
    ])
    expect(Date.parse(body.data.expires_at) - Date.parse(body.data.created_at)).toBeCloseTo(60_000, -2)
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ on_hand: 5, reserved: 3, held: 3, available: 2 })
    const order = await orderFor(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 3 }] })
    expect(failure(await tenant.request('POST', '/orders', order))).toEqual([400, 'insufficient_stock'])
    const { body: listed } = await tenant.request('GET', '/stock/reservations')
    expect(listed.data.reservations).toMatchObject([
      { product_id: tea.id, hold_id: body.data.id, reserved_quantity: 2, order_id: null, expires_at: body.data.expires_at },
      { product_name: tea.name, sku: tea.sku, hold_id: body.data.id, hold_reference: body.data.reference, reserved_quantity: 1 },
      { product_id: salt.id, hold_id: body.data.id, reserved_quantity: 0.5 },
    ])
  })

  it('keeps nothing when a product is short, and names every line of it', async ({ tenant }) => {
    const [tea, salt] = [await stockedProduct(tenant, { A: 2 }), await stockedProduct(tenant, { A: 2 })]
    const lines = [tea, salt, tea].map(({ id }) => ({ product_id: id, quantity: 2 }))
    const response = await keep(tenant, 'cart', { lines })
    expect(failure(response)).toEqual([400, 'insufficient_stock'])
    expect(response.body.error.details).toEqual([
      { index: 0, error: 'only 2 available', available: 2 },
      { index: 2, error: 'only 2 available', available: 2 },
    ])
    expect(await availabilityOf(tenant, salt.id)).toMatchObject({ reserved: 0, available: 2 })
    expect((await tenant.request('GET', '/holds')).body.data).toMatchObject({ holds: [], pagination: { total: 0 } })
  })

  it('again is a repeat by what was sent, whatever its names mean now', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 9 })
    await tenant.request('POST', `/products/${tea.id}/barcodes`, { barcode: 'TWO', quantity: 2 })
    const lines = [{ sku: tea.sku, quantity: 1 }, { barcode: 'TWO' }]
    const first = await keep(tenant, 'cart', { lines })
    await tenant.request('PUT', `/products/${tea.id}`, { sku: 'renamed' })
    await tenant.request('DELETE', `/products/${tea.id}/barcodes/TWO`)
    const meant = [
      { sku: 'renamed', quantity: 1 },
      { product_id: tea.id, quantity: 2 },
    ]
    for (const same of [lines, meant])
      expect((await keep(tenant, 'cart', { lines: same })).body.data).toMatchObject({ id: first.body.data.id })
    for (const other of [{ lines: [{ sku: 'unknown', quantity: 1 }] }, { lines, warehouse_id: 999_999_999 }])
      expect(failure(await keep(tenant, 'cart', other))).toEqual([409, 'idempotency_conflict'])
  })

  it('again returns the same hold, with other content is a conflict, and after its end makes a new one', async ({
    service,
    tenant,
  }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const first = await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 2 }] })
    await tenant.request('DELETE', `/products/${tea.id}`)
    const again = await keep(tenant, 'cart', { ttl_seconds: 900, lines: [{ barcode: tea.barcode, quantity: 2 }] })
    expect(again.body.data).toEqual(first.body.data)
    for (const other of [
      { lines: [{ sku: tea.sku, quantity: 3 }] },
      { ttl_seconds: 901, lines: [{ sku: tea.sku, quantity: 2 }] },
    ])
      expect(failure(await keep(tenant, 'cart', other))).toEqual([409, 'idempotency_conflict'])
    const deleted = await keep(tenant, 'other', { lines: [{ sku: tea.sku, quantity: 1 }] })
    expect(failure(deleted)).toEqual([400, 'validation_error'])
    await tenant.request('PUT', `/products/${tea.id}`, { is_active: true })
    await expire(service.db, first.body.data.id)
    const second = await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 5 }] })
    expect(second.body.data.id).toBeGreaterThan(first.body.data.id)
    expect(await holdOf(tenant, first.body.data.id)).toMatchObject({ state: 'expired' })
    const { body } = await tenant.request('GET', '/holds?reference=cart&state=active')
    expect(body.data.holds.map(({ id }: { id: number }) => id)).toEqual([second.body.data.id])
  })

  it('of parallel calls with one reference makes one hold', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 2 }] })),
    )
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1)
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ held: 2, available: 3 })
  })

  it('refuses unknown products, fractions, other times and an unknown warehouse', async ({ tenant }) => {
    const tea = await newProduct(tenant)
    const unknown = await keep(tenant, 'cart', {
      lines: [
        { sku: 'none', quantity: 1 },
        { barcode: 'none', quantity: 1 },
        { sku: tea.sku, quantity: 1.5 },
      ],
    })
    expect(unknown.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'lines[0].sku',
      'lines[1].barcode',
      'lines[2].quantity',
    ])
    for (const invalid of [
      { lines: [] },
      { lines: [{ quantity: 1 }] },
      { lines: [{ sku: tea.sku, barcode: tea.barcode, quantity: 1 }] },
      { lines: [{ sku: tea.sku, quantity: 0 }] },
      { ttl_seconds: 9, lines: [{ sku: tea.sku, quantity: 1 }] },
      { warehouse_id: 999_999, lines: [{ sku: tea.sku, quantity: 1 }] },
    ])
      expect(failure(await keep(tenant, 'cart', invalid))).toEqual([400, 'validation_error'])
  })

  it('needs a policy', async ({ tenant }) => {
    await reserve(tenant, 'off')
    const tea = await stockedProduct(tenant, { A: 5 })
    expect(failure(await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 2 }] }))).toEqual([400, 'hold_error'])
    expect(failure(await tenant.request('DELETE', '/holds/999999'))).toEqual([404, 'not_found'])
  })
})

describe('PUT and DELETE /holds/{id}', () => {
  it('replaces the lines, in full or not at all, with what the hold has counting as available', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const { body } = await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 3 }] })
    const waiting = await newOrder(tenant, { allow_backorder: true, order_detail: [{ barcode: tea.barcode, quantity: 4 }] })
    const change = (quantity: number) => tenant.request('PUT', `/holds/${body.data.id}`, { lines: [{ sku: tea.sku, quantity }] })
    expect(failure(await change(4))).toEqual([400, 'insufficient_stock'])
    expect((await change(3)).body.data.lines).toMatchObject([{ quantity: 3, reserved_quantity: 3 }])
    await change(1)
    expect((await tenant.request('GET', `/orders/${waiting.id}`)).body.data).toMatchObject({ reservation_status: 'reserved' })
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ held: 1, reserved: 5, backordered: 0 })
    await tenant.request('DELETE', `/products/${tea.id}`)
    expect(failure(await change(1))).toEqual([400, 'validation_error'])
  })

  it('prolongs an active hold, and no other', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const { body } = await keep(tenant, 'cart', { ttl_seconds: 10, lines: [{ sku: tea.sku, quantity: 3 }] })
    const longer = await tenant.request('PUT', `/holds/${body.data.id}`, { ttl_seconds: 86_400 })
    expect(Date.parse(longer.body.data.expires_at) - Date.parse(body.data.expires_at)).toBeGreaterThan(80_000_000)
    expect((await tenant.request('PUT', `/holds/${body.data.id}`, {})).body.data).toEqual(longer.body.data)
    // Its lines keep the stock as long.
    const { reservations } = (await tenant.request('GET', `/stock/reservations?product_id=${tea.id}`)).body.data
    expect(reservations).toMatchObject([{ reserved_quantity: 3, expires_at: longer.body.data.expires_at }])
    await expire(service.db, body.data.id)
    const late = await tenant.request('PUT', `/holds/${body.data.id}`, { ttl_seconds: 60 })
    expect(failure(late)).toEqual([400, 'hold_error'])
  })

  it('releases what the hold keeps for those that wait; again it changes nothing', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 3 })
    const { body } = await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 3 }] })
    const waiting = await newOrder(tenant, { allow_backorder: true, order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    for (let time = 1; time <= 2; time++) {
      const released = await tenant.request('DELETE', `/holds/${body.data.id}`)
      expect(released.body.data).toMatchObject({ state: 'released', lines: [{ reserved_quantity: 0 }] })
    }
    expect((await tenant.request('GET', `/orders/${waiting.id}`)).body.data).toMatchObject({ reservation_status: 'reserved' })
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ held: 0, reserved: 2, available: 1 })
  })
})

describe('an order with a hold', () => {
  it('takes over what the hold has, and the rest is free', async ({ tenant }) => {
    const [tea, salt] = [await stockedProduct(tenant, { A: 5 }), await stockedProduct(tenant, { A: 2 })]
    const { body } = await keep(tenant, 'cart', {
      lines: [
        { sku: tea.sku, quantity: 4 },
        { sku: salt.sku, quantity: 2 },
      ],
    })
    const submit = (fields: object) => tenant.request('POST', '/orders', fields)
    const order = await orderFor(tenant, { hold: 'cart', order_detail: [{ barcode: tea.barcode, quantity: 5 }] })
    const created = (await submit(order)).body.data.orders[0]
    expect(created.reservation_status).toBe('reserved')
    expect(await holdOf(tenant, body.data.id)).toMatchObject({ state: 'consumed', order_id: created.id })
    expect(await availabilityOf(tenant, salt.id)).toMatchObject({ held: 0, available: 2 })
    expect(failure(await tenant.request('DELETE', `/holds/${body.data.id}`))).toEqual([400, 'hold_error'])
    // A second order gets nothing of it.
    const second = await orderFor(tenant, { hold: 'cart', order_detail: [{ barcode: tea.barcode, quantity: 1 }] })
    expect(failure(await submit(second))).toEqual([400, 'insufficient_stock'])
    // An order that exists is not looked at.
    expect((await submit({ ...order, hold: 'none' })).body.data).toMatchObject({ existing_count: 1 })
  })

  it('gets nothing of a hold that has expired, is refused for an unknown one or one of another warehouse', async ({
    service,
    tenant,
  }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const { body } = await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 4 }] })
    const north = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data.id
    const order = (fields: object) => orderFor(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 5 }], ...fields })
    expect(failure(await tenant.request('POST', '/orders', await order({ hold: 'none' })))).toEqual([400, 'validation_error'])
    const both = [await order({ hold: 'none' }), await order({ warehouse_id: 999_999_999 })]
    expect((await tenant.request('POST', '/orders', { orders: both })).body.error.details).toMatchObject([
      { index: 0 },
      { index: 1 },
    ])
    const elsewhere = await order({ hold: 'cart', warehouse_id: north, allow_backorder: true })
    expect(failure(await tenant.request('POST', '/orders', elsewhere))).toEqual([400, 'validation_error'])
    await expire(service.db, body.data.id)
    const response = await tenant.request('POST', '/orders', await order({ hold: 'cart' }))
    expect(response.body.data.orders[0].reservation_status).toBe('reserved')
    expect(await holdOf(tenant, body.data.id)).toMatchObject({ state: 'expired', order_id: null })
  })

  it('one of several orders gets the hold', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 6 })
    await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 5 }] })
    const orders = await Promise.all(
      Array.from({ length: 6 }, () => orderFor(tenant, { hold: 'cart', order_detail: [{ barcode: tea.barcode, quantity: 4 }] })),
    )
    const responses = await Promise.all(orders.map((order) => tenant.request('POST', '/orders', order)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ held: 0, reserved: 4, available: 2 })
  })
})

describe('a hold that has expired', () => {
  it('counts for nothing at once, and what it kept goes to those that wait', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const { body } = await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 5 }] })
    const waiting = await newOrder(tenant, { allow_backorder: true, order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    await expire(service.db, body.data.id)
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ held: 0 })
    expect(await holdOf(tenant, body.data.id)).toMatchObject({ state: 'expired', lines: [{ reserved_quantity: 0 }] })
    const order = await orderFor(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 3 }] })
    expect((await tenant.request('POST', '/orders', order)).body.data.orders[0].reservation_status).toBe('reserved')
    expect((await tenant.request('GET', `/orders/${waiting.id}`)).body.data).toMatchObject({ reservation_status: 'reserved' })
  })

  it('is dropped within seconds when no call does it', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const { body } = await keep(tenant, 'cart', { lines: [{ sku: tea.sku, quantity: 5 }] })
    const waiting = await newOrder(tenant, { allow_backorder: true, order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    await expire(service.db, body.data.id)
    await expect
      .poll(async () => (await tenant.request('GET', `/orders/${waiting.id}`)).body.data.reservation_status)
      .toBe('reserved')
  })

  it('is dropped within five seconds, with however many lines', async ({ service, tenant }) => {
    const holds: number[] = []
    const orders: number[] = []
    for (const name of ['one', 'two']) {
      const barcodes = Array.from({ length: 1_000 }, (_, index) => `${name} ${index}`)
      await tenant.request('POST', '/products/bulk', {
        products: barcodes.map((barcode) => ({ barcode, sku: barcode, name: barcode })),
      })
      await tenant.request('POST', '/stock/bulk', { updates: barcodes.map((sku) => ({ sku, location_id: 'A', quantity: 1 })) })
      const lines = barcodes.map((barcode) => ({ barcode, quantity: 1 }))
      holds.push((await keep(tenant, name, { lines })).body.data.id)
      orders.push((await newOrder(tenant, { allow_backorder: true, order_detail: lines })).id)
    }
    for (const id of holds) await expire(service.db, id)
    const stateOf = async (id: number) => (await tenant.request('GET', `/orders/${id}`)).body.data.reservation_status
    const states = () => Promise.all(orders.map(stateOf))
    await expect.poll(states, { timeout: atMost(5_000) }).toEqual(['reserved', 'reserved'])
  })
})

it('a removal of stock is taken from holds first, the newest first', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { A: 6 })
  await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
  const first = await keep(tenant, 'first', { lines: [{ sku: tea.sku, quantity: 2 }] })
  const second = await keep(tenant, 'second', {
    lines: [
      { sku: tea.sku, quantity: 1 },
      { sku: tea.sku, quantity: 1 },
    ],
  })
  await tenant.request('POST', '/stock/adjustment', { sku: tea.sku, location_id: 'A', adjustment_quantity: -3 })
  expect((await holdOf(tenant, second.body.data.id)).lines).toMatchObject([{ reserved_quantity: 0 }, { reserved_quantity: 0 }])
  expect((await holdOf(tenant, first.body.data.id)).lines).toMatchObject([{ quantity: 2, reserved_quantity: 1 }])
  expect(await availabilityOf(tenant, tea.id)).toMatchObject({ on_hand: 3, reserved: 3, held: 1, backordered: 0 })
})

import { describe, expect } from 'vitest'
import { begin, enter, transition, levelAt, readCount } from '../../support/counts.ts'
import { failure, newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { announce, INBOUND, receive } from '../../support/receiving.ts'
import { availabilityOf, reserve } from '../../support/reservations.ts'
import type { ServiceResponse, TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'
import { newEvents, TIMESTAMP, topics } from '../flows/calls.ts'
import { it } from './it.ts'

const MAX = 999_999_999_999

describe('a count', () => {
  it('has the levels above 0 of its scope, in pick order, then by product', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 1, B: 2, C: 3, D: 0 })
    const mate = await stockedProduct(tenant, { A: 4, B: 5 })
    await tenant.request('PUT', '/locations/B', { pick_sequence: 1, code: 'B code' })
    const lines = async (scope: object) =>
      (await begin(tenant, scope)).lines.map((line: { location_id: string; product_id: number }) => [
        line.location_id,
        line.product_id,
      ])
    expect(await lines({ location_ids: ['A', 'B', 'D'] })).toEqual([
      ['B', tea.id],
      ['B', mate.id],
      ['A', tea.id],
      ['A', mate.id],
    ])
    expect(await lines({ product_ids: [tea.id] })).toEqual([
      ['B', tea.id],
      ['A', tea.id],
      ['C', tea.id],
    ])
    expect(await lines({ location_ids: ['B', 'C', 'B'], product_ids: [mate.id] })).toEqual([['B', mate.id]])
    const count = await begin(tenant, { location_ids: ['B'], product_ids: [tea.id], reference: 'C', note: 'N' })
    expect(count).toEqual({
      id: expect.any(Number),
      reference: 'C',
      warehouse_id: expect.any(Number),
      state: 'counting',
      blind: false,
      location_ids: ['B'],
      product_ids: [tea.id],
      note: 'N',
      lines_total: 1,
      lines_counted: 0,
      lines_different: 0,
      created_by: 'test key',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      approved_at: null,
      cancelled_at: null,
      cancellation_reason: null,
      lines: [
        {
          id: expect.any(Number),
          product_id: tea.id,
          sku: tea.sku,
          barcode: tea.barcode,
          product_name: tea.name,
          location_id: 'B',
          location_code: 'B code',
          counted_quantity: null,
          expected_quantity: 2,
          variance: null,
          counted_at: null,
          operator_id: null,
          movement_id: null,
        },
      ],
    })
    const { lines: _, ...summary } = count
    const { counts, pagination } = (await tenant.request('GET', '/counts?reference=C')).body.data
    expect([counts, pagination.total]).toEqual([[summary], 1])
  })

  it('is found by state and warehouse, newest first', async ({ tenant }) => {
    await stockedProduct(tenant, { A: 1 })
    const first = await begin(tenant, { location_ids: ['A'] })
    const second = await begin(tenant, { location_ids: ['A'] })
    await transition(tenant, first, 'submit')
    const list = async (query: string) =>
      (await tenant.request('GET', `/counts?${query}`)).body.data.counts.map(({ id }: { id: number }) => id)
    expect(await list('')).toEqual([second.id, first.id])
    expect(await list('state=review')).toEqual([first.id])
    expect(await list(`warehouse_id=${first.warehouse_id}&limit=1&page=2`)).toEqual([first.id])
    expect(await list(`warehouse_id=${first.warehouse_id + 1}`)).toEqual([])
  })

  it('begun again changes nothing, and with other content is refused', async ({ tenant }) => {
    const { id, sku } = await stockedProduct(tenant, { A: 1, B: 1 })
    const sent = { reference: 'C', location_ids: ['A'], product_ids: [id] }
    const first = await begin(tenant, sent)
    expect(await begin(tenant, { ...sent, blind: false, note: null, warehouse_id: first.warehouse_id })).toEqual(first)
    // Even when nothing lies there any more.
    await tenant.request('POST', '/stock/adjustment', { sku, location_id: 'A', adjustment_quantity: -1 })
    expect((await begin(tenant, sent)).id).toBe(first.id)
    for (const other of [
      { location_ids: ['B'] },
      { product_ids: null },
      { blind: true },
      { note: 'n' },
      { location_ids: ['unknown'] },
    ])
      expect(failure(await tenant.request('POST', '/counts', { ...sent, ...other })), JSON.stringify(other)).toEqual([
        409,
        'idempotency_conflict',
      ])
  })

  it('is refused without a scope, with an unknown one, with one without stock, and with too many levels', async ({ tenant }) => {
    const { id } = await stockedProduct(tenant, { A: 1, B: 0 })
    const { id: warehouse_id } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    await tenant.request('POST', '/locations', { id: 'N', warehouse_id })
    const refused = async (scope: object) => {
      const response = await tenant.request('POST', '/counts', scope)
      return [failure(response), response.body.error.details.map(({ path }: { path: string }) => path)]
    }
    const invalid = [400, 'validation_error']
    expect(await refused({})).toEqual([invalid, ['location_ids']])
    expect(await refused({ location_ids: [] })).toEqual([invalid, ['location_ids']])
    expect(await refused({ location_ids: ['B'] })).toEqual([invalid, ['location_ids']])
    const { id: empty } = await newProduct(tenant)
    expect(await refused({ product_ids: [empty] })).toEqual([invalid, ['product_ids']])
    expect(await refused({ location_ids: ['A'], product_ids: [empty] })).toEqual([invalid, ['location_ids', 'product_ids']])
    expect(await refused({ location_ids: ['A', 'unknown', 'N'], product_ids: [id, 999_999] })).toEqual([
      invalid,
      ['location_ids[1]', 'location_ids[2]', 'product_ids[1]'],
    ])
    expect(await refused({ location_ids: ['A'], warehouse_id: 999_999 })).toEqual([invalid, ['warehouse_id']])
    expect(await refused({ location_ids: Array.from({ length: 101 }, () => 'A') })).toEqual([invalid, ['location_ids']])
    const updates = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => ({ product_id: id, location_id: `L${from + index}`, quantity: 1 }))
    await tenant.request('POST', '/stock/bulk', { updates: updates(0, 999) })
    expect((await begin(tenant, { product_ids: [id] })).lines_total).toBe(1_000)
    await tenant.request('POST', '/stock/bulk', { updates: updates(999, 1_000) })
    expect(await refused({ product_ids: [id] })).toEqual([invalid, ['product_ids']])
  })
})

describe('an entry', () => {
  it('keeps the level of its moment, and a later one replaces it', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const count = await begin(tenant, { location_ids: ['A'] })
    await newEvents(service, tenant)
    const first = (await enter(tenant, count, { sku: tea.sku, location_id: 'A', quantity: 7.5, operator_id: 3 })).body.data
    expect(first).toEqual({
      entry_id: expect.any(String),
      line: {
        ...count.lines[0],
        counted_quantity: 7.5,
        expected_quantity: 10,
        variance: -2.5,
        counted_at: TIMESTAMP,
        operator_id: 3,
      },
    })
    expect(await readCount(tenant, count)).toMatchObject({ lines_counted: 1, lines_different: 1, lines: [first.line] })
    await tenant.request('POST', '/stock/adjustment', { product_id: tea.id, location_id: 'A', adjustment_quantity: 2 })
    expect((await readCount(tenant, count)).lines).toEqual([first.line])
    const second = (await enter(tenant, count, { barcode: ` ${tea.barcode} `, location_id: 'A', quantity: 12 })).body.data
    expect(second.line).toMatchObject({
      id: first.line.id,
      counted_quantity: 12,
      expected_quantity: 12,
      variance: 0,
      operator_id: null,
    })
    expect(await readCount(tenant, count)).toMatchObject({ lines_counted: 1, lines_different: 0 })
    expect([await levelAt(tenant, tea.sku, 'A'), topics(await newEvents(service, tenant))]).toEqual([
      12,
      ['stock/movement_created', 'stock/updated'],
    ])
  })

  it('of an empty place of the scope makes a line, and a level of 0 without a movement', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const mate = await newProduct(tenant)
    await tenant.request('POST', '/locations', { id: 'B' })
    const count = await begin(tenant, { location_ids: ['A', 'B'] })
    const { line } = (await enter(tenant, count, { product_id: mate.id, location_id: 'B', quantity: 0 })).body.data
    expect(line).toMatchObject({ product_id: mate.id, location_id: 'B', expected_quantity: 0, variance: 0 })
    expect((await tenant.request('GET', `/stock/movements?product_id=${mate.id}`)).body.data.pagination.total).toBe(0)
    expect(await levelAt(tenant, mate.sku, 'B')).toBe(0)
    expect((await tenant.request('GET', '/stock/reconcile')).body.data.is_balanced).toBe(true)
    await enter(tenant, count, { product_id: tea.id, location_id: 'B', quantity: 2 })
    const now = await readCount(tenant, count)
    expect(now).toMatchObject({ lines_total: 3, lines_counted: 2, lines_different: 1 })
    expect(now.lines.map((row: { location_id: string; product_id: number }) => [row.location_id, row.product_id])).toEqual([
      ['A', tea.id],
      ['B', tea.id],
      ['B', mate.id],
    ])
  })

  it('of another level, product or location is refused, and makes no level', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const mate = await newProduct(tenant)
    const { id: warehouse_id } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    await tenant.request('POST', '/locations', { id: 'N', warehouse_id })
    await tenant.request('POST', '/locations', { id: 'B' })
    const byLocation = await begin(tenant, { location_ids: ['A'] })
    const byProduct = await begin(tenant, { product_ids: [tea.id] })
    const entry = async (count: { id: number }, product_id: number, location_id: string, quantity = 1) =>
      failure(await enter(tenant, count, { product_id, location_id, quantity }))
    expect(await entry(byLocation, tea.id, 'B')).toEqual([400, 'count_error'])
    expect(await entry(byProduct, mate.id, 'A')).toEqual([400, 'count_error'])
    expect(await entry(byProduct, tea.id, 'N')).toEqual([400, 'count_error'])
    expect(await entry(byProduct, tea.id, 'unknown')).toEqual([404, 'not_found'])
    expect(await entry(byProduct, 999_999, 'A')).toEqual([404, 'not_found'])
    expect(await entry(byProduct, tea.id, 'A', -1)).toEqual([400, 'validation_error'])
    expect(failure(await enter(tenant, byProduct, { product_id: tea.id, location_id: 'A' }))).toEqual([400, 'validation_error'])
    const { levels } = (await tenant.request('GET', '/stock/levels')).body.data
    expect(levels).toMatchObject([{ product_id: tea.id, location_id: 'A' }])
  })

  it('is found again for ever, as it was made', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const count = await begin(tenant, { location_ids: ['A'] })
    const sent = { sku: tea.sku, location_id: 'A', quantity: 9, entry_id: 'e/1' }
    const first = (await enter(tenant, count, sent)).body
    await enter(tenant, count, { sku: tea.sku, location_id: 'A', quantity: 8 })
    expect((await enter(tenant, count, sent)).body).toEqual(first)
    expect((await enter(tenant, count, { ...sent, sku: null, product_id: tea.id })).body).toEqual(first)
    for (const other of [{ quantity: 8 }, { location_id: 'B' }, { operator_id: 1 }, { sku: 'unknown' }])
      expect(failure(await enter(tenant, count, { ...sent, ...other })), JSON.stringify(other)).toEqual([
        409,
        'idempotency_conflict',
      ])
    expect((await readCount(tenant, count)).lines[0].counted_quantity).toBe(8)
    await transition(tenant, count, 'submit')
    await transition(tenant, count, 'approve')
    expect((await enter(tenant, count, sent)).body).toEqual(first)
  })

  it('of a blind count does not show what is expected, nor does the count while counting', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const count = await begin(tenant, { location_ids: ['A'], blind: true })
    const hidden = { expected_quantity: null, variance: null }
    expect(count).toMatchObject({ blind: true, lines_different: null, lines: [hidden] })
    const { line } = (await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 9 })).body.data
    expect(line).toMatchObject({ counted_quantity: 9, ...hidden })
    expect(await readCount(tenant, count)).toMatchObject({ lines_counted: 1, lines_different: null, lines: [hidden] })
    expect((await tenant.request('GET', '/counts')).body.data.counts).toMatchObject([{ lines_different: null }])
    expect((await transition(tenant, count, 'submit')).body.data).toMatchObject({
      lines_different: 1,
      lines: [{ expected_quantity: 10, variance: -1 }],
    })
    expect((await transition(tenant, count, 'reopen')).body.data).toMatchObject({ lines_different: null, lines: [hidden] })
  })
})

describe('approval', () => {
  it('posts the variances in line order, relative to the levels of then', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, { A: 10, B: 10, C: 10 })
    const mate = await stockedProduct(tenant, { A: 5 })
    const count = await begin(tenant, { location_ids: ['A', 'B', 'C'] })
    await enter(tenant, count, { product_id: tea.id, location_id: 'B', quantity: 12 })
    await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 7 })
    await enter(tenant, count, { product_id: mate.id, location_id: 'A', quantity: 5 })
    // In between, goods go out, come in and are moved.
    await tenant.request('POST', '/stock/adjustment', { product_id: tea.id, location_id: 'A', adjustment_quantity: -4 })
    await tenant.request('POST', '/stock/transfer', {
      product_id: tea.id,
      from_location_id: 'B',
      to_location_id: 'C',
      quantity: 3,
    })
    const delivery = await announce(INBOUND, tenant, [{ product_id: mate.id, quantity: 2 }])
    await receive(INBOUND, tenant, delivery, { product_id: mate.id, quantity: 2, location_id: 'A' })
    await transition(tenant, count, 'submit')
    await newEvents(service, tenant)
    const approved = (await transition(tenant, count, 'approve', { operator_id: 9 })).body.data
    expect(approved).toMatchObject({ state: 'approved', approved_at: TIMESTAMP, lines_counted: 3, lines_different: 2 })
    const posted = approved.lines.map((line: Record<string, unknown>) => [
      line.location_id,
      line.variance,
      line.movement_id !== null,
    ])
    expect(posted).toEqual([
      ['A', -3, true],
      ['A', 0, true],
      ['B', 2, true],
      ['C', null, false],
    ])
    // What was not counted expects nothing any more.
    expect(approved.lines[3].expected_quantity).toBeNull()
    const { movements } = (await tenant.request('GET', '/stock/movements?movement_type=ADJUSTMENT&limit=3')).body.data
    const movement = (quantity: number, new_quantity: number) => ({
      quantity,
      new_quantity,
      reason: 'inventory_count',
      user_id: 9,
    })
    expect(movements).toMatchObject([movement(2, 9), movement(0, 7), movement(-3, 3)])
    expect(await levelAt(tenant, tea.sku, 'C')).toBe(13)
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual([
      'stock/movement_created',
      'stock/updated',
      'stock/movement_created',
      'stock/movement_created',
      'stock/updated',
      'count/updated',
    ])
    expect((await transition(tenant, count, 'approve')).body.data).toEqual(approved)
    expect(await newEvents(service, tenant)).toEqual([])
  })

  it('makes each level what was counted, when nothing else goes on', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10, B: 3 })
    const count = await begin(tenant, { product_ids: [tea.id] })
    await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 0 })
    await enter(tenant, count, { product_id: tea.id, location_id: 'B', quantity: 8.25 })
    await transition(tenant, count, 'submit')
    await transition(tenant, count, 'approve')
    expect([await levelAt(tenant, tea.sku, 'A'), await levelAt(tenant, tea.sku, 'B')]).toEqual([0, 8.25])
  })

  const SETS: Record<string, (tenant: TestTenant, product: number) => Promise<ServiceResponse>> = {
    set: (tenant, id) => tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 10 }),
    'set in bulk': (tenant, id) =>
      tenant.request('POST', '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 11 }] }),
  }
  it.for(Object.keys(SETS))(
    'is refused for a level that was %s since, until it is counted again',
    async (set, { tenant, service }) => {
      const tea = await stockedProduct(tenant, { A: 10, B: 10 })
      const count = await begin(tenant, { product_ids: [tea.id] })
      for (const location_id of ['A', 'B']) await enter(tenant, count, { product_id: tea.id, location_id, quantity: 9 })
      expect((await SETS[set]?.(tenant, tea.id))?.status).toBe(200)
      await transition(tenant, count, 'submit')
      const before = await readCount(tenant, count)
      await newEvents(service, tenant)
      const response = await transition(tenant, count, 'approve')
      expect([failure(response), response.body.error.details]).toEqual([
        [400, 'count_error'],
        [{ path: `lines[${before.lines[0].id}]`, error: expect.stringContaining('since it was counted') }],
      ])
      expect([await readCount(tenant, count), await newEvents(service, tenant), await levelAt(tenant, tea.sku, 'B')]).toEqual([
        before,
        [],
        10,
      ])
      await transition(tenant, count, 'reopen')
      await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 8 })
      await transition(tenant, count, 'submit')
      expect((await transition(tenant, count, 'approve')).status).toBe(200)
      expect([await levelAt(tenant, tea.sku, 'A'), await levelAt(tenant, tea.sku, 'B')]).toEqual([8, 9])
    },
  )

  it('is refused after a set, though the clock of Postgres was set back by half an hour', async ({ tenant, service }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const count = await begin(tenant, { location_ids: ['A'] })
    await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 9 })
    // As if it was counted by the clock of before.
    await service.db.dedicatedPool.query(
      `update stock_count_lines set counted_at = counted_at + interval '30 minutes' where tenant_id = $1`,
      [tenant.id],
    )
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 20 })
    await transition(tenant, count, 'submit')
    expect(failure(await transition(tenant, count, 'approve'))).toMatchObject([400, 'count_error'])
    expect(await levelAt(tenant, tea.sku, 'A')).toBe(20)
  })

  it('of two counts of a level, one posts without a new entry', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10 })
    const counts = [await begin(tenant, { location_ids: ['A'] }), await begin(tenant, { product_ids: [tea.id] })]
    for (const count of counts) {
      await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 9 })
      await transition(tenant, count, 'submit')
    }
    const responses = await Promise.all(counts.map((count) => transition(tenant, count, 'approve')))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(await levelAt(tenant, tea.sku, 'A')).toBe(9)
  })

  it('is refused where a level would leave its range', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 10, B: 10 })
    const count = await begin(tenant, { product_ids: [tea.id] })
    await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 1 })
    await enter(tenant, count, { product_id: tea.id, location_id: 'B', quantity: MAX })
    await tenant.request('POST', '/stock/transfer', {
      product_id: tea.id,
      from_location_id: 'A',
      to_location_id: 'B',
      quantity: 5,
    })
    await transition(tenant, count, 'submit')
    const response = await transition(tenant, count, 'approve')
    expect([failure(response), response.body.error.details.map(({ error }: { error: string }) => error)]).toEqual([
      [400, 'count_error'],
      ['the level would fall below 0: it is 5 now', `the level would exceed ${MAX}: it is 15 now`],
    ])
    expect([await levelAt(tenant, tea.sku, 'A'), await levelAt(tenant, tea.sku, 'B')]).toEqual([5, 15])
  })

  it('settles reservations', async ({ tenant, service }) => {
    await reserve(tenant, 'track')
    const tea = await stockedProduct(tenant, { A: 10 })
    await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 8 }] })
    const count = await begin(tenant, { location_ids: ['A'] })
    await enter(tenant, count, { product_id: tea.id, location_id: 'A', quantity: 5 })
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ on_hand: 10, reserved: 8 })
    await transition(tenant, count, 'submit')
    await newEvents(service, tenant)
    await transition(tenant, count, 'approve')
    expect(topics(await newEvents(service, tenant))).toEqual([
      'stock/movement_created',
      'stock/updated',
      'reservation/updated',
      'count/updated',
    ])
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ on_hand: 5, reserved: 5, backordered: 3 })
  })

  it('of 1,000 lines posts them all', async ({ tenant }) => {
    const tea = await newProduct(tenant)
    const locations = Array.from({ length: 1_000 }, (_, index) => `L${index}`)
    const updates = locations.map((location_id) => ({ product_id: tea.id, location_id, quantity: 5 }))
    await tenant.request('POST', '/stock/bulk', { updates })
    const count = await begin(tenant, { product_ids: [tea.id] })
    // A server has room for 511 connections that it has not accepted yet. Of a thousand at once, the system resets some on a busy machine.
    for (let from = 0; from < locations.length; from += 100) {
      const entered = await Promise.all(
        locations
          .slice(from, from + 100)
          .map((location_id, index) => enter(tenant, count, { product_id: tea.id, location_id, quantity: 5 + (index % 2) })),
      )
      expect(new Set(entered.map(({ status }) => status))).toEqual(new Set([200]))
    }
    expect(failure(await enter(tenant, count, { product_id: tea.id, location_id: 'unknown', quantity: 1 }))).toEqual([
      404,
      'not_found',
    ])
    await tenant.request('POST', '/locations', { id: 'one more' })
    expect(failure(await enter(tenant, count, { product_id: tea.id, location_id: 'one more', quantity: 1 }))).toEqual([
      400,
      'count_error',
    ])
    await transition(tenant, count, 'submit')
    expect((await transition(tenant, count, 'approve')).body.data).toMatchObject({ lines_counted: 1_000, lines_different: 500 })
    expect((await tenant.request('GET', `/stock/sku/${tea.sku}`)).body.data.total_quantity).toBe(5_500)
  })
})

import { describe, expect } from 'vitest'
import { failure, newOrder } from '../../support/orders.ts'
import { announce, INBOUND, KINDS, read, receive, received, undo } from '../../support/receiving.ts'
import { availabilityOf, reserve } from '../../support/reservations.ts'
import { newProduct } from '../../support/stock.ts'
import { newEvents, TIMESTAMP, topics } from '../flows/calls.ts'
import { it } from './it.ts'

const MAX = 999_999_999_999

describe.for(KINDS)('a receipt of $name', (kind) => {
  it('fills the open lines of its product in order, with one movement', async ({ tenant, service }) => {
    const [tea, mate] = [await newProduct(tenant), await newProduct(tenant)]
    const record = await announce(kind, tenant, [
      { product_id: tea.id, quantity: 2 },
      { product_id: mate.id, quantity: 9 },
      { product_id: tea.id, quantity: 3 },
    ])
    await newEvents(service, tenant)
    const response = await receive(kind, tenant, record, { sku: tea.sku, quantity: 4, receipt_id: 'r/1', operator_id: 7 })
    const { receipt } = response.body.data
    expect(receipt).toMatchObject({
      id: 'r/1',
      product_id: tea.id,
      location_id: 'DOCK',
      quantity: 4,
      lines: [
        { line_id: record.lines[0].id, quantity: 2 },
        { line_id: record.lines[2].id, quantity: 2 },
      ],
      movement_id: expect.stringMatching(/^\d+$/),
      created_at: TIMESTAMP,
      undone_at: null,
    })
    const now = await read(kind, tenant, record)
    expect(kind.recordIn(response.body.data)).toEqual(now)
    expect([received(now), now.state, now.total_received]).toEqual([[2, 0, 2], 'receiving', 4])
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual(['stock/movement_created', 'stock/updated', kind.topic])
    expect(events[0]?.data).toMatchObject({ movement_id: receipt.movement_id, type: 'receipt', notes: kind.reason })
    expect(events[1]?.data).toMatchObject({ reason: kind.reason, change: 4 })
    const { movements } = (await tenant.request('GET', `/stock/movements?product_id=${tea.id}`)).body.data
    expect(movements).toMatchObject([{ movement_type: 'IN', quantity: 4, reason: kind.reason, user_id: 7, location_id: 'DOCK' }])
    await receive(kind, tenant, record, { barcode: mate.barcode, quantity: 1 })
    expect(topics(await newEvents(service, tenant))).toEqual(['stock/movement_created', 'stock/updated'])
  })

  it('answers with the same text, whether it is of one line or several, sent alone, with a key, or again', async ({
    tenant,
    service,
  }) => {
    const { id } = await newProduct(tenant, { name: 'Té "verde"\n\\', weighable: true })
    const record = await announce(
      kind,
      tenant,
      [2.5, 1].map((quantity) => ({ product_id: id, quantity })),
      { reference: 'R', note: 'Ring "B"' },
    )
    const textOf = async (quantity: number, headers: Record<string, string> = {}) => {
      const response = await fetch(`${service.url}/api/v1${kind.path}/${record.id}/receipts`, {
        method: 'POST',
        headers: { 'x-api-key': tenant.key, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ product_id: id, quantity, location_id: 'DOCK', receipt_id: `r ${quantity}`, ...kind.receipt }),
      })
      expect(response.status).toBe(200)
      return await response.text()
    }
    await receive(kind, tenant, record, { product_id: id, quantity: 0.1 })
    const keyed = { 'idempotency-key': 'key' }
    const texts = [await textOf(0.4), await textOf(0.5, keyed), await textOf(0.5, keyed), await textOf(1.7), await textOf(0.4)]
    for (const text of texts) expect(text).toBe(JSON.stringify(JSON.parse(text)))
    expect(texts[2]).toBe(texts[1])
    const [first, , , several, again] = texts.map((text) => JSON.parse(text).data)
    expect(several.receipt.lines.map((line: { quantity: number }) => line.quantity)).toEqual([1.5, 0.2])
    expect(again.receipt).toEqual(first.receipt)
    expect(Object.keys(again)).toEqual(Object.keys(first))
    expect(kind.recordIn(again)).toEqual(await read(kind, tenant, record))
    expect(Object.keys(kind.recordIn(first))).toEqual(Object.keys(record))
    expect({ ...kind.recordIn(first), lines: [] }).toEqual({
      ...record,
      lines: [],
      state: 'receiving',
      total_received: 0.5,
      updated_at: TIMESTAMP,
    })
    expect(received(kind.recordIn(first))).toEqual([0.5, 0])
  })

  it('by line_id fills that line alone', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const record = await announce(kind, tenant, [
      { product_id: id, quantity: 2 },
      { product_id: id, quantity: 3 },
    ])
    const line_id = record.lines[1].id
    expect(failure(await receive(kind, tenant, record, { line_id, quantity: 4 }))).toEqual([400, kind.error])
    expect((await receive(kind, tenant, record, { line_id, quantity: 3 })).status).toBe(200)
    expect(received(await read(kind, tenant, record))).toEqual([0, 3])
    expect(failure(await receive(kind, tenant, record, { line_id: 999_999, quantity: 1 }))).toEqual([404, 'not_found'])
    expect(failure(await receive(kind, tenant, record, { line_id, product_id: id, quantity: 1 }))).toEqual([
      400,
      'validation_error',
    ])
  })

  it('beyond what is open, or of another product, is refused and changes nothing', async ({ tenant }) => {
    const [tea, mate] = [await newProduct(tenant), await newProduct(tenant)]
    const record = await announce(kind, tenant, [{ product_id: tea.id, quantity: 2 }])
    const refused = async (body: object) => failure(await receive(kind, tenant, record, { location_id: 'NEW', ...body }))
    expect(await refused({ product_id: tea.id, quantity: 3 })).toEqual([400, kind.error])
    expect(await refused({ product_id: mate.id, quantity: 1 })).toEqual([400, kind.error])
    expect(await refused({ product_id: 999_999, quantity: 1 })).toEqual([404, 'not_found'])
    expect(await refused({ sku: 'unknown', quantity: 1 })).toEqual([404, 'not_found'])
    expect(await refused({ product_id: tea.id, quantity: 0.5 })).toEqual([400, 'validation_error'])
    expect(await refused({ quantity: 1 })).toEqual([400, 'validation_error'])
    expect(await read(kind, tenant, record)).toEqual(record)
    expect((await tenant.request('GET', '/locations')).body.data.pagination.total).toBe(0)
  })

  it('with allow_over gives the surplus to the last line of the product, and a new product a line', async ({ tenant }) => {
    const [tea, mate] = [await newProduct(tenant), await newProduct(tenant)]
    const lines = [2, 3].map((quantity) => ({ product_id: tea.id, quantity }))
    const record = await announce(kind, tenant, lines, { allow_over: true })
    const over = (await receive(kind, tenant, record, { product_id: tea.id, quantity: 9, receipt_id: 'over' })).body.data
    expect(over.receipt.lines).toEqual([
      { line_id: record.lines[0].id, quantity: 2 },
      { line_id: record.lines[1].id, quantity: 7 },
    ])
    await receive(kind, tenant, record, { line_id: record.lines[0].id, quantity: 1 })
    expect(received(await read(kind, tenant, record))).toEqual([3, 7])
    await receive(kind, tenant, record, { product_id: mate.id, quantity: 4, receipt_id: 'new' })
    await receive(kind, tenant, record, { product_id: mate.id, quantity: 1 })
    const now = await read(kind, tenant, record)
    expect(now.lines.map(({ quantity }: { quantity: number }) => quantity)).toEqual([2, 3, 0])
    expect([received(now), now.total_quantity, now.total_received]).toEqual([[3, 7, 5], 5, 15])
    await undo(kind, tenant, record, 'over')
    await undo(kind, tenant, record, 'new')
    expect(received(await read(kind, tenant, record))).toEqual([1, 0, 1])
  })

  it('is found again for ever: whatever the goods are called, after its undo, and when the record is over', async ({
    tenant,
  }) => {
    const tea = await newProduct(tenant)
    const record = await announce(kind, tenant, [{ product_id: tea.id, quantity: 5 }])
    const sent = { sku: tea.sku, quantity: 2, receipt_id: 'r', operator_id: 3 }
    const first = (await receive(kind, tenant, record, sent)).body.data
    const again = async (body: object) => (await receive(kind, tenant, record, body)).body.data
    expect(await again(sent)).toEqual(first)
    expect(await again({ ...sent, sku: undefined, barcode: tea.barcode })).toEqual(first)
    await tenant.request('PUT', `/products/${tea.id}`, { sku: 'old' })
    await newProduct(tenant, { sku: tea.sku })
    await receive(kind, tenant, record, { product_id: tea.id, quantity: 1 })
    expect((await again(sent)).receipt).toEqual(first.receipt)
    expect(kind.recordIn(await again(sent)).total_received).toBe(3)
    for (const other of [
      { quantity: 3 },
      { location_id: 'ELSEWHERE' },
      { operator_id: null },
      { sku: undefined, line_id: record.lines[0].id },
      { sku: 'unknown' },
    ])
      expect((await receive(kind, tenant, record, { ...sent, ...other })).body.error, JSON.stringify(other)).toEqual({
        code: 'idempotency_conflict',
        message: 'The receipt_id "r" belongs to another receipt: use another receipt_id',
      })
    const undone = (await undo(kind, tenant, record, 'r')).body.data
    expect(undone.receipt).toEqual({ ...first.receipt, undone_at: TIMESTAMP })
    expect(await again(sent)).toEqual(undone)
    await tenant.request('POST', `${kind.path}/${record.id}/close`)
    expect((await again(sent)).receipt).toEqual(undone.receipt)
    const { total } = (await tenant.request('GET', `/stock/movements?product_id=${tea.id}`)).body.data.pagination
    expect(total).toBe(3)
  })

  it('is undone exactly, and only while the goods are still there', async ({ tenant, service }) => {
    const { id } = await newProduct(tenant)
    const record = await announce(kind, tenant, [{ product_id: id, quantity: 5 }])
    await receive(kind, tenant, record, { product_id: id, quantity: 4, receipt_id: 'r' })
    await tenant.request('POST', '/stock/transfer', {
      product_id: id,
      from_location_id: 'DOCK',
      to_location_id: 'A',
      quantity: 1,
    })
    const before = await read(kind, tenant, record)
    await newEvents(service, tenant)
    expect(failure(await undo(kind, tenant, record, 'r'))).toEqual([400, 'adjustment_error'])
    expect([await read(kind, tenant, record), await newEvents(service, tenant)]).toEqual([before, []])
    await tenant.request('POST', '/stock/transfer', {
      product_id: id,
      from_location_id: 'A',
      to_location_id: 'DOCK',
      quantity: 1,
    })
    await newEvents(service, tenant)
    const undone = await tenant.request('DELETE', `${kind.path}/${record.id}/receipts/r?operator_id=8`)
    expect(undone.body.data.receipt.undone_at).toEqual(TIMESTAMP)
    const { movements } = (await tenant.request('GET', `/stock/movements?product_id=${id}&movement_type=OUT`)).body.data
    expect(movements).toMatchObject([{ quantity: 4, reason: kind.reason, user_id: 8 }])
    const events = await newEvents(service, tenant)
    expect(topics(events)).toEqual(['stock/movement_created', 'stock/updated'])
    expect(events[0]?.data).toMatchObject({ type: 'dispatch', quantity: 4, notes: kind.reason, from_location: 'DOCK' })
    expect([received(await read(kind, tenant, record)), failure(await undo(kind, tenant, record, 'unknown'))]).toEqual([
      [0],
      [404, 'not_found'],
    ])
    expect((await receive(kind, tenant, record, { product_id: id, quantity: 5, receipt_id: 'again' })).status).toBe(200)
    // In a body, null is not given, as in those of other calls.
    const path = `${kind.path}/${record.id}/receipts/again`
    expect((await tenant.request('DELETE', path, { operator_id: null })).body.data.receipt.undone_at).toEqual(TIMESTAMP)
    expect(failure(await tenant.request('DELETE', `${path}?operator_id=null`))).toEqual([400, 'validation_error'])
  })

  it('makes its location in the warehouse of the record, and takes none of another', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const { id: warehouse_id } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    const north = await announce(kind, tenant, [{ product_id: id, quantity: 5 }], { warehouse_id })
    const main = await announce(kind, tenant, [{ product_id: id, quantity: 5 }])
    expect((await receive(kind, tenant, north, { product_id: id, quantity: 1, location_id: 'N-1' })).status).toBe(200)
    const { locations } = (await tenant.request('GET', '/locations')).body.data
    expect(locations).toMatchObject([{ id: 'N-1', warehouse_id }])
    const response = await receive(kind, tenant, main, { product_id: id, quantity: 1, location_id: 'N-1' })
    expect([failure(response), response.body.error.details[0].path]).toEqual([[400, 'validation_error'], 'location_id'])
  })

  it('that many callers send at once makes each location in the warehouse of one record', async ({ tenant }) => {
    const products = await Promise.all(Array.from({ length: 6 }, () => newProduct(tenant)))
    const { id: warehouse_id } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    const records = await Promise.all(
      products.map(({ id }, index) =>
        announce(kind, tenant, [{ product_id: id, quantity: 5 }], index % 2 === 0 ? { warehouse_id } : {}),
      ),
    )
    const responses = await Promise.all(
      records.map((record) => receive(kind, tenant, record, { line_id: record.lines[0].id, quantity: 1, location_id: 'NEW' })),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 400, 400, 400])
  })

  it('beyond the maximum of a level is refused', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'DOCK', quantity: MAX })
    const record = await announce(kind, tenant, [{ product_id: id, quantity: 5 }])
    expect(failure(await receive(kind, tenant, record, { product_id: id, quantity: 1 }))).toEqual([400, 'adjustment_error'])
    expect(await read(kind, tenant, record)).toEqual(record)
  })

  it('is listed, newest first, also when it is undone', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const record = await announce(kind, tenant, [{ product_id: id, quantity: 5 }])
    const receipts = []
    for (const receipt_id of ['a', 'b', 'c'])
      receipts.unshift((await receive(kind, tenant, record, { product_id: id, quantity: 1, receipt_id })).body.data.receipt)
    receipts[0] = (await undo(kind, tenant, record, 'c')).body.data.receipt
    const list = async (query: string) => (await tenant.request('GET', `${kind.path}/${record.id}/receipts${query}`)).body.data
    expect((await list('')).receipts).toEqual(receipts)
    expect(await list('?page=2&limit=1')).toEqual({
      receipts: [receipts[1]],
      pagination: { total: 3, page: 2, limit: 1, total_pages: 3 },
    })
  })

  it('of a record with many lines goes like any other, and gives it at most 1,000 lines', async ({ tenant }) => {
    const [tea, mate] = [await newProduct(tenant), await newProduct(tenant)]
    const lines = Array.from({ length: 1_000 }, () => ({ product_id: tea.id, quantity: 1 }))
    const record = await announce(kind, tenant, lines, { allow_over: true })
    const body = { product_id: tea.id, quantity: 999, receipt_id: 'many' }
    const { data } = (await receive(kind, tenant, record, body)).body
    expect([data.receipt.lines.length, received(kind.recordIn(data)).filter((quantity) => quantity === 1).length]).toEqual([
      999, 999,
    ])
    expect((await receive(kind, tenant, record, body)).body.data).toEqual(data)
    expect(failure(await receive(kind, tenant, record, { product_id: mate.id, quantity: 1 }))).toEqual([400, kind.error])
    await undo(kind, tenant, record, 'many')
    expect((await read(kind, tenant, record)).total_received).toBe(0)
  })
})

describe('what is announced', () => {
  it('is incoming until it is received or expected no more', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const incoming = async () => {
      const { data } = (await tenant.request('GET', `/stock/availability`)).body
      const [row] = data.availability
      return [data.pagination.total, row?.incoming, row?.next_expected_at, row?.on_hand]
    }
    expect(await incoming()).toEqual([0, undefined, undefined, undefined])
    const late = await announce(INBOUND, tenant, [{ product_id: id, quantity: 10 }], { expected_at: '2026-12-24' })
    const early = await announce(INBOUND, tenant, [{ product_id: id, quantity: 5 }], {
      expected_at: '2026-12-01',
      allow_over: true,
    })
    await announce(INBOUND, tenant, [{ product_id: id, quantity: 1 }])
    expect(await incoming()).toEqual([1, 16, '2026-12-01', 0])
    await receive(INBOUND, tenant, early, { product_id: id, quantity: 7, receipt_id: 'r' })
    expect(await incoming()).toEqual([1, 11, '2026-12-24', 7])
    await undo(INBOUND, tenant, early, 'r')
    expect(await incoming()).toEqual([1, 16, '2026-12-01', 0])
    await receive(INBOUND, tenant, late, { product_id: id, quantity: 4 })
    expect(await incoming()).toEqual([1, 12, '2026-12-01', 4])
    await tenant.request('POST', `/inbound/${late.id}/close`)
    await tenant.request('POST', `/inbound/${early.id}/close`)
    expect(await incoming()).toEqual([1, 1, null, 4])
  })

  it('shows in the availability of a product, and as what an order waits for', async ({ tenant }) => {
    await reserve(tenant, 'track')
    const { id, barcode } = await newProduct(tenant)
    const order = await newOrder(tenant, { order_detail: [{ barcode, quantity: 5 }] })
    const undated = await announce(INBOUND, tenant, [{ product_id: id, quantity: 1 }])
    const dated = await announce(
      INBOUND,
      tenant,
      [2, 3].map((quantity) => ({ product_id: id, quantity })),
      { expected_at: '2026-12-01', reference: 'PO-1' },
    )
    const product = (await tenant.request('GET', `/products/${id}`)).body.data
    expect(product.availability).toMatchObject({ incoming: 6, backordered: 5, available: 0 })
    const [blocker] = (await tenant.request('GET', `/orders/${order.id}/blockers`)).body.data.blockers
    expect(blocker.incoming).toEqual([
      { inbound_id: dated.id, reference: 'PO-1', expected_at: '2026-12-01', quantity: 5 },
      { inbound_id: undated.id, reference: null, expected_at: null, quantity: 1 },
    ])
  })

  it('goes to who waits for it, when it comes', async ({ tenant, service }) => {
    await reserve(tenant, 'track')
    const { id, barcode } = await newProduct(tenant)
    await newOrder(tenant, { order_detail: [{ barcode, quantity: 5 }] })
    const delivery = await announce(INBOUND, tenant, [{ product_id: id, quantity: 5 }])
    await newEvents(service, tenant)
    await receive(INBOUND, tenant, delivery, { product_id: id, quantity: 5, receipt_id: 'r' })
    expect(topics(await newEvents(service, tenant))).toEqual([
      'stock/movement_created',
      'stock/updated',
      'reservation/updated',
      'inbound/updated',
    ])
    expect(await availabilityOf(tenant, id)).toMatchObject({ on_hand: 5, reserved: 5, backordered: 0, incoming: 0 })
    await undo(INBOUND, tenant, delivery, 'r')
    expect(topics(await newEvents(service, tenant))).toEqual(['stock/movement_created', 'stock/updated', 'reservation/updated'])
    expect(await availabilityOf(tenant, id)).toMatchObject({ on_hand: 0, reserved: 0, backordered: 5, incoming: 5 })
  })
})

import { describe, expect } from 'vitest'
import { failure } from '../../support/orders.ts'
import { announce, KINDS, read, receive } from '../../support/receiving.ts'
import { newProduct } from '../../support/stock.ts'
import { TIMESTAMP } from '../flows/calls.ts'
import { it } from './it.ts'

describe.for(KINDS)('$name', (kind) => {
  it('is announced with its lines, in order, and listed without them', async ({ tenant }) => {
    const tea = await newProduct(tenant)
    const mate = await newProduct(tenant, { weighable: true })
    await tenant.request('DELETE', `/products/${mate.id}`)
    const record = await announce(
      kind,
      tenant,
      [
        { sku: tea.sku, quantity: 5 },
        { barcode: ` ${mate.barcode} `, quantity: 0.125 },
        { product_id: tea.id, quantity: 1 },
      ],
      { reference: 'PO-1', expected_at: '2026-12-01', note: 'N', allow_over: true },
    )
    const line = (product: typeof tea, quantity: number) => ({
      id: expect.any(Number),
      product_id: product.id,
      sku: product.sku,
      barcode: product.barcode,
      product_name: product.name,
      quantity,
      received_quantity: 0,
    })
    expect(record).toMatchObject({
      reference: 'PO-1',
      state: 'expected',
      expected_at: '2026-12-01',
      note: 'N',
      allow_over: true,
      total_quantity: 6.125,
      total_received: 0,
      created_by: 'test key',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      closed_at: null,
      cancelled_at: null,
      cancellation_reason: null,
      lines: [line(tea, 5), line(mate, 0.125), line(tea, 1)],
    })
    expect(await read(kind, tenant, record)).toEqual(record)
    const { lines: _, ...summary } = record
    const { body } = await tenant.request('GET', kind.path)
    expect(body.data).toEqual({ [kind.name]: [summary], pagination: { total: 1, page: 1, limit: 50, total_pages: 1 } })
  })

  it('announced again changes nothing, whatever name the products have, and whatever became of them', async ({ tenant }) => {
    const tea = await newProduct(tenant)
    const sent = { reference: 'PO-1', note: null, lines: [{ sku: tea.sku, quantity: 5 }] }
    const post = (body: object) => tenant.request('POST', kind.path, body)
    const first = await post(sent)
    expect((await post({ ...sent, lines: [{ product_id: tea.id, quantity: 5 }] })).body).toEqual(first.body)
    const { id: warehouse_id } = (await tenant.request('GET', '/warehouses')).body.data.warehouses[0]
    expect((await post({ ...sent, allow_over: false, warehouse_id })).body).toEqual(first.body)
    // The SKU is another product's now, and the product is deleted and not weighable.
    await tenant.request('PUT', `/products/${tea.id}`, { sku: 'old' })
    await newProduct(tenant, { sku: tea.sku })
    await tenant.request('DELETE', `/products/${tea.id}`)
    const now = await tenant.request('GET', `${kind.path}/${first.body.data.id}`)
    expect((await post(sent)).body).toEqual(now.body)
    expect((await post({ ...sent, lines: [{ barcode: tea.barcode, quantity: 5 }] })).body).toEqual(now.body)
    for (const other of [
      { note: 'other' },
      { allow_over: true },
      { expected_at: '2026-12-01' },
      { lines: [{ product_id: tea.id, quantity: 6 }] },
      { lines: [{ product_id: tea.id, quantity: 5 }, ...sent.lines] },
      { lines: [{ product_id: 999_999, quantity: 5 }] },
      { warehouse_id: 999_999 },
    ])
      expect((await post({ ...sent, ...other })).body.error, JSON.stringify(other)).toEqual({
        code: 'idempotency_conflict',
        message: 'The reference "PO-1" belongs to a record with different content: use another reference',
      })
    expect((await tenant.request('GET', kind.path)).body.data.pagination.total).toBe(1)
  })

  it('lists every line that names no product, or a fraction of one', async ({ tenant }) => {
    const tea = await newProduct(tenant)
    await tenant.request('DELETE', `/products/${tea.id}`)
    const response = await tenant.request('POST', kind.path, {
      lines: [
        { product_id: 999_999, quantity: 1 },
        { barcode: tea.barcode, quantity: 1 },
        { sku: tea.sku, quantity: 1 },
        { barcode: 'unknown', quantity: 1 },
        { product_id: tea.id, quantity: 0.5 },
      ],
    })
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.details).toEqual([
      { path: 'lines[0].product_id', error: 'names no product' },
      { path: 'lines[2].sku', error: 'names no product' },
      { path: 'lines[3].barcode', error: 'names no product' },
      { path: 'lines[4].quantity', error: 'must be an integer, because the product is not weighable' },
    ])
  })

  it.for([
    ['no lines', { lines: [] }],
    ['too many lines', { lines: Array.from({ length: 1_001 }, () => ({ product_id: 1, quantity: 1 })) }],
    ['a line without a product', { lines: [{ quantity: 1 }] }],
    ['a line with two names', { lines: [{ product_id: 1, sku: 'a', quantity: 1 }] }],
    ['a quantity of 0', { lines: [{ product_id: 1, quantity: 0 }] }],
    ['a quantity with four places', { lines: [{ product_id: 1, quantity: 0.0005 }] }],
    ['an empty reference', { reference: '' }],
    ['a date that is none', { expected_at: '2026-02-30' }],
    ['an unknown warehouse', { warehouse_id: 999_999 }],
  ] as const)('with %s is refused', async ([, fields], { tenant }) => {
    const { id } = await newProduct(tenant)
    const response = await tenant.request('POST', kind.path, { lines: [{ product_id: id, quantity: 1 }], ...fields })
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect((await tenant.request('GET', kind.path)).body.data.pagination.total).toBe(0)
  })

  it('is changed by PUT, which clears with null, and whose updated_at moves with a change alone', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const record = await announce(kind, tenant, [{ product_id: id, quantity: 1 }])
    const put = async (body: object) => (await tenant.request('PUT', `${kind.path}/${record.id}`, body)).body.data
    const changed = await put({ expected_at: '2026-12-24', note: 'N', allow_over: true })
    expect(changed).toEqual({
      ...record,
      expected_at: '2026-12-24',
      note: 'N',
      allow_over: true,
      updated_at: expect.not.stringMatching(record.updated_at),
    })
    expect(await put({ note: 'N', lines: [] })).toEqual(changed)
    expect(await put({ expected_at: null, note: null, allow_over: null })).toMatchObject({
      expected_at: null,
      note: null,
      allow_over: false,
    })
  })

  it('is found by each filter, newest first', async ({ tenant }) => {
    const [tea, mate] = [await newProduct(tenant), await newProduct(tenant)]
    const first = await announce(kind, tenant, [{ product_id: tea.id, quantity: 1 }], { reference: 'first' })
    const second = await announce(kind, tenant, [{ product_id: tea.id, quantity: 1 }])
    const third = await announce(kind, tenant, [{ product_id: mate.id, quantity: 1 }])
    await receive(kind, tenant, second, { product_id: tea.id, quantity: 1 })
    const list = async (query: string) => {
      const { data } = (await tenant.request('GET', `${kind.path}?${query}`)).body
      const ids = data[kind.name].map((record: { id: number }) => record.id)
      return [ids, data.pagination.total]
    }
    expect(await list('')).toEqual([[third.id, second.id, first.id], 3])
    expect(await list('limit=1&page=2')).toEqual([[second.id], 3])
    expect(await list('page=9')).toEqual([[], 3])
    expect(await list('state=receiving')).toEqual([[second.id], 1])
    expect(await list('reference=first')).toEqual([[first.id], 1])
    expect(await list('reference=First')).toEqual([[], 0])
  })
})

it('a delivery is found by its warehouse and its products', async ({ tenant }) => {
  const [tea, mate] = [await newProduct(tenant), await newProduct(tenant)]
  const { id: warehouse_id } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
  const [kind] = KINDS
  const north = await announce(kind!, tenant, [{ product_id: tea.id, quantity: 1 }], { warehouse_id, supplier: 'Tea Trade' })
  expect(north).toMatchObject({ warehouse_id, supplier: 'Tea Trade' })
  await announce(kind!, tenant, [{ product_id: mate.id, quantity: 1 }])
  const list = async (query: string) =>
    (await tenant.request('GET', `/inbound?${query}`)).body.data.inbound.map(({ id }: { id: number }) => id)
  expect(await list(`warehouse_id=${warehouse_id}`)).toEqual([north.id])
  expect(await list(`product_id=${tea.id}`)).toEqual([north.id])
  expect(await list(`product_id=${mate.id}&warehouse_id=${warehouse_id}`)).toEqual([])
})

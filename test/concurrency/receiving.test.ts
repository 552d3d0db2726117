import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import { newOrder } from '../support/orders.ts'
import {
  announce,
  expectConsistentReceiving,
  INBOUND,
  KINDS,
  read,
  receive,
  received,
  RETURNS,
  undo,
} from '../support/receiving.ts'
import { availabilityOf } from '../support/reservations.ts'
import type { ServiceResponse, TestService } from '../support/service.ts'
import { expectConsistentStock, newProduct } from '../support/stock.ts'
import { it } from './support/it.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

it.afterEach(async ({ service, tenant }) => {
  await expectConsistentStock(service.db, tenant)
  for (const kind of KINDS) await expectConsistentReceiving(service.db, tenant, kind)
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(service.db.kysely)
  expect(rows).toEqual([{ deadlocks: 0 }])
})

/** Waits until so many statements wait for a lock. */
const untilWaiting = ({ db }: TestService, statements: number): Promise<void> =>
  vi.waitFor(
    async () => {
      const { rowCount } = await db.dedicatedPool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBe(statements)
    },
    { timeout: 60_000, interval: 20 },
  )

/** Number of responses by outcome: `ok`, or the error code. */
function tally(responses: ServiceResponse[]): Record<string, number> {
  const outcomes = responses.map(({ status, body }) => (status === 200 ? 'ok' : body.error.code))
  return Object.fromEntries([...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, all]) => [outcome, all.length]))
}

describe.for(KINDS)('parallel receipts of $name', (kind) => {
  it('never pass a line, on any server', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const record = await announce(
      kind,
      tenant,
      [4, 6].map((quantity) => ({ product_id: id, quantity })),
    )
    const responses = await Promise.all(times(40, () => receive(kind, tenant, record, { product_id: id, quantity: 1 })))
    expect(tally(responses)).toEqual({ ok: 10, [kind.error]: 30 })
    expect(received(await read(kind, tenant, record))).toEqual([4, 6])
  })

  it('with one receipt_id receive once, and all get the same receipt', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const record = await announce(kind, tenant, [{ product_id: id, quantity: 100 }])
    const body = { product_id: id, quantity: 3, receipt_id: 'r' }
    const responses = await Promise.all(times(20, () => receive(kind, tenant, record, body)))
    expect(new Set(responses.map((response) => JSON.stringify(response.body.data?.receipt))).size).toBe(1)
    expect((await read(kind, tenant, record)).total_received).toBe(3)
  })

  it('and undos of the same ones leave nothing behind', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const record = await announce(
      kind,
      tenant,
      times(3, () => ({ product_id: id, quantity: 10 })),
      { allow_over: true },
    )
    const ids = times(12, (index) => `r${index}`)
    await Promise.all(ids.map((receipt_id) => receive(kind, tenant, record, { product_id: id, quantity: 4, receipt_id })))
    const undone = await Promise.all([...ids, ...ids].map((receipt) => undo(kind, tenant, record, receipt)))
    expect(tally(undone)).toEqual({ ok: 24 })
    expect([received(await read(kind, tenant, record)), (await read(kind, tenant, record)).state]).toEqual([
      [0, 0, 0],
      'receiving',
    ])
  })

  it('announced once with one reference', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const lines = [{ product_id: id, quantity: 1 }]
    const responses = await Promise.all(times(12, () => tenant.request('POST', kind.path, { reference: 'R', lines })))
    expect(new Set(responses.map(({ body }) => body.data?.id)).size).toBe(1)
    const { records, events } = await counted(tenant)
    expect([records, events]).toEqual([1, 1])
    async function counted({ request }: typeof tenant) {
      const { pagination } = (await request('GET', kind.path)).body.data
      const feed = (await request('GET', `/events?event=${kind.topic}`)).body.data.events
      return { records: pagination.total, events: feed.length }
    }
  })

  it('while the record is closed are received before, or refused', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const record = await announce(kind, tenant, [{ product_id: id, quantity: 100 }])
    const receipts = times(20, () => receive(kind, tenant, record, { product_id: id, quantity: 1 }))
    const closed = tenant.request('POST', `${kind.path}/${record.id}/close`)
    const outcome = tally(await Promise.all(receipts))
    expect((await closed).status).toBe(200)
    expect(await read(kind, tenant, record)).toMatchObject({ state: 'closed', total_received: outcome.ok ?? 0 })
  })

  it('of many records with the same products and locations wait for each other, and lose nothing', async ({ tenant }) => {
    const products = await Promise.all(times(4, () => newProduct(tenant)))
    const lines = products.map(({ id }) => ({ product_id: id, quantity: 1_000 }))
    const records = await Promise.all(times(6, () => announce(kind, tenant, lines)))
    const responses = await Promise.all(
      times(96, (index) =>
        receive(kind, tenant, records[index % 6], { sku: products[index % 4]?.sku, quantity: 1, location_id: `L${index % 3}` }),
      ),
    )
    expect(tally(responses)).toEqual({ ok: 96 })
    const totals = await Promise.all(records.map(async (record) => (await read(kind, tenant, record)).total_received))
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(96)
  })
})

describe('parallel returns of an order', () => {
  it('never have more than was taken', async ({ tenant }) => {
    const { id, barcode } = await newProduct(tenant)
    const order = await newOrder(tenant, { order_detail: [{ barcode, quantity: 10 }] })
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 })
    const body = { order_id: order.id, lines: [{ product_id: id, quantity: 3 }] }
    const responses = await Promise.all(times(12, () => tenant.request('POST', '/returns', body)))
    expect(tally(responses)).toEqual({ ok: 3, return_error: 9 })
  })

  it('with one reference are one return, also of all that was taken', async ({ tenant }) => {
    const { id, barcode } = await newProduct(tenant)
    const order = await newOrder(tenant, { order_detail: [{ barcode, quantity: 3 }] })
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 })
    const body = { reference: 'R', order_id: order.id, lines: [{ product_id: id, quantity: 3 }] }
    const responses = await Promise.all(times(12, () => tenant.request('POST', '/returns', body)))
    expect(tally(responses)).toEqual({ ok: 12 })
    expect(new Set(responses.map((response) => response.body.data.id)).size).toBe(1)
  })

  it('that receive more than announced never have more than was taken', async ({ tenant }) => {
    const { id, barcode } = await newProduct(tenant)
    const order = await newOrder(tenant, { order_detail: [{ barcode, quantity: 20 }] })
    await tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 })
    const fields = { order_id: order.id, allow_over: true }
    const records = await Promise.all(times(4, () => announce(RETURNS, tenant, [{ product_id: id, quantity: 2 }], fields)))
    const responses = await Promise.all(
      times(40, (index) => receive(RETURNS, tenant, records[index % 4], { product_id: id, quantity: 1 })),
    )
    const totals = await Promise.all(records.map(async (record) => (await read(RETURNS, tenant, record)).total_received))
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(20)
    expect(tally(responses)).toEqual({ ok: 20, return_error: 20 })
  })
})

it('a delivery that is closed while its receipt is undone expects nothing more', async ({ service, tenant }) => {
  const { id } = await newProduct(tenant)
  const record = await announce(INBOUND, tenant, [{ product_id: id, quantity: 5 }])
  await receive(INBOUND, tenant, record, { product_id: id, quantity: 5, receipt_id: 'r' })
  const blocker = await service.db.dedicatedPool.connect()
  try {
    await blocker.query('begin')
    await blocker.query('select from inbound where tenant_id = $1 and id = $2 for update', [tenant.id, record.id])
    const undone = undo(INBOUND, tenant, record, 'r')
    await untilWaiting(service, 1)
    const closed = tenant.request('POST', `/inbound/${record.id}/close`)
    await untilWaiting(service, 2)
    await blocker.query('commit')
    expect([(await undone).status, (await closed).status]).toEqual([200, 200])
  } finally {
    blocker.release(true)
  }
  expect(await read(INBOUND, tenant, record)).toMatchObject({ state: 'closed', total_received: 0 })
  expect(await availabilityOf(tenant, id)).toMatchObject({ incoming: 0 })
})

it.for([
  ['restock', true],
  ['quarantine', false],
] as const)(
  'a %s waits for a change of the location that it no longer fits, and is refused',
  async ([disposition, isSellable], { service, tenant }) => {
    const { id } = await newProduct(tenant)
    await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'DOCK', quantity: 1 })
    await tenant.request('PUT', '/locations/DOCK', { sellable: isSellable })
    const record = await announce(RETURNS, tenant, [{ product_id: id, quantity: 5 }])
    const blocker = await service.db.dedicatedPool.connect()
    try {
      await blocker.query('begin')
      await blocker.query('select from stock_levels where tenant_id = $1 and product_id = $2 for update', [tenant.id, id])
      const changed = tenant.request('PUT', '/locations/DOCK', { sellable: !isSellable })
      await untilWaiting(service, 1)
      const receipt = receive(RETURNS, tenant, record, { product_id: id, quantity: 2, disposition })
      await untilWaiting(service, 2)
      await blocker.query('commit')
      expect((await changed).status).toBe(200)
      expect((await receipt).body.error).toMatchObject({ code: 'validation_error', details: [{ path: 'location_id' }] })
    } finally {
      blocker.release(true)
    }
    expect((await read(RETURNS, tenant, record)).total_received).toBe(0)
  },
)

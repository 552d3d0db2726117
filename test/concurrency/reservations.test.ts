import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { eventsOf } from '../support/events.ts'
import { it } from '../support/it.ts'
import { expectConsistentCounts, orderFor } from '../support/orders.ts'
import { expectConsistentPicking, stockedProduct } from '../support/picking.ts'
import { availabilityOf, expectConsistentReservations, expireHold, reserve } from '../support/reservations.ts'
import type { ServiceResponse, TestTenant } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'
import { randomCaller, type Stage } from './support/random-reservations.ts'

const CALLERS = 16
const CALLS = 30

describe('callers who change orders, picks and stock at the same time', () => {
  it.for(['track', 'strict'] as const)('keep every invariant at any moment, under %s', async (policy, { service, tenant }) => {
    const products = await Promise.all([10, 40, 5, 0].map((quantity) => stockedProduct(tenant, { A: quantity, B: 3, C: 2 })))
    const { body } = await tenant.request('POST', '/warehouses', { name: 'North' })
    const stage: Stage = {
      tenant,
      products,
      locations: ['A', 'B', 'C', 'D'],
      warehouses: [body.data.id],
      orders: [],
      holds: [],
      expireIn: (id, ms) => expireHold(service.db, id, ms),
    }
    await reserve(tenant, policy)
    const over = new AbortController()
    const watching = (async () => {
      while (!over.signal.aborted) await expectConsistentReservations(service.db, tenant)
    })()
    const responses = await Promise.all(Array.from({ length: CALLERS }, (_, seed) => randomCaller(stage, seed + 1, CALLS)))
    over.abort()
    await watching
    // A call that lost a race is refused; none fails.
    expect(responses.flat().filter(({ status }) => status >= 500)).toEqual([])
    expect(responses.flat().filter(({ status }) => status === 200).length).toBeGreaterThan(CALLERS)
    await expectConsistentReservations(service.db, tenant)
    await expectConsistentStock(service.db, tenant)
    await expectConsistentCounts(service.db, tenant)
    await expectConsistentPicking(service.db, tenant)
    await untilSwept(service.db, tenant)
    await expectStatusesAsTold(service, tenant)
    await expectBalanced(tenant)
  })

  it('keep them while reserving is turned off and on', async ({ service, tenant }) => {
    const products = await Promise.all([10, 40, 5].map((quantity) => stockedProduct(tenant, { A: quantity, B: 3 })))
    const stage: Stage = {
      tenant,
      products,
      locations: ['A', 'B', 'C'],
      warehouses: [],
      orders: [],
      holds: [],
      expireIn: (id, ms) => expireHold(service.db, id, ms),
    }
    const calls = Array.from({ length: CALLERS }, (_, seed) => randomCaller(stage, seed + 100, CALLS))
    for (const policy of ['track', 'off', 'strict', 'off', 'track'] as const)
      await tenant.request('PUT', '/settings', { reservation_policy: policy })
    const responses = await Promise.all(calls)
    expect(responses.flat().filter(({ status }) => status >= 500)).toEqual([])
    await reserve(tenant, 'track')
    await expectConsistentReservations(service.db, tenant)
    await expectConsistentStock(service.db, tenant)
    await expectBalanced(tenant)
  })
})

describe('a hold that is over when a call that waited for it goes on', () => {
  /** Sends the hold while a parallel transaction has an expired one of the same reference, which it commits after `meanwhile`. */
  async function sendDuring(
    { dedicatedPool }: Database,
    tenant: TestTenant,
    content: { warehouse_id?: number },
    meanwhile = '',
  ): Promise<ServiceResponse> {
    const product = await stockedProduct(tenant, { A: 1 })
    await reserve(tenant, 'track')
    const other = await dedicatedPool.connect()
    try {
      await other.query('begin')
      await other.query(`
        insert into holds (tenant_id, reference, content_hash, warehouse_id, expires_at, created_by)
        select tenant_id, 'cart', '', id, now() - interval '1 second', 'test' from warehouses where tenant_id = ${tenant.id} and is_default`)
      const lines = [{ product_id: product.id, quantity: 1 }]
      const sent = tenant.request('POST', '/holds', { reference: 'cart', lines, ...content })
      // Not in the transaction, which would see the same activity all the time.
      const waiting = async (): Promise<number | null> =>
        (
          await dedicatedPool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount
      await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 60_000, interval: 20 })
      await other.query(`${meanwhile}; commit`)
      return await sent
    } finally {
      other.release(true)
    }
  }

  it('makes room for the new one', async ({ service, tenant }) => {
    const { body } = await sendDuring(service.db, tenant, {})
    expect(body).toMatchObject({ success: true, data: { reference: 'cart', state: 'active' } })
    expect(await availabilityOf(tenant, body.data.lines[0].product_id)).toMatchObject({ held: 1, available: 0 })
  })

  it('does not keep the call for ever when its warehouse is gone too', async ({ service, tenant }) => {
    const { id } = (await tenant.request('POST', '/warehouses', { name: 'East' })).body.data
    const remove = `delete from warehouses where tenant_id = ${tenant.id} and id = ${id}`
    const { body } = await sendDuring(service.db, tenant, { warehouse_id: id }, remove)
    expect(body.error?.message).toBe('warehouse_id: no warehouse has this id')
  })
})

describe('under the policy strict', () => {
  it('single units of a product are promised exactly as often as they are there', async ({ service, tenant }) => {
    const product = await stockedProduct(tenant, { A: 7 })
    await reserve(tenant, 'strict')
    const orders = await Promise.all(
      Array.from({ length: 30 }, () => orderFor(tenant, { order_detail: [{ barcode: product.barcode, quantity: 1 }] })),
    )
    const responses = await Promise.all(orders.map((order) => tenant.request('POST', '/orders', order)))
    const created = responses.filter(({ status }) => status === 200)
    expect(created).toHaveLength(7)
    expect(new Set(responses.filter(({ status }) => status !== 200).map(({ body }) => body.error.code))).toEqual(
      new Set(['insufficient_stock']),
    )
    expect(await availabilityOf(tenant, product.id)).toMatchObject({ on_hand: 7, reserved: 7, available: 0, backordered: 0 })
    await expectConsistentReservations(service.db, tenant)
  })
})

/** What the service itself finds wrong: nothing. */
async function expectBalanced(tenant: Stage['tenant']): Promise<void> {
  const { body } = await tenant.request('GET', '/stock/reconcile')
  expect(body.data).toMatchObject({ is_balanced: true, differences: [] })
}

/**
 * Waits until nothing changes by itself any more: until the background work has settled what the calls left to it, and what the holds that expire
 * within half a second had.
 */
async function untilSwept({ kysely }: Database, { id }: Stage['tenant']): Promise<void> {
  const left = sql`
    select product_id from hold_lines where tenant_id = ${id} and reserved > 0 and expires_at < now() + interval '1 second'
    union all select product_id from unsettled_stock where tenant_id = ${id}`
  await expect.poll(async () => (await left.execute(kysely)).rows).toEqual([])
}

/** The last event of an open order tells its status; without one it is reserved. */
async function expectStatusesAsTold(
  service: Parameters<typeof eventsOf>[0],
  tenant: Parameters<typeof eventsOf>[1],
): Promise<void> {
  const told = new Map<number, string>()
  for (const { event, data } of await eventsOf(service, tenant)) {
    if (event !== 'reservation/updated') continue
    expect(data.previous_status ?? 'none').toBe(
      told.get(data.order_id as number) ?? (data.previous_status === null ? 'none' : 'reserved'),
    )
    told.set(data.order_id as number, data.status as string)
  }
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { body } = await tenant.request('GET', `/orders?limit=100&page=${page}`)
    pages = body.data.pagination.total_pages
    for (const { id, reservation_status: status } of body.data.orders)
      if (status !== null) expect({ id, status: told.get(id) ?? 'reserved' }).toEqual({ id, status })
  }
}

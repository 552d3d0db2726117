import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { eventsOf } from '../support/events.ts'
import { it } from '../support/it.ts'
import { expectConsistentCounts, newOrder, orderFor } from '../support/orders.ts'
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
      await untilCallWaits(dedicatedPool)
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

  describe('a hold that expires during a call', () => {
    /** A hold of all 5 of a product, for which another order waits. `expire` makes the hold expire at that moment. */
    async function keptProduct(tenant: TestTenant) {
      const { id, barcode } = await stockedProduct(tenant, { A: 5 })
      await reserve(tenant, 'strict')
      const { body } = await tenant.request('POST', '/holds', { reference: 'cart', lines: [{ barcode, quantity: 5 }] })
      const hold: number = body.data.id
      const expire = `update holds set expires_at = clock_timestamp() where id = ${hold};
        update hold_lines set expires_at = clock_timestamp() where hold_id = ${hold}`
      const order = (quantity: number, fields: object) => orderFor(tenant, { order_detail: [{ barcode, quantity }], ...fields })
      return { id, hold, expire, order }
    }

    /** Sends an order while a parallel transaction has the lock, and does something before it commits. */
    async function sendDuring(
      { dedicatedPool }: Database,
      tenant: TestTenant,
      order: object,
      { lock, meanwhile }: { lock: string; meanwhile: string },
    ): Promise<ServiceResponse> {
      const other = await dedicatedPool.connect()
      try {
        await other.query(`begin; ${lock}`)
        const sent = tenant.request('POST', '/orders', order)
        await untilCallWaits(dedicatedPool)
        await other.query(`${meanwhile}; commit`)
        return await sent
      } finally {
        other.release(true)
      }
    }

    it('goes to the order that was accepted because of it', async ({ service, tenant }) => {
      const { id, hold, expire, order } = await keptProduct(tenant)
      await newOrder(tenant, await order(3, { allow_backorder: true }))
      const { dedicatedPool } = service.db
      // Between judging and settling.
      await dedicatedPool.query(`create function expire_hold() returns trigger language plpgsql as $$ begin ${expire}; return new; end $$;
        create trigger expire_hold before insert on orders for each row when (new.tenant_id = ${tenant.id}) execute function expire_hold()`)
      try {
        const { status, body } = await tenant.request('POST', '/orders', await order(5, { hold: 'cart' }))
        expect([status, body.data.orders[0].reservation_status]).toEqual([200, 'reserved'])
        const { state, order_id: owner } = (await tenant.request('GET', `/holds/${hold}`)).body.data
        expect([state, owner]).toEqual(['consumed', body.data.orders[0].id])
      } finally {
        await dedicatedPool.query('drop function expire_hold cascade')
      }
      expect(await availabilityOf(tenant, id)).toMatchObject({ held: 0, reserved: 5, available: 0, backordered: 3 })
      await expectConsistentReservations(service.db, tenant)
    })

    it('gives the order nothing of what others got while the call waited', async ({ service, tenant }) => {
      const { id, hold, expire, order } = await keptProduct(tenant)
      await newOrder(tenant, await order(3, { allow_backorder: true }))
      const { status, body } = await sendDuring(service.db, tenant, await order(5, { hold: 'cart' }), {
        lock: `select from holds where id = ${hold} for update`,
        meanwhile: `${expire};
          select from warehouse_stock w cross join lateral
            settle_reservations(w.tenant_id, array[w.product_id], array[w.warehouse_id], '{null}', '{null}', '{false}')
          where w.tenant_id = ${tenant.id} and w.product_id = ${id}`,
      })
      expect([status, body.error?.code, body.error?.details]).toMatchObject([
        400,
        'insufficient_stock',
        [{ lines: [{ available: 2 }] }],
      ])
      expect(await availabilityOf(tenant, id)).toMatchObject({ held: 0, reserved: 3, available: 2, backordered: 0 })
      await expectConsistentReservations(service.db, tenant)
    })

    it('keeps nothing from an order without it', async ({ service, tenant }) => {
      const { id, expire, order } = await keptProduct(tenant)
      const { body } = await sendDuring(service.db, tenant, await order(5, {}), {
        lock: `select from warehouse_stock where tenant_id = ${tenant.id} and product_id = ${id} for update`,
        meanwhile: expire,
      })
      expect(body.data?.orders).toMatchObject([{ reservation_status: 'reserved' }])
      await expectConsistentReservations(service.db, tenant)
    })
  })
})

/** Waits until a call waits for a lock. Not in the transaction that has it, which would see the same activity all the time. */
async function untilCallWaits(pool: Database['dedicatedPool']): Promise<void> {
  const waiting = async (): Promise<number | null> =>
    (await pool.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rowCount
  await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 60_000, interval: 20 })
}

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

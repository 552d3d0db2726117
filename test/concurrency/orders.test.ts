import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it } from './support/it.ts'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import type { Queryable } from '@fulfillment/server/database/database.ts'
import { expectConsistentCounts, newOrder, orderEvents, orderFor } from '../support/orders.ts'
import type { ServiceResponse, TestService } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'

const atOnce = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Runs `work` in a transaction that is rolled back. */
async function unfinished<T>(service: TestService, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const results: T[] = []
  const rollback = new Error('rolled back')
  await service.db
    .transaction(async (tx) => {
      results.push(await work(tx))
      throw rollback
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error
    })
  return results[0] as T
}

/** Waits until a connection to the database waits for a lock. */
async function someoneWaits(service: TestService): Promise<void> {
  const isWaiting = sql<{ waits: boolean }>`
    select count(*) > 0 as waits from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await isWaiting.execute(service.db.kysely)).rows[0]?.waits !== true) await setTimeout(20)
}

const statuses = (responses: readonly ServiceResponse[]): number[] =>
  [...new Set(responses.map(({ status }) => status))].toSorted((a, b) => a - b)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

describe('orders under parallel calls', () => {
  it('creates an order exactly once for 20 parallel submissions', async ({ service, tenant }) => {
    const order = await orderFor(tenant)
    const responses = await atOnce(20, () => tenant.request('POST', '/orders', order))
    expect(statuses(responses)).toEqual([200])
    expect(sum(responses.map(({ body }) => body.data.created_count))).toBe(1)
    expect(sum(responses.map(({ body }) => body.data.existing_count))).toBe(19)
    expect(await orderEvents(service, tenant, { created: true })).toHaveLength(1)
    const { orders, pagination } = (await tenant.request('GET', '/orders?include_details=true')).body.data
    expect([pagination.total, orders[0].order_detail.length]).toEqual([1, 1])
    await expectConsistentCounts(service.db, tenant)
  })

  it('creates each order of overlapping batches once, and responds in the order of submission', async ({ service, tenant }) => {
    const { barcode } = await newProduct(tenant)
    const batch = await atOnce(200, () => orderFor(tenant, { order_detail: [{ barcode, quantity: 1 }] }))
    const responses = await atOnce(12, (index) => tenant.request('POST', '/orders', index % 2 === 0 ? batch : batch.toReversed()))
    expect(statuses(responses)).toEqual([200])
    const created = responses.flatMap(({ body }) =>
      body.data.orders.map((order: { order_tenant_id: string }) => order.order_tenant_id),
    )
    expect(created).toHaveLength(200)
    expect(new Set(created)).toEqual(new Set(batch.map((order) => order.order_tenant_id)))
    for (const [index, { body }] of responses.entries()) {
      const submitted = (index % 2 === 0 ? batch : batch.toReversed()).map((order) => order.order_tenant_id)
      const positions = body.data.orders.map((order: { order_tenant_id: string }) => submitted.indexOf(order.order_tenant_id))
      expect(positions).toEqual(positions.toSorted((a: number, b: number) => a - b))
    }
    expect(await orderEvents(service, tenant, { created: true })).toHaveLength(200)
    await expectConsistentCounts(service.db, tenant)
  })

  it('locks orders in one order, so that batches do not deadlock', async ({ service, tenant }) => {
    const { barcode } = await newProduct(tenant)
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map((order_tenant_id) => orderFor(tenant, { order_tenant_id, order_detail: [{ barcode, quantity: 1 }] })),
    )
    const warehouse = await service.db.kysely
      .selectFrom('warehouses')
      .select('id')
      .where('tenant_id', '=', tenant.id)
      .executeTakeFirstOrThrow()
    const { waiting, passed } = await unfinished(service, async (tx) => {
      const held = {
        tenant_id: tenant.id,
        order_tenant_id: 'b',
        assembly_date: '2026-11-30',
        warehouse_id: warehouse.id,
        items_count: 1,
        total_quantity: 1,
      }
      await tx.kysely.insertInto('orders').values(held).execute()
      const waiting = tenant.request('POST', '/orders', [c, b, a])
      await someoneWaits(service)
      // The waiting batch has locked a and waits for b; c is still free.
      return { waiting, passed: await tenant.request('POST', '/orders', c) }
    })
    expect(passed.body.data.created_count).toBe(1)
    expect((await waiting).body.data).toMatchObject({ created_count: 2, existing_count: 1 })
  })

  it('cancels an order once for 20 parallel cancellations', async ({ service, tenant }) => {
    const { id, order_tenant_id } = await newOrder(tenant)
    const responses = await atOnce(20, (index) =>
      tenant.request('POST', `/orders/${index % 2 === 0 ? id : encodeURIComponent(order_tenant_id)}/cancel`),
    )
    expect(responses.map(({ body }) => body.data?.order_id)).toEqual(Array.from({ length: 20 }, () => String(id)))
    expect(await orderEvents(service, tenant)).toHaveLength(1)
    await expectConsistentCounts(service.db, tenant)
  })

  it('either completes or cancels an order', async ({ service }) => {
    for (let round = 0; round < 5; round++) {
      const tenant = await service.newTenant()
      const { id } = await newOrder(tenant)
      const responses = await atOnce(12, (index) =>
        index % 3 === 0
          ? tenant.request('PUT', `/orders/${id}`, { state_id: 5 })
          : index % 3 === 1
            ? tenant.request('PUT', `/orders/${id}`, { state_id: 7 })
            : tenant.request('POST', `/orders/${id}/cancel`),
      )
      expect(responses.every(({ status }) => status === 200 || status === 400)).toBe(true)
      const ends = (await orderEvents(service, tenant)).filter(({ event }) => event !== 'order/updated')
      expect(ends).toHaveLength(1)
      const { state_id } = (await tenant.request('GET', `/orders/${id}`)).body.data
      expect(ends[0]?.event).toBe(state_id === 5 ? 'order/completed' : 'order/cancelled')
      await expectConsistentCounts(service.db, tenant)
    }
  })

  it('sends one event per change, each starting from the state after the previous one', async ({ service, tenant }) => {
    const { id } = await newOrder(tenant)
    const responses = await atOnce(40, (index) =>
      tenant.request('PUT', `/orders/${id}`, { state_id: (index % 3) + 1, assembly_date: `2026-12-0${(index % 7) + 1}` }),
    )
    expect(statuses(responses)).toEqual([200])
    const events = await orderEvents(service, tenant)
    const order = (await tenant.request('GET', `/orders/${id}`)).body.data
    for (const [index, { data }] of events.entries())
      expect(data.previous_state_id).toBe(index === 0 ? 1 : events[index - 1]?.data.state_id)
    expect(events.at(-1)?.data).toMatchObject({ state_id: order.state_id, updated_at: order.updated_at })
    await expectConsistentCounts(service.db, tenant)
  })

  it('returns exact totals at all times, while orders change and counts are folded', async ({ service, tenant }) => {
    const { barcode } = await newProduct(tenant)
    const order = await orderFor(tenant, { order_detail: [{ barcode, quantity: 1 }] })
    const many = Array.from({ length: 60 }, (_, index) => ({ ...order, order_tenant_id: `order ${index}` }))
    const created = (await tenant.request('POST', '/orders', many)).body.data.orders as { id: number }[]
    const change = atOnce(60, (index) => tenant.request('PUT', `/orders/${created[index]?.id}`, { state_id: (index % 2) + 2 }))
    const fold = atOnce(10, () => foldAllCounts(service.db))
    const lists = await atOnce(30, () => tenant.request('GET', '/orders?limit=100'))
    await Promise.all([change, fold])
    expect(lists.map(({ body }) => [body.data.pagination.total, body.data.orders.length])).toEqual(lists.map(() => [60, 60]))
    await expectConsistentCounts(service.db, tenant)
  })
})

import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { it } from '../../support/shared-service.ts'
import { eventsOf } from '../../support/events.ts'
import { orderFor } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { availabilityOf, expectConsistentReservations, reserve } from '../../support/reservations.ts'
import type { TestTenant } from '../../support/service.ts'

/** The orders that were told to be reserved now, by the transaction that served them, the earliest first. */
async function toldByTransaction(db: Database, tenant: TestTenant): Promise<number[][]> {
  const { rows } = await sql<{ orders: number[] }>`
    select json_agg((body::json -> 'data' ->> 'order_id')::int order by id) as orders from events
    where tenant_id = ${tenant.id} and topic = 'reservation/updated' and body::json -> 'data' ->> 'status' = 'reserved'
    group by xmin::text order by min(id)`.execute(db.kysely)
  return rows.map(({ orders }) => orders)
}

it('what is too much for one call to settle follows, by rank', async ({ service, tenant }) => {
  const tea = await stockedProduct(tenant, { A: 0 })
  const lines = [{ barcode: tea.barcode, quantity: 1 }]
  await reserve(tenant, 'track')
  const orders = await Promise.all(Array.from({ length: 1_300 }, () => orderFor(tenant, { order_detail: lines })))
  const ids: number[] = []
  for (const part of [orders.slice(0, 1_000), orders.slice(1_000)]) {
    const { status, body } = await tenant.request('POST', '/orders', part)
    expect(status).toBe(200)
    ids.push(...body.data.orders.map(({ id }: { id: number }) => id))
  }
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 1_299 })
  // By its date, the new order is the first of those that wait for the rest.
  const early = await orderFor(tenant, { assembly_date: '2020-01-01', order_detail: lines })
  await tenant.request('POST', '/orders', early)
  await expect.poll(async () => (await availabilityOf(tenant, tea.id)).reserved).toBe(1_299)
  // The call served the first 1,000 by rank, before the early order was there; others had the rest.
  const [first, ...others] = await toldByTransaction(service.db, tenant)
  expect(first).toEqual(ids.slice(0, 1_000))
  expect(others.map((told) => told.length <= 1_000)).toEqual(others.map(() => true))
  expect(await availabilityOf(tenant, tea.id)).toMatchObject({ available: 0, backordered: 2 })
  await expectConsistentReservations(service.db, tenant)
  const told = (await eventsOf(service, tenant)).filter(({ event }) => event === 'reservation/updated')
  const reserved = told.filter(({ data }) => data.status === 'reserved')
  // All but the new order, which was reserved when it was created.
  expect(new Set(reserved.map(({ data }) => data.order_id)).size).toBe(1_298)

  // A removal of so much takes it from all, the last first.
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 50 })
  await expect.poll(async () => (await availabilityOf(tenant, tea.id)).reserved).toBe(50)
  await expectConsistentReservations(service.db, tenant)
})

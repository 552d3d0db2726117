import { expect } from 'vitest'
import { it } from '../../support/it.ts'
import { eventsOf } from '../../support/events.ts'
import { orderFor } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { availabilityOf, expectConsistentReservations, reserve } from '../../support/reservations.ts'

it('what is too much for one call to settle follows, by rank', async ({ service, tenant }) => {
  const tea = await stockedProduct(tenant, { A: 0 })
  const lines = [{ barcode: tea.barcode, quantity: 1 }]
  await reserve(tenant, 'track')
  const orders = await Promise.all(Array.from({ length: 1_300 }, () => orderFor(tenant, { order_detail: lines })))
  for (const part of [orders.slice(0, 1_000), orders.slice(1_000)])
    expect((await tenant.request('POST', '/orders', part)).status).toBe(200)
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A', quantity: 1_299 })
  // By its date, the new order is the first of those that wait for the rest.
  const early = await orderFor(tenant, { assembly_date: '2020-01-01', order_detail: lines })
  await tenant.request('POST', '/orders', early)
  await expect.poll(async () => (await availabilityOf(tenant, tea.id)).reserved).toBe(1_299)
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

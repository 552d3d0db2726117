import { expect } from 'vitest'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { newOrder } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct } from '../../support/picking.ts'
import type { TestTenant } from '../../support/service.ts'
import { cancel, complete, start } from './calls.ts'
import { it } from './it.ts'

const queue = async (tenant: TestTenant, query = '') => (await tenant.request('GET', `/flows/queue${query}`)).body.data

const ids = async (tenant: TestTenant, query = '') =>
  (await queue(tenant, query)).orders.map(({ order_id }: { order_id: number }) => order_id)

const dueOn = (tenant: TestTenant, assembly_date: string, fields: object = {}) => newOrder(tenant, { assembly_date, ...fields })

it('shows the lines and the quantity that are left to pick', async ({ tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 100 }, { weighable: true })
  const rice = await stockedProduct(tenant, { 'A-1': 100 })
  const { order, flow } = await startedFlow(tenant, [
    [tea, 3],
    [rice, 2],
  ])
  expect(await queue(tenant)).toEqual({ orders: [], pagination: { total: 0, page: 1, limit: 50, total_pages: 0 } })
  await pick(tenant, flow, { barcode: rice.barcode, location_id: 'A-1', quantity: 2 })
  await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A-1', quantity: 0.5 })
  await complete(tenant, flow)
  const { orders } = await queue(tenant)
  expect(orders).toEqual([
    {
      order_id: order.id,
      order_tenant_id: order.order_tenant_id,
      assembly_date: '2026-11-30',
      customer_name: null,
      state_id: 2,
      open_lines: 1,
      open_quantity: 2.5,
    },
  ])
})

it('has the orders that no one is picking, by assembly date and id, page by page, with an exact total', async ({
  service,
  tenant,
}) => {
  const later = await dueOn(tenant, '2026-12-24')
  const first = await dueOn(tenant, '2026-11-01')
  const second = await dueOn(tenant, '2026-11-01', { customer_name: 'Ada' })
  const picked = await dueOn(tenant, '2026-01-01')
  const completed = await dueOn(tenant, '2026-01-01')
  const cancelled = await dueOn(tenant, '2026-01-01')
  await tenant.request('PUT', `/orders/${first.id}`, { state_id: 2 })
  await tenant.request('PUT', `/orders/${completed.id}`, { state_id: 5 })
  await tenant.request('POST', `/orders/${cancelled.id}/cancel`)
  const { id: flow } = (await start(tenant, { order_id: picked.id })).body.data
  const open = [first.id, second.id, later.id]
  for (let round = 0; round < 2; round++) {
    expect(await ids(tenant)).toEqual(open)
    expect(await ids(tenant, '?limit=2')).toEqual(open.slice(0, 2))
    expect(await ids(tenant, '?limit=2&page=2')).toEqual(open.slice(2))
    expect((await queue(tenant, '?limit=2&page=3')).pagination).toEqual({ total: 3, page: 3, limit: 2, total_pages: 2 })
    expect(await ids(tenant, '?limit=2&page=3')).toEqual([])
    await foldAllCounts(service.db)
  }
  await cancel(tenant, flow)
  expect(await ids(tenant)).toEqual([picked.id, ...open])
})

it('is searched by parts of the identifier and of the customer’s name, in any case', async ({ tenant }) => {
  const shop = await dueOn(tenant, '2026-11-02', { order_tenant_id: 'SHOP-100', customer_name: 'Ärzte ohne Grenzen' })
  const web = await dueOn(tenant, '2026-11-01', { order_tenant_id: 'WEB-100', customer_name: 'Ada Byron' })
  const none = await dueOn(tenant, '2026-11-03', { order_tenant_id: 'WEB-200' })
  const picked = await dueOn(tenant, '2026-11-01', { order_tenant_id: 'SHOP-101' })
  await start(tenant, { order_id: picked.id })
  const search = (text: string) => ids(tenant, `?search=${encodeURIComponent(text)}`)
  expect(await search('shop')).toEqual([shop.id])
  expect(await search('-100')).toEqual([web.id, shop.id])
  expect(await search('BYRON')).toEqual([web.id])
  expect(await search('äRZ')).toEqual([shop.id])
  expect(await search('w')).toEqual([web.id, none.id])
  expect(await search('%')).toEqual([])
  expect((await queue(tenant, '?search=-100&limit=1&page=2')).pagination).toEqual({ total: 2, page: 2, limit: 1, total_pages: 2 })
  expect(await ids(tenant, '?search=-100&limit=1&page=2')).toEqual([shop.id])
})

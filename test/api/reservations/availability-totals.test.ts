import { expect } from 'vitest'
import { awaitSystemLock } from '@fulfillment/server/database/locks.ts'
import { recountStocked } from '@fulfillment/server/domain/stock/fold-stocked.ts'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { it } from '../../support/shared-service.ts'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { reserve } from '../../support/reservations.ts'
import type { TestTenant } from '../../support/service.ts'
import { expectConsistentStock, newProduct } from '../../support/stock.ts'

const listed = async (tenant: TestTenant, query = ''): Promise<[total: number, rows: number]> => {
  const { body } = await tenant.request('GET', `/stock/availability?limit=100${query}`)
  return [body.data.pagination.total, body.data.availability.length]
}

it('the total counts what is listed, as stock comes, goes and is moved to another warehouse', async ({ service, tenant }) => {
  const { body } = await tenant.request('POST', '/warehouses', { name: 'North' })
  const north: number = body.data.id
  const [tea] = [await stockedProduct(tenant, { A: 5, B: 0 }), await stockedProduct(tenant, { B: 2 })]
  await newProduct(tenant)
  expect(await listed(tenant)).toEqual([2, 2])
  await tenant.request('PUT', '/locations/B', { warehouse_id: north })
  expect(await listed(tenant)).toEqual([2, 2])
  expect(await listed(tenant, `&warehouse_id=${north}`)).toEqual([1, 1])
  await foldAllCounts(service.db)
  await tenant.request('POST', '/stock/transfer', { product_id: tea.id, from_location_id: 'A', to_location_id: 'B', quantity: 2 })
  expect(await listed(tenant)).toEqual([3, 3])
  await tenant.request('POST', '/stock/adjustment', { product_id: tea.id, location_id: 'A', adjustment_quantity: -3 })
  expect(await listed(tenant)).toEqual([2, 2])
  expect(await listed(tenant, `&warehouse_id=${north}`)).toEqual([2, 2])
  await expectConsistentStock(service.db, tenant)
})

it('the total counts products without stock that orders wait for, under a policy alone', async ({ tenant }) => {
  const [tea, salt] = [await stockedProduct(tenant, { A: 1 }), await newProduct(tenant)]
  await newOrder(tenant, { order_detail: [tea, salt].map(({ barcode }) => ({ barcode, quantity: 2 })) })
  expect(await listed(tenant)).toEqual([1, 1])
  await reserve(tenant, 'track')
  expect(await listed(tenant)).toEqual([2, 2])
  expect(await listed(tenant, '&backordered=true')).toEqual([2, 2])
  await tenant.request('PUT', `/stock/product/${salt.id}`, { location_id: 'A', quantity: 2 })
  expect(await listed(tenant)).toEqual([2, 2])
  expect(await listed(tenant, '&backordered=true')).toEqual([1, 1])
  await reserve(tenant, 'off')
  expect(await listed(tenant, '&backordered=true')).toEqual([0, 0])
})

it('a page beyond the first rows of the tenant is found, too', async ({ service, tenant }) => {
  const { id } = await newProduct(tenant)
  const warehouse = service.db.dedicatedPool.query('select id from warehouses where tenant_id = $1', [tenant.id])
  // Products without stock, before the one that has some.
  await service.db.dedicatedPool.query(
    `with product as (
       insert into products (tenant_id, barcode, name) select $1, 'none ' || g, 'none' from generate_series(1, 2500) g returning id
     )
     insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity) select $1, id, $2, 0 from product`,
    [tenant.id, (await warehouse).rows[0].id],
  )
  const last = await stockedProduct(tenant, { A: 1 })
  await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 1 })
  const { body } = await tenant.request('GET', '/stock/availability')
  expect(body.data.availability.map((row: { product_id: number }) => row.product_id)).toEqual([id, last.id])
})

it('counts that are wrong are corrected, by one process at a time', async ({ service, tenant }) => {
  await stockedProduct(tenant, { A: 5 })
  const other = await service.db.dedicatedPool.connect()
  // First the lock, or the service itself could correct the count before.
  await other.query(`begin; select ${awaitSystemLock('fold')}`)
  const warehouse = '(select id from warehouses where tenant_id = $1)'
  await service.db.dedicatedPool.query(`insert into stocked_count_changes select $1, ${warehouse}, 7`, [tenant.id])
  await recountStocked(service.db)
  expect(await listed(tenant)).toEqual([8, 1])
  await other.query('commit')
  other.release()
  // Two that count at the same time would both take away what is too much.
  await expect
    .poll(() => Promise.all([recountStocked(service.db), recountStocked(service.db)]).then(() => listed(tenant)))
    .toEqual([1, 1])
  await expectConsistentStock(service.db, tenant)
})

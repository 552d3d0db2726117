import { expect } from 'vitest'
import { type PickableProduct, stockedProduct, stockOf } from '../../support/picking.ts'
import { newOrder } from '../../support/orders.ts'
import { it } from '../support/browser.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'

it('leads by pick sequence, then by code, and past locations that are not pickable', async ({ window: { page }, tenant }) => {
  const ada = await newOperator(tenant, 'Ada')
  const stock: Record<string, number>[] = [{ 'A-2': 5 }, { 'Z-9': 5 }, { 'A-1': 9, 'A-10': 2 }, { 'C-1': 5 }]
  const products: PickableProduct[] = []
  for (const levels of stock) products.push(await stockedProduct(tenant, levels))
  await tenant.request('PUT', '/locations/Z-9', { pick_sequence: 1 })
  await tenant.request('PUT', '/locations/C-1', { pick_sequence: 2 })
  await tenant.request('PUT', '/locations/A-1', { pickable: false })
  const order = await newOrder(tenant, { order_detail: products.map(({ barcode }) => ({ barcode, quantity: 1 })) })
  const device = await enrolledDevice(page, tenant, ada)
  await device.scan(order.order_tenant_id)
  const heading = page.getByRole('heading', { level: 1 })
  for (const [code, product] of [
    ['Z-9', 1],
    ['C-1', 3],
    ['A-2', 0],
    ['A-10', 2],
  ] as const) {
    await expect.poll(() => heading.textContent()).toBe(code)
    await device.scan(code)
    const before = (await device.outcomes()).length
    await device.scanner.scan(products[product]?.barcode ?? '')
    await expect.poll(async () => (await device.outcomes()).length).toBe(before + 1)
  }
  await page.getByRole('heading', { name: `Finish ${order.order_tenant_id}` }).waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Online')
  await expect.poll(() => stockOf(tenant, products[2]!)).toEqual({ 'A-1': 9, 'A-10': 1 })
})

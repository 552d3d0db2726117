import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { goToScreen } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'
import { fillScreens } from '../support/screens.ts'

interface Exported {
  name: string
  rows: Record<string, string>[]
}

async function exportList(page: Page): Promise<Exported> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV', exact: true }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), rows: parse(text, { columns: true, bom: true }) }
}

describe('Export CSV', () => {
  it('downloads all that the filters match, on every list', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Salt', barcode: '2', sku: 'SALT', category: 'Spices' })
    const webhook = (await fillScreens(tenant)).find((path) => path.startsWith('/webhooks/')) ?? ''
    await signIn(page, tenant.key)
    const lists: [path: string, name: string, column: string, cells: string[]][] = [
      ['/orders?state=1', 'orders', 'order_tenant_id', ['SHOP-3', 'SHOP-2']],
      ['/products?category=Spices', 'products', 'external_id', ['SALT']],
      ['/stock?low=true', 'levels', 'quantity', ['2', '2']],
      ['/movements?movement_type=OUT', 'movements', 'reason', ['order_fulfillment']],
      ['/inbound?state=receiving', 'inbound', 'received_quantity', ['2']],
      ['/returns?reference=RMA-1', 'returns', 'scrapped_quantity', ['1']],
      ['/counts?state=counting', 'counts', 'variance', ['-1']],
      ['/audit?operation=flows.pick', 'audit', 'operation', ['flows.pick']],
      [webhook, 'deliveries', 'event', ['order/created']],
    ]
    for (const [path, name, column, cells] of lists) {
      await goToScreen(page, path)
      const exported = await exportList(page)
      expect([exported.name.replace(/-\d{4}-\d\d-\d\d/, ''), exported.rows.map((row) => row[column])]).toEqual([
        `${name}.csv`,
        cells,
      ])
    }
  })

  it('downloads more than a page: 1,300 rows', async ({ window: { page }, tenant }) => {
    const productsFrom = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `Tea ${first + index}`, barcode: `${first + index}` }))
    await seed(tenant, '/products/bulk', { products: productsFrom(1, 1_000) })
    await seed(tenant, '/products/bulk', { products: productsFrom(1_001, 300) })
    await signIn(page, tenant.key)
    await goToScreen(page, '/products?search=tea')
    const { rows } = await exportList(page)
    expect(new Set(rows.map(({ barcode }) => barcode)).size).toBe(1_300)
    expect(rows).toHaveLength(1_300)
    await page.getByRole('status').getByText('The export is being downloaded').last().waitFor()
  })

  it('says why it is refused, and is there for who may read the list alone', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/400/)
    const key = await tenant.createKey({ scopes: ['read:products'] })
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await signIn(page, key)
    await goToScreen(page, '/products')
    await page.route('**/dashboard/exports', (route) =>
      route.fulfill({ status: 400, json: { success: false, error: { code: 'validation_error', message: 'Not like this' } } }),
    )
    await page.getByRole('button', { name: 'Export CSV' }).click()
    await page.getByRole('alert').getByText('Not like this').waitFor()
  })
})

import { describe, expect } from 'vitest'
import { it, type TestTenant } from '../support/browser.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'

const DAY_MS = 86_400_000
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

async function newOrder(tenant: TestTenant, order_tenant_id: string, assembly_date: string): Promise<number> {
  const order = { order_tenant_id, assembly_date, order_detail: [{ barcode: '1', quantity: 1 }] }
  return (await seed(tenant, '/orders', order)).orders[0].id
}

describe('Home', () => {
  it('leads to the orders that are due today and overdue, by state', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await newOrder(tenant, 'TODAY-1', dayIn(0))
    await newOrder(tenant, 'TODAY-2', dayIn(0))
    await newOrder(tenant, 'LATE-1', dayIn(-1))
    const late = await newOrder(tenant, 'LATE-2', dayIn(-100))
    await newOrder(tenant, 'LATER', dayIn(1))
    await seed(tenant, `/orders/${late}`, { state_id: 2 }, 'PUT')
    await signIn(page, tenant.key, '/')
    const due = page.getByRole('region', { name: 'Due today' })
    const rows = due.getByRole('table', { name: 'Due orders' }).locator('tbody tr')
    const cells = async (row: number) => await rows.nth(row).getByRole('cell').allTextContents()
    await rows.nth(1).waitFor()
    expect([await cells(0), await cells(1)]).toEqual([
      ['Pending', '2', '1'],
      ['Released', '0', '1'],
    ])
    await rows.nth(0).getByRole('link').nth(0).click()
    await page.getByText('2 orders', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe(`?state=1&assembly_date=${dayIn(0)}`)
    await page.goBack()
    await rows.nth(1).getByRole('link').nth(1).click()
    await page.getByRole('link', { name: 'LATE-2' }).waitFor()
    await page.getByText('1 order', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe(`?state=2&assembly_until=${dayIn(-1)}`)
  })

  it('shows what is picked, what is low, and the webhooks that fail', async ({ window: { page }, tenant, service }) => {
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1', minimum_threshold: 10 })
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 7 }] })
    await newOrder(tenant, 'SHOP-1', dayIn(0))
    const flow = await seed(tenant, '/flows', { order_tenant_id: 'SHOP-1', operator_email: 'ada@example.com' })
    await seed(tenant, `/flows/${flow.id}/picks`, { barcode: '1', location_id: 'A', quantity: 1 })
    await newOrder(tenant, 'SHOP-2', dayIn(0))
    const webhook = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['product/deleted'] })
    await seed(tenant, '/webhooks', { name: 'fine', url: 'http://127.0.0.1:9/hook', events: ['product/deleted'] })
    await service.db.dedicatedPool.query(
      `update webhook_subscriptions set active = false, disabled_reason = 'gone', disabled_at = now() where tenant_id = $1 and id = $2`,
      [tenant.id, webhook.id],
    )
    await signIn(page, tenant.key, '/')
    const region = (name: string) => page.getByRole('region', { name, exact: true })
    await region('Picking now').getByRole('link', { name: '1 flow running' }).waitFor()
    await region('Picking now').getByText('1 order ready').waitFor()
    await region('Picking now')
      .getByRole('img', { name: /^Units picked, Today: 1 in all, most 1 at / })
      .waitFor()
    const low = region('Low stock').getByRole('table').locator('tbody tr').first().getByRole('cell')
    await low.first().waitFor()
    expect(await low.allTextContents()).toEqual(['Tea', '6', '10'])
    const failing = region('Webhooks').getByRole('table').locator('tbody tr')
    await failing.getByRole('link', { name: 'shop' }).waitFor()
    expect(await failing.count()).toBe(1)
    await region('Reconcile').getByText('Stock was never checked in this browser.').waitFor()
    await region('Reconcile').getByRole('link', { name: 'Check all stock' }).click()
    await page.getByRole('button', { name: 'Check all stock' }).click()
    // Not only "differences 0", which a check says from its start.
    await page.getByRole('status').getByText('Checked all stock: levels checked 1, differences 0').waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
    await region('Reconcile')
      .getByText(/levels checked 1, differences 0/)
      .waitFor()
  })

  it('has first steps for a new tenant, which work as they are copied', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/')
    const steps = page.getByRole('list', { name: 'First steps' })
    await steps.waitFor()
    expect(await steps.getByRole('listitem').count()).toBe(5)
    expect(await page.getByRole('region', { name: 'Due today' }).count()).toBe(0)
    const commands: string[] = []
    for (const button of await steps.getByRole('button').all()) {
      await page.evaluate(() => navigator.clipboard.writeText(''))
      await button.click()
      await expect.poll(() => clipboardOf(page)).toMatch(/^curl -X POST '/)
      commands.push(await clipboardOf(page))
    }
    for (const command of commands.slice(0, 4)) {
      const [, path = '', body = ''] = /\/api\/v1(\S+)' .* -d '(.*)'$/.exec(command) ?? []
      expect([path, (await tenant.request('POST', path, JSON.parse(body))).status]).toEqual([
        path,
        expect.toSatisfy((status: number) => status < 300),
      ])
    }
    // The pulse tells that there is something now.
    await page.getByRole('region', { name: 'Picking now' }).getByRole('link', { name: '1 flow running' }).waitFor()
  })

  it('has only the parts that the key can read', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await signIn(page, await tenant.createKey({ name: 'stock', scopes: ['read:stock'] }), '/')
    await page.getByRole('region', { name: 'Low stock' }).waitFor()
    expect(await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Low stock'])
  })
})

import { describe, expect } from 'vitest'
import { it, type TestTenant } from '../support/browser.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'

async function seedStock(tenant: TestTenant): Promise<number> {
  const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 3 }] })
  return id
}

describe('support', () => {
  it('goes to an order with Ctrl-K, and finds a call in the audit log by its request id', async ({ window, tenant }) => {
    await seedStock(tenant)
    const order = { order_tenant_id: 'SHOP-17', assembly_date: '2030-01-01', order_detail: [{ barcode: '1', quantity: 1 }] }
    const { headers } = await tenant.request('POST', '/orders', order)
    const requestId = headers.get('x-request-id') ?? ''
    const { page } = window
    await signIn(page, tenant.key, '/products')
    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search orders, products and pages' }).pressSequentially('SHOP-17')
    await page
      .getByRole('option', { name: /SHOP-17/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Order SHOP-17' }).waitFor()

    await page.getByRole('link', { name: 'Audit' }).click()
    const rows = page.getByRole('table', { name: 'Audit' }).getByRole('row')
    await rows.nth(3).waitFor()
    await page.getByRole('textbox', { name: 'Request id' }).fill(requestId)
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.nth(1).textContent()).toContain('orders.create')
    // The cell has no room for all of it.
    const cell = rows.nth(1).getByRole('cell', { name: requestId, exact: true })
    await cell.locator('code').evaluate((code) => getSelection()?.selectAllChildren(code))
    await page.keyboard.press('Control+c')
    expect(await clipboardOf(page)).toBe(requestId)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows.nth(3).waitFor()
    await page.getByRole('combobox', { name: 'Operation' }).fill('stock.bulk')
    await page.getByRole('combobox', { name: 'Operation' }).press('Enter')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.nth(1).textContent()).toContain('stock.bulk')
    expect(new URL(page.url()).searchParams.get('operation')).toBe('stock.bulk')
  })

  it('opens what was typed, not what was found before it, when Enter follows at once', async ({ window, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    for (const order_tenant_id of ['SHOP-1', 'SHOP-17'])
      await seed(tenant, '/orders', {
        order_tenant_id,
        assembly_date: '2030-01-01',
        order_detail: [{ barcode: '1', quantity: 1 }],
      })
    const { page } = window
    await signIn(page, tenant.key, '/products')
    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search orders, products and pages' }).waitFor()
    await page.keyboard.type('SHOP-1')
    await page.getByRole('option', { name: /SHOP-1/ }).waitFor()
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Order SHOP-17' }).waitFor()
  })

  it('finds screens and sheets by name, and only those that the key can read', async ({ window, openWindow, tenant }) => {
    const { page } = window
    await signIn(page, tenant.key, '/orders')
    for (const [typed, heading] of [
      ['Operators', 'Operators'],
      ['Command bar', 'Command barcodes'],
      ['Location lab', 'Location labels'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search orders, products and pages' }).fill(typed)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    }
    const reader = await openWindow()
    await signIn(reader.page, await tenant.createKey({ name: 'reader', scopes: ['read:orders'] }), '/orders')
    await reader.page.keyboard.press('Control+k')
    await reader.page.getByRole('combobox', { name: 'Search orders, products and pages' }).fill('o')
    await reader.page.getByRole('option', { name: 'Orders' }).waitFor()
    expect(await reader.page.getByRole('option', { name: /Operators|Command|Location/ }).count()).toBe(0)
  })

  it('tells changes of the dashboard from those of the API, by key', async ({ window, tenant }) => {
    const key = await tenant.createKey({ name: 'Colleague', scopes: ['admin'] })
    await seedStock(tenant)
    const { page } = window
    await signIn(page, key, '/audit')
    const rows = page.getByRole('table', { name: 'Audit' }).getByRole('row')
    await rows.nth(3).waitFor()
    await page.getByRole('button', { name: 'Surface' }).click()
    await page.getByRole('option', { name: 'Dashboard' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.nth(1).textContent()).toContain('sessions.start')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows.nth(3).waitFor()
    await page.getByRole('combobox', { name: 'Key' }).pressSequentially('Coll')
    await page.getByRole('option', { name: /Colleague/ }).click()
    await expect.poll(() => rows.count()).toBe(2)
    await expect.poll(() => new URL(page.url()).searchParams.get('key_id')).toMatch(/^\d+$/)
  })

  it('reconciles to the end, and shows each difference with both numbers', async ({ window, tenant, service }) => {
    const id = await seedStock(tenant)
    const { page } = window
    await signIn(page, tenant.key, '/reconcile')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await expect.poll(() => clipboardOf(page)).toContain('/api/v1/stock/reconcile?limit=100')
    await page.getByRole('button', { name: 'Check all stock' }).click()
    const result = page.getByRole('main').getByRole('status').filter({ hasText: 'differences' })
    await result.getByText('Checked all stock: levels checked 1, differences 0').waitFor()
    expect(await page.getByRole('progressbar', { name: 'Checked' }).getAttribute('value')).toBe('1')

    await service.db.kysely
      .updateTable('stock_levels')
      .set({ quantity: 5 })
      .where('tenant_id', '=', tenant.id)
      .where('product_id', '=', id)
      .execute()
    await page.getByRole('button', { name: 'Check all stock' }).click()
    await result.getByText(/^Checked all stock: levels checked 1, differences [1-9]/).waitFor()
    const level = page.getByRole('table', { name: 'Differences' }).getByRole('row', { name: /Stock level/ })
    expect(await level.getByRole('cell').allTextContents()).toEqual(['Stock level', `Product ${id}`, 'A', '5', '3'])

    await page.reload()
    await page.getByText('Last check in this browser').waitFor()
    await page.getByText(/levels checked 1, differences [1-9]/).waitFor()
  })

  it('stops reconciling when asked, and says how far it came', async ({ window, tenant }) => {
    const products = Array.from({ length: 250 }, (_, index) => ({ name: `Tea ${index}`, barcode: String(index) }))
    await seed(tenant, '/products/bulk', { products })
    const { page } = window
    await signIn(page, tenant.key, '/reconcile')
    let requests = 0
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/stock/reconcile*', async (route) => {
      requests += 1
      if (requests > 1) await held
      await route.continue().catch(() => {})
    })
    await page.getByRole('button', { name: 'Check all stock' }).click()
    await page.getByText('100 of 250 products').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page
      .getByRole('main')
      .getByText(/^Stopped before the end: levels checked 0, differences 0/)
      .waitFor()
    release()
    expect(requests).toBe(2)
  })

  it('says on Home how far a check came that was left; one that was left at once is none', async ({ window, tenant }) => {
    const products = Array.from({ length: 150 }, (_, index) => ({
      name: `Tea ${index}`,
      barcode: String(index),
      sku: `TEA-${index}`,
    }))
    await seed(tenant, '/products/bulk', { products })
    const updates = products.map(({ sku }) => ({ sku, location_id: 'A', quantity: 1 }))
    await seed(tenant, '/stock/bulk', { updates })
    const { page } = window
    await signIn(page, tenant.key, '/reconcile')
    let answered = 0
    await page.route('**/stock/reconcile*', (route) => (answered-- > 0 ? route.continue() : undefined))
    const checkAndLeave = async (seen: RegExp): Promise<void> => {
      await page.getByRole('button', { name: 'Check all stock' }).click()
      await page.getByRole('status').getByText(seen).waitFor()
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
    }
    const found = page.getByRole('region', { name: 'Reconcile', exact: true })
    await checkAndLeave(/^Checking: levels checked 0, differences 0/)
    await found.getByText('Stock was never checked in this browser.').waitFor()
    await found.getByRole('link', { name: 'Check all stock' }).click()
    answered = 1
    await checkAndLeave(/^Checking: levels checked 100, differences 0/)
    await found.getByText(/, stopped before the end: levels checked 100, differences 0/).waitFor()
  })

  it('ends the session of a colleague', async ({ window, openWindow, tenant }) => {
    const key = await tenant.createKey({ name: 'Colleague', scopes: ['admin'] })
    const second = await openWindow()
    second.expectComplaint(/401/)
    await signIn(second.page, key, '/audit')
    const { page } = window
    await signIn(page, tenant.key, '/sessions')
    await page.getByRole('button', { name: 'End session of Colleague' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByRole('status').getByText('Ended 1 session').last().waitFor()
    await second.page.getByRole('link', { name: 'Events' }).click()
    await second.page.getByRole('dialog', { name: 'Sign in' }).waitFor()
  })
})

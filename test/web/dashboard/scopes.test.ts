import { describe, expect } from 'vitest'
import { reserve } from '../../support/reservations.ts'
import { it } from '../support/browser.ts'
import { goToScreen } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'

describe('modes and scopes', () => {
  it('shows live and test data in two tabs that never mix', async ({ window, tenant }) => {
    await seed(tenant, '/products', { name: 'Live tea', barcode: '1' })
    const { key } = await seed(tenant, '/api-keys', { name: 'sandbox', preset: 'full_access', mode: 'test' })
    await tenant.request('POST', '/products', { name: 'Test tea', barcode: '1' }, { key })
    const { page, context } = window
    await signIn(page, tenant.key, '/products')
    await page.getByRole('link', { name: 'Live tea' }).waitFor()
    const other = await context.newPage()
    await other.goto('/dashboard/test/products')
    await other.getByRole('link', { name: 'Test tea' }).waitFor()
    await other.getByText('Test data', { exact: true }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Live tea' }).waitFor()
    expect(await page.getByRole('link', { name: 'Test tea' }).count()).toBe(0)
    await page.getByRole('radiogroup', { name: 'Data' }).getByRole('radio', { name: 'Test' }).check({ force: true })
    await page.getByRole('link', { name: 'Test tea' }).waitFor()
    expect(page.url()).toContain('/dashboard/test/products')
  })

  it('leads from the audit log to keys of its mode alone: in the test mode, a live one changes data on the dashboard', async ({
    window: { page },
    tenant,
  }) => {
    const { id, key } = await seed(tenant, '/api-keys', { name: 'sandbox', preset: 'full_access', mode: 'test' })
    await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' }, { key })
    await signIn(page, tenant.key, '/test/products/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Coffee')
    await page.getByRole('textbox', { name: 'Barcode' }).fill('2')
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('heading', { level: 1, name: 'Coffee' }).waitFor()
    await goToScreen(page, '/test/audit')
    const entryOf = (key: string) =>
      page.getByRole('table', { name: 'Audit' }).getByRole('row').filter({ hasText: 'products.create' }).filter({ hasText: key })
    await entryOf('test key').waitFor()
    expect(await entryOf('test key').getByRole('link').count()).toBe(0)
    await entryOf('sandbox').getByRole('link', { name: 'sandbox' }).click()
    await page.waitForURL(`**/dashboard/test/keys/${id}`)
    await page.getByRole('heading', { level: 1, name: 'sandbox' }).waitFor()
  })

  it('leads a test key from live addresses to the test ones', async ({ window, tenant }) => {
    const { key } = await seed(tenant, '/api-keys', { name: 'sandbox', preset: 'full_access', mode: 'test' })
    await signIn(window.page, key, '/products')
    await window.page.waitForURL('**/dashboard/test/products')
    await window.page.getByText('Test data', { exact: true }).waitFor()
  })

  it('disables each write of a read-only key with its reason, and has no entry for what it cannot read', async ({
    window,
    tenant,
  }) => {
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 3 }] })
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-01', order_detail: [{ barcode: '1', quantity: 1 }] }
    const { orders } = await seed(tenant, '/orders', order)
    const flow = await seed(tenant, '/flows', { order_id: orders[0].id, operator_email: 'ada@example.com' })
    await seed(tenant, `/flows/${flow.id}/picks`, { barcode: '1', location_id: 'A', quantity: 1 })
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 3 }] })
    await reserve(tenant, 'track')
    await seed(tenant, '/holds', { reference: 'cart-81', lines: [{ product_id: id, quantity: 1 }] })
    const inbound = await seed(tenant, '/inbound', { lines: [{ product_id: id, quantity: 1 }] })
    const returned = await seed(tenant, '/returns', { lines: [{ product_id: id, quantity: 1 }] })
    await seed(tenant, `/returns/${returned.id}/receipts`, { product_id: id, quantity: 1, disposition: 'scrap' })
    const count = await seed(tenant, '/counts', { product_ids: [id] })
    const shipment = await seed(tenant, '/shipments', { order_id: orders[0].id })
    const key = await tenant.createKey({ name: 'reader', scopes: ['read:orders', 'read:products', 'read:stock'] })
    const { page } = window
    await signIn(page, key, '/orders')
    const entries = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await entries.first().waitFor()
    const goods = ['Home', 'Orders', 'Products', 'Stock', 'Movements', 'Picking', 'Reservations', 'Inbound']
    const records = ['Returns', 'Counts', 'Shipments']
    expect(await entries.allTextContents()).toEqual([...goods, ...records, 'Locations', 'Settings'])
    const newOrder = page.getByRole('link', { name: 'New order' })
    expect(await newOrder.getAttribute('aria-disabled')).toBe('true')
    expect(await newOrder.getAttribute('href')).toBeNull()

    const writes: [path: string, role: 'button' | 'link', names: string[], scope: string][] = [
      ['/orders', 'link', ['New order'], 'write:orders'],
      [`/orders/${orders[0].id}`, 'button', ['Edit', 'Release', 'Complete', 'Cancel order', 'Pack'], 'write:orders'],
      [`/orders/${orders[0].id}`, 'link', ['Return'], 'write:orders'],
      ['/products', 'link', ['New product'], 'write:products'],
      ['/inbound', 'link', ['New delivery'], 'write:stock'],
      ['/inbound/new', 'button', ['Announce delivery'], 'write:stock'],
      [`/inbound/${inbound.id}`, 'button', ['Receive', 'Edit', 'Close', 'Cancel'], 'write:stock'],
      ['/returns', 'link', ['New return'], 'write:orders'],
      ['/returns/new', 'button', ['Announce return'], 'write:orders'],
      [`/returns/${returned.id}`, 'button', ['Receive', 'Edit', 'Close', 'Cancel', 'Undo the scrapping of Tea'], 'write:orders'],
      ['/counts', 'link', ['New count'], 'write:stock'],
      ['/counts/new', 'button', ['Begin count'], 'write:stock'],
      [`/counts/${count.id}`, 'button', ['Add an entry', 'Submit', 'Reopen', 'Approve', 'Cancel'], 'write:stock'],
      [`/shipments/${shipment.id}`, 'button', ['Ship', 'Deliver', 'Cancel'], 'write:orders'],
      [`/products/${id}`, 'button', ['Edit', 'Deactivate'], 'write:products'],
      [`/products/${id}`, 'button', ['Set stock', 'Adjust stock', 'Transfer'], 'write:stock'],
      ['/stock', 'button', ['Adjust stock of Tea', 'Transfer Tea'], 'write:stock'],
      ['/locations', 'button', ['New warehouse', 'Edit A'], 'write:stock'],
      ['/movements', 'button', [], ''],
      ['/picking', 'button', ['Assign SHOP-1', 'Cancel flow SHOP-1'], 'write:orders'],
      [`/picking/${flow.id}`, 'button', ['Assign SHOP-1', 'Cancel flow SHOP-1', 'Undo Tea from A'], 'write:orders'],
      ['/locations/labels', 'button', [], ''],
      ['/reservations', 'button', [], ''],
      ['/reservations?show=holds', 'button', ['Release cart-81'], 'write:orders'],
      ['/settings', 'button', ['Save policy', 'Save weight barcodes'], 'admin'],
    ]
    for (const [path, role, names, scope] of writes) {
      await goToScreen(page, path)
      expect([path, await page.getByRole('alert').count()]).toEqual([path, 0])
      for (const name of names) {
        const act = page.getByRole(role, { name, exact: true })
        await act.waitFor()
        expect([name, await act.isDisabled()]).toEqual([name, true])
        const reason = await act.getAttribute('aria-describedby')
        expect(await page.locator(`[id="${reason}"]`).textContent()).toBe(`This key lacks ${scope}`)
      }
    }
    await page.goto('/dashboard/stock')
    const level = page.getByRole('gridcell', { name: '3', exact: true }).last()
    await level.focus()
    await page.keyboard.press('Enter')
    expect(await page.getByRole('grid').getByRole('spinbutton').count()).toBe(0)
    // What it cannot read says so, and leads nowhere.
    window.expectComplaint(/403/)
    await page.goto('/dashboard/keys')
    await page.getByRole('alert').getByText('This key lacks admin').waitFor()
  })

  it('links to no record that the key cannot read', async ({ window: { page }, tenant }) => {
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 3 }] })
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-01', order_detail: [{ barcode: '1', quantity: 1 }] }
    const [{ id: orderId }] = (await seed(tenant, '/orders', order)).orders
    const flow = await seed(tenant, '/flows', { order_id: orderId, operator_email: 'ada@example.com' })
    await seed(tenant, `/flows/${flow.id}/picks`, { barcode: '1', location_id: 'A', quantity: 1 })
    await signIn(page, await tenant.createKey({ name: 'stock', scopes: ['read:stock'] }), '/movements')
    const movement = page.getByRole('table', { name: 'Movements' }).getByRole('row').nth(1)
    await movement.getByRole('cell', { name: 'Tea' }).waitFor()
    expect(await movement.getByRole('cell').nth(8).textContent()).toBe(String(orderId))
    expect(await movement.getByRole('link').count()).toBe(0)
    await goToScreen(page, '/stock')
    await page.getByRole('gridcell', { name: 'Tea', exact: true }).waitFor()
    expect(await page.getByRole('grid').getByRole('link').count()).toBe(0)
  })
})

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { it } from '../support/browser.ts'
import { focusedHeading, focusedName, tabTo } from '../support/keyboard.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'

async function press(page: Page, name: string, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

it('by keyboard alone: filter, create, copy as curl, edit, release and cancel an order', async ({ window, tenant }) => {
  await seed(tenant, '/products', { name: 'Green tea', barcode: '1', sku: 'TEA' })
  const order = { order_tenant_id: 'SHOP-0', assembly_date: '2030-01-15', order_detail: [{ barcode: '1', quantity: 1 }] }
  await seed(tenant, '/orders', { ...order, customer_name: 'Grace' })
  const { page } = window
  await signIn(page, tenant.key, '/orders')
  await page.getByText('1 order', { exact: true }).waitFor()
  await press(page, 'Released', 'Space')
  await page.getByText('No orders match').waitFor()
  await press(page, 'Clear filters')
  await page.getByText('1 order', { exact: true }).waitFor()
  // The button is gone: Tab goes on from the heading.
  await expect.poll(() => focusedHeading(page)).toBe('Orders')

  await press(page, 'New order')
  await page.getByRole('heading', { level: 1, name: 'New order' }).waitFor()
  await typeInto(page, 'Order identifier', 'SHOP-1')
  await typeInto(page, 'Customer', 'Ada')
  await typeInto(page, 'Add a product', 'green')
  await page.getByRole('option', { name: 'Green tea' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('spinbutton', { name: 'Quantity of Green tea' }).waitFor()
  // The next product can be typed or scanned at once.
  await expect.poll(() => focusedName(page)).toBe('Add a product')
  await tabTo(page, 'Quantity of Green tea', 'Shift+Tab')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('3')
  await press(page, 'Create order')
  await page.getByRole('heading', { level: 1, name: 'Order SHOP-1' }).waitFor()

  await press(page, 'Copy as curl')
  await expect.poll(() => clipboardOf(page)).toMatch(/^curl '/)
  await press(page, 'Edit')
  await typeInto(page, 'Customer', 'Ada Lovelace')
  await press(page, 'Save')
  await page.getByRole('status').getByText('Saved order SHOP-1').last().waitFor()
  await expect.poll(() => focusedHeading(page)).toBe('Order SHOP-1')
  await press(page, 'Release')
  await page.getByRole('status').getByText('Released order SHOP-1').last().waitFor()
  await press(page, 'Cancel order')
  await page.getByRole('dialog', { name: 'Cancel order' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focusedName(page)).toBe('Cancel order')
  await page.keyboard.press('Enter')
  await expect.poll(() => focusedName(page)).toBe('Reason')
  await page.keyboard.type('changed mind')
  await press(page, 'Cancel order SHOP-1')
  await page.getByRole('status').getByText('Cancelled order SHOP-1').last().waitFor()
  await expect.poll(() => focusedHeading(page)).toBe('Order SHOP-1')
  const { body } = await tenant.request('GET', '/orders?order_tenant_id=SHOP-1')
  expect(body.data.orders).toMatchObject([{ customer_name: 'Ada Lovelace', state_id: 7, items_count: 1 }])
})

it('by keyboard alone: edit a product, set a level in the grid, adjust below zero, transfer', async ({ window, tenant }) => {
  window.expectComplaint(/40[04]/)
  const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1', sku: 'TEA' })
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-01', quantity: 5 }] })
  const { page } = window
  await signIn(page, tenant.key, '/stock')
  const grid = page.getByRole('grid', { name: 'Stock levels' })
  await grid.waitFor()
  await tabTo(page, '5')
  await page.keyboard.press('Enter')
  await page.keyboard.type('9')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Tea at A-01: 9').last().waitFor()
  await expect.poll(() => focusedName(page)).toBe('9')

  await page.goto(`/dashboard/products/${id}`)
  await page.getByRole('heading', { level: 1, name: 'Tea' }).waitFor()
  await page.getByText('2 movements', { exact: true }).waitFor()
  await press(page, 'Edit')
  await typeInto(page, 'Name', 'Green tea')
  await press(page, 'Save')
  await page.getByRole('heading', { level: 1, name: 'Green tea' }).waitFor()
  await press(page, 'Adjust stock')
  await expect.poll(() => focusedName(page)).toBe('Location')
  await page.keyboard.type('A-01')
  await typeInto(page, 'Change', '-10')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Adjust stock' })
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByRole('spinbutton', { name: 'Change' }).getAttribute('aria-invalid')).toBe('true')
  await tabTo(page, 'Change', 'Shift+Tab')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('-4')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Green tea at A-01: 5').last().waitFor()
  await expect.poll(() => focusedName(page)).toBe('Adjust stock')

  await press(page, 'Transfer')
  await expect.poll(() => focusedName(page)).toBe('From')
  await page.keyboard.type('A-01')
  await typeInto(page, 'To', 'B-01')
  await typeInto(page, 'Quantity', '2')
  await page.keyboard.press('Enter')
  await expect.poll(() => focusedName(page)).toBe('Create location B-01')
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Moved 2 of Green tea').last().waitFor()
  const stock: { location_id: string; quantity: number }[] = (await tenant.request('GET', `/products/${id}`)).body.data.stock
  expect(stock.map(({ location_id, quantity }) => [location_id, quantity])).toEqual([
    ['A-01', 3],
    ['B-01', 2],
  ])
})

it('by keyboard alone: assign a flow, undo a pick, cancel the flow', async ({ window, tenant }) => {
  const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-01', quantity: 5 }] })
  await seed(tenant, '/operators', { name: 'Grace', email: 'grace@example.com' })
  const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-15', order_detail: [{ barcode: '1', quantity: 2 }] }
  const { orders } = await seed(tenant, '/orders', order)
  const flow = await seed(tenant, '/flows', { order_id: orders[0].id, operator_email: 'ada@example.com' })
  await seed(tenant, `/flows/${flow.id}/picks`, { barcode: '1', location_id: 'A-01', quantity: 2 })
  const { page } = window
  await signIn(page, tenant.key, '/orders')
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await expect.poll(() => focusedHeading(page)).toBe('Picking')
  await page.getByRole('table', { name: 'Running' }).waitFor()
  await press(page, 'Assign SHOP-1')
  await expect.poll(() => focusedName(page)).toBe('Operator')
  await page.keyboard.type('gra')
  await page.getByRole('option', { name: 'Grace' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await press(page, 'Assign')
  await page.getByRole('status').getByText('SHOP-1 is with grace@example.com now').last().waitFor()
  await expect.poll(() => focusedName(page)).toBe('Assign SHOP-1')

  await tabTo(page, 'SHOP-1', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect.poll(() => focusedHeading(page)).toBe('Picking SHOP-1')
  await press(page, 'Undo Tea from A-01')
  await press(page, 'Undo pick')
  await page.getByRole('status').getByText('Undid the pick of Tea').last().waitFor()
  await expect.poll(() => focusedHeading(page)).toBe('Picking SHOP-1')
  await press(page, 'Cancel flow SHOP-1')
  await expect.poll(() => focusedName(page)).toBe('Reason')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Cancelled the picking of SHOP-1').last().waitFor()
  await expect.poll(() => focusedHeading(page)).toBe('Picking SHOP-1')
  expect((await tenant.request('GET', `/flows/${flow.id}`)).body.data.state).toBe('cancelled')
})

import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { atMost } from '../../support/patience.ts'
import { reserve } from '../../support/reservations.ts'
import { axe } from '../support/axe.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'

/** A product with stock by location. */
async function stocked(tenant: TestTenant, name: string, levels: Record<string, number>): Promise<number> {
  const { id } = await seed(tenant, '/products', { name, barcode: `barcode of ${name}`, sku: `SKU of ${name}` })
  const updates = Object.entries(levels).map(([location_id, quantity]) => ({ product_id: id, location_id, quantity }))
  await seed(tenant, '/stock/bulk', { updates })
  return id
}

/** An order of these products, by name. */
async function ordered(tenant: TestTenant, order_tenant_id: string, lines: Record<string, number>): Promise<number> {
  const order_detail = Object.entries(lines).map(([name, quantity]) => ({ barcode: `barcode of ${name}`, quantity }))
  const { orders } = await seed(tenant, '/orders', { order_tenant_id, assembly_date: '2030-01-01', order_detail })
  return orders[0].id
}

const headersOf = (table: Locator): Promise<string[]> => table.getByRole('columnheader').allTextContents()

/** The texts of a row by the headers of its columns. */
async function rowOf(table: Locator, text: string): Promise<Record<string, string>> {
  const row = table.getByRole('row').filter({ hasText: text })
  await row.waitFor()
  const cells = await row.locator('td').allInnerTexts()
  return Object.fromEntries((await headersOf(table)).map((header, column) => [header, cells[column] ?? '']))
}

const orderTable = (page: Page, name: string): Locator => page.getByRole('table', { name, exact: true })

describe('while the tenant does not reserve', () => {
  it('no screen tells of reservations, and the list of them says why and leads to the policy', async ({
    window: { page },
    tenant,
  }) => {
    const id = await stocked(tenant, 'Tea', { 'A-01': 5 })
    const order = await ordered(tenant, 'SHOP-1', { Tea: 2 })
    await signIn(page, tenant.key, '/stock')
    await page.getByRole('gridcell', { name: 'Tea', exact: true }).waitFor()
    expect(await headersOf(page.getByRole('grid'))).not.toContain('Available')
    await page.goto(`/dashboard/products/${id}`)
    await page.getByRole('heading', { name: 'Stock by location' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Availability' }).count()).toBe(0)
    await page.goto('/dashboard/orders')
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor()
    expect(await headersOf(orderTable(page, 'Orders'))).not.toContain('Reservation')
    expect(await page.getByRole('button', { name: 'Reservation', exact: true }).count()).toBe(0)
    await page.goto(`/dashboard/orders/${order}`)
    await page.getByText('Ready to pick', { exact: true }).waitFor()
    expect(await headersOf(orderTable(page, 'Lines'))).not.toContain('Waiting')
    await page.goto('/dashboard/reservations')
    await page.getByText('The reservation policy is Off: orders reserve nothing.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Choose a policy' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  })

  it('an order over the API does not read an open screen of stock again', async ({ window: { page }, tenant }) => {
    await stocked(tenant, 'Tea', { 'A-01': 5 })
    const pulse = (status: number) =>
      page.waitForResponse((response) => response.url().endsWith('/dashboard/pulse') && response.status() === status)
    const known = pulse(304)
    await signIn(page, tenant.key, '/stock')
    await known
    const reads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/stock')) reads.push(request.url())
    })
    const told = pulse(200)
    await ordered(tenant, 'SHOP-1', { Tea: 2 })
    await told
    await pulse(304)
    expect(reads).toEqual([])
  })
})

describe('while the tenant reserves', () => {
  it('the stock of products shows what is available, reserved and incoming, and who has reserved it', async ({
    window: { page },
    tenant,
  }) => {
    const id = await stocked(tenant, 'Tea', { 'A-01': 5, 'Q-01': 1, 'N-01': 4 })
    await stocked(tenant, 'Coffee', { 'A-01': 7 })
    await seed(tenant, '/locations/Q-01', { sellable: false }, 'PUT')
    const north = await seed(tenant, '/warehouses', { name: 'North' })
    await seed(tenant, '/locations/N-01', { warehouse_id: north.id }, 'PUT')
    await reserve(tenant, 'track')
    const order = await ordered(tenant, 'SHOP-1', { Tea: 2 })
    await seed(tenant, '/holds', { reference: 'cart-81', lines: [{ product_id: id, quantity: 1 }] })
    await signIn(page, tenant.key, '/stock')
    const grid = page.getByRole('grid', { name: 'Stock levels' })
    expect(await rowOf(grid, 'SKU of Tea')).toMatchObject({ Total: '10', Available: '6', Reserved: '3', Incoming: '0' })
    // The level stays the cell where the keyboard begins.
    await page.getByRole('gridcell', { name: '5', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('6')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Tea at A-01: 6').last().waitFor()
    await expect.poll(() => rowOf(grid, 'SKU of Tea')).toMatchObject({ Available: '7', Reserved: '3' })

    await grid.getByRole('link', { name: '3 reserved of Tea' }).click()
    await page.getByRole('heading', { name: 'Reservations', level: 1 }).waitFor()
    const table = orderTable(page, 'Reservations')
    expect(await rowOf(table, 'SHOP-1')).toMatchObject({ Reserved: '2', Waiting: '0', 'Assembly date': 'Jan 1, 2030' })
    expect(await rowOf(table, 'Hold cart-81')).toMatchObject({ Reserved: '1' })
    await page.getByText('2 reservations', { exact: true }).waitFor()
    await table.getByRole('link', { name: 'SHOP-1' }).click()
    await page.waitForURL(`**/orders/${order}`)

    await page.goto(`/dashboard/products/${id}`)
    const availability = orderTable(page, 'Availability')
    expect(await rowOf(availability, 'North')).toMatchObject({ 'On hand': '4', Available: '4', Reserved: '0' })
    expect(await rowOf(availability, 'All warehouses')).toMatchObject({
      'On hand': '11',
      'Not for sale': '1',
      Reserved: '3',
      'By holds': '1',
      Available: '7',
      Waiting: '0',
    })
    await availability
      .getByRole('row', { name: /^North/ })
      .getByRole('link')
      .click()
    await page.getByText('No reservations match').waitFor()
    expect(new URL(page.url()).search).toBe(`?product_id=${id}&warehouse_id=${north.id}`)
  })

  it('an order over the API is in what is available on open screens within 4 s', async ({ window: { page }, tenant }) => {
    const id = await stocked(tenant, 'Tea', { 'A-01': 5, 'N-01': 4 })
    const north = await seed(tenant, '/warehouses', { name: 'North' })
    await seed(tenant, '/locations/N-01', { warehouse_id: north.id }, 'PUT')
    await reserve(tenant, 'track')
    await signIn(page, tenant.key, '/stock')
    const soon = { timeout: atMost(4_000) }
    const grid = page.getByRole('grid', { name: 'Stock levels' })
    expect(await rowOf(grid, 'SKU of Tea')).toMatchObject({ Available: '9', Reserved: '0' })
    const order = await ordered(tenant, 'SHOP-1', { Tea: 2 })
    await expect.poll(() => rowOf(grid, 'SKU of Tea'), soon).toMatchObject({ Available: '7', Reserved: '2' })
    await page.goto(`/dashboard/products/${id}`)
    const availability = orderTable(page, 'Availability')
    expect(await rowOf(availability, 'All warehouses')).toMatchObject({ Available: '7', Reserved: '2' })
    await seed(tenant, `/orders/${order}/cancel`, {})
    await expect.poll(() => rowOf(availability, 'All warehouses'), soon).toMatchObject({ Available: '9', Reserved: '0' })
    await expect.poll(() => availability.getByRole('link', { name: '2 reserved of Tea' }).count(), soon).toBe(0)
  })

  it('an order shows what of it is reserved and what waits, and why it cannot be picked now, with the ways to mend it', async ({
    window: { page },
    tenant,
  }) => {
    const tea = await stocked(tenant, 'Tea', { 'A-01': 3, 'N-01': 4 })
    await stocked(tenant, 'Coffee', { 'A-01': 2, 'Q-01': 5 })
    await seed(tenant, '/locations/Q-01', { pickable: false }, 'PUT')
    const north = await seed(tenant, '/warehouses', { name: 'North' })
    await seed(tenant, '/locations/N-01', { warehouse_id: north.id }, 'PUT')
    await reserve(tenant, 'track')
    const first = await ordered(tenant, 'SHOP-1', { Tea: 2 })
    const hold = await seed(tenant, '/holds', { reference: 'cart-81', lines: [{ product_id: tea, quantity: 1 }] })
    const order = await ordered(tenant, 'SHOP-2', { Tea: 3, Coffee: 4 })
    await signIn(page, tenant.key, `/orders/${order}`)
    const lines = orderTable(page, 'Lines')
    expect(await rowOf(lines, 'Tea')).toMatchObject({ Ordered: '3', Picked: '0', Reserved: '0', Waiting: '3' })
    expect(await rowOf(lines, 'Coffee')).toMatchObject({ Reserved: '4', Waiting: '0' })
    await page.getByText('Waiting for stock', { exact: true }).waitFor()
    const reasons = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Why it cannot be picked now' }) })
    const [waiting, lying] = [reasons.getByRole('listitem').nth(0), reasons.getByRole('listitem').nth(1)]
    await waiting.getByText('Tea: 3 waiting for stock.').waitFor()
    await waiting.getByText('4 in North').waitFor()
    const hrefOf = (link: Locator): Promise<string | null> => link.getAttribute('href')
    expect(await hrefOf(waiting.getByRole('link', { name: '2 for order SHOP-1' }))).toBe(`/dashboard/orders/${first}`)
    expect(await hrefOf(waiting.getByRole('link', { name: `1 for hold ${hold.id}` }))).toBe(
      `/dashboard/reservations?hold_id=${hold.id}`,
    )
    expect(await hrefOf(waiting.getByRole('link', { name: 'Reservations of Tea' }))).toBe(
      `/dashboard/reservations?product_id=${tea}`,
    )
    expect(await hrefOf(waiting.getByRole('link', { name: 'Stock of Tea' }))).toBe(`/dashboard/products/${tea}`)
    await lying.getByText('Coffee: 2 only where nothing may be picked.').waitFor()
    expect(await hrefOf(lying.getByRole('link', { name: '2 at Q-01' }))).toBe('/dashboard/stock?location=Q-01')
    expect(await hrefOf(lying.getByRole('link', { name: 'Locations' }))).toBe('/dashboard/locations')
    expect(await axe(page)).toEqual([])
    await page.getByRole('main').getByRole('button', { name: 'Copy as curl' }).first().click()
    expect(await clipboardOf(page)).toContain(`/api/v1/orders/${order}/blockers'`)

    // Once the hold is released, stock comes and the shelf is opened, nothing is in the way.
    await seed(tenant, `/holds/${hold.id}`, undefined, 'DELETE')
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: tea, location_id: 'A-01', quantity: 9 }] })
    await seed(tenant, '/locations/Q-01', { pickable: true }, 'PUT')
    await page.reload()
    await page.getByText('Ready to pick', { exact: true }).waitFor()
    expect(await rowOf(lines, 'Tea')).toMatchObject({ Reserved: '3', Waiting: '0' })
    expect(await reasons.count()).toBe(0)

    const flow = await seed(tenant, '/flows', { order_id: order, operator_email: 'ada@example.com' })
    await page.reload()
    await reasons.getByText('ada@example.com is picking it.').waitFor()
    expect(await hrefOf(reasons.getByRole('link'))).toBe(`/dashboard/picking/${flow.id}`)
    await seed(tenant, `/orders/${order}/cancel`, {})
    await page.reload()
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
    await page.getByRole('heading', { name: 'Movements' }).waitFor()
    expect([await reasons.count(), await page.getByText('Ready to pick').count()]).toEqual([0, 0])
    expect(await headersOf(lines)).not.toContain('Waiting')
  })

  it('the list of orders shows and filters by the status', async ({ window: { page }, tenant }) => {
    await stocked(tenant, 'Tea', { 'A-01': 3 })
    await reserve(tenant, 'track')
    await ordered(tenant, 'SHOP-1', { Tea: 2 })
    await ordered(tenant, 'SHOP-2', { Tea: 2 })
    const over = await ordered(tenant, 'SHOP-3', { Tea: 2 })
    await seed(tenant, `/orders/${over}/cancel`, {})
    await signIn(page, tenant.key, '/orders')
    const orders = orderTable(page, 'Orders')
    expect((await rowOf(orders, 'SHOP-1')).Reservation).toBe('Reserved')
    expect((await rowOf(orders, 'SHOP-2')).Reservation).toBe('Waiting for stock')
    expect((await rowOf(orders, 'SHOP-3')).Reservation).toBe('–')
    await page.getByRole('button', { name: 'Reservation', exact: true }).click()
    await page.getByRole('option', { name: 'Waiting for stock' }).click()
    await page.getByText('1 order', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?reservation_status=backordered')
    await orders.getByRole('link', { name: 'SHOP-2' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('3 orders', { exact: true }).waitFor()
  })

  it('the list of reservations has the filters of the API in its address', async ({ window: { page }, tenant }) => {
    const tea = await stocked(tenant, 'Tea', { 'A-01': 3 })
    await stocked(tenant, 'Coffee', { 'A-01': 3 })
    await reserve(tenant, 'track')
    const order = await ordered(tenant, 'SHOP-1', { Tea: 5, Coffee: 1 })
    const hold = await seed(tenant, '/holds', { reference: 'cart-81', lines: [{ sku: 'SKU of Coffee', quantity: 2 }] })
    await signIn(page, tenant.key, '/reservations')
    const table = orderTable(page, 'Reservations')
    await page.getByText('3 reservations', { exact: true }).waitFor()
    expect(await rowOf(table, 'SKU of Tea')).toMatchObject({ For: 'SHOP-1', Reserved: '3', Waiting: '2' })
    const product = page.getByRole('combobox', { name: 'Product' })
    await product.fill('Tea')
    await page.getByRole('option', { name: 'Tea' }).click()
    await page.getByText('1 reservation', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe(`?product_id=${tea}`)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('spinbutton', { name: 'Order id' }).fill(String(order))
    await page.getByText('2 reservations', { exact: true }).waitFor()
    await page.getByRole('spinbutton', { name: 'Order id' }).fill('')
    await page.getByRole('spinbutton', { name: 'Hold id' }).fill(String(hold.id))
    await page.getByText('1 reservation', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'Warehouse' }).click()
    await page.getByRole('option').nth(1).click()
    await expect.poll(() => new URL(page.url()).searchParams.has('warehouse_id')).toBe(true)
    await page.getByText('3 reservations', { exact: true }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Copy as curl' }).first().click()
    expect(await clipboardOf(page)).toMatch(/^curl '[^']*\/api\/v1\/stock\/reservations\?warehouse_id=\d+&page=1&limit=50'/)
  })

  it('a hold is released after a question; what it kept is free', async ({ window: { page }, tenant }) => {
    const tea = await stocked(tenant, 'Tea', { 'A-01': 3 })
    await reserve(tenant, 'strict')
    const hold = await seed(tenant, '/holds', { reference: 'cart-81', lines: [{ product_id: tea, quantity: 2 }] })
    await seed(tenant, '/holds', { reference: 'cart-82', lines: [{ product_id: tea, quantity: 1 }] })
    await signIn(page, tenant.key, '/reservations')
    await page.getByRole('link', { name: 'Hold cart-81' }).click()
    const holds = orderTable(page, 'Holds')
    expect(await rowOf(holds, 'cart-81')).toMatchObject({ State: 'Active', Keeps: '2 × Tea' })
    await page.getByText('1 hold', { exact: true }).waitFor()
    await holds.getByRole('button', { name: 'Release cart-81' }).click()
    const dialog = page.getByRole('dialog', { name: 'Release cart-81' })
    await dialog.getByRole('button', { name: 'Copy as curl' }).click()
    expect(await clipboardOf(page)).toMatch(new RegExp(`^curl -X DELETE '[^']*/api/v1/holds/${hold.id}'`))
    await dialog.getByRole('button', { name: 'Release hold' }).click()
    await page.getByRole('status').getByText('Released cart-81').last().waitFor()
    await expect.poll(() => rowOf(holds, 'cart-81')).toMatchObject({ State: 'Released' })
    expect(await holds.getByRole('button', { name: 'Release cart-81' }).count()).toBe(0)
    const { body } = await tenant.request('GET', `/stock/availability?product_id=${tea}`)
    expect(body.data.availability[0]).toMatchObject({ held: 1, available: 2 })
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Active' }).click()
    await page.getByText('1 hold', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?show=holds&state=active')
    await page.getByRole('radiogroup', { name: 'Show' }).getByRole('radio', { name: 'Reservations' }).check({ force: true })
    await orderTable(page, 'Reservations').getByText('Hold cart-82').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })
})

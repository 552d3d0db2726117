import type { Route } from 'playwright-core'
import { describe, expect } from 'vitest'
import { axe } from '../support/axe.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { hold } from '../support/hold.ts'
import { seed, signIn } from '../support/page-server.ts'

async function stocked(tenant: TestTenant, name: string, levels: Record<string, number>): Promise<number> {
  const { id } = await seed(tenant, '/products', { name, barcode: `barcode of ${name}`, sku: `sku of ${name}` })
  const updates = Object.entries(levels).map(([location_id, quantity]) => ({ product_id: id, location_id, quantity }))
  await seed(tenant, '/stock/bulk', { updates })
  return id
}

async function levelsOf(tenant: TestTenant, id: number): Promise<Record<string, number>> {
  const { body } = await tenant.request('GET', `/products/${id}`)
  const stock: { location_id: string; quantity: number }[] = body.data.stock
  return Object.fromEntries(stock.map(({ location_id, quantity }) => [location_id, quantity]))
}

describe('products and stock', () => {
  it('is created, edited, deactivated and activated', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/409/)
    await stocked(tenant, 'Coffee', { A: 1 })
    await signIn(page, tenant.key, '/products/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Tea')
    await page.getByRole('textbox', { name: 'Barcode' }).fill('barcode of Coffee')
    await page.getByRole('spinbutton', { name: 'Price' }).fill('4.9')
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('alert').waitFor()
    const barcode = page.getByRole('textbox', { name: 'Barcode' })
    expect(await barcode.getAttribute('aria-invalid')).toBe('true')
    // The message is below its field, and the fields of a row stay in line.
    const tops = await page
      .getByRole('textbox', { name: /^(Name|Barcode)$/ })
      .evaluateAll((fields) => fields.map((field) => field.getBoundingClientRect().top))
    expect(new Set(tops).size).toBe(1)
    await barcode.fill('4006381333931')
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('heading', { name: 'Tea' }).waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Green tea')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Green tea' }).waitFor()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('status').getByText('Deactivated Green tea').last().waitFor()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByRole('button', { name: 'Deactivate' }).waitFor()
    const { body } = await tenant.request('GET', '/products?search=green')
    expect(body.data.products).toMatchObject([{ name: 'Green tea', price: 4.9, is_active: true }])
  })

  it('what is no number is not saved as an empty one, and no character of it is lost', async ({ window: { page }, tenant }) => {
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1', price: 4.9, cost: 3, minimum_threshold: 5 })
    await signIn(page, tenant.key, `/products/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const price = page.getByRole('spinbutton', { name: 'Price' })
    for (const text of ['4.9e', '3,5', '1.2.3', 'two']) {
      await price.fill('')
      await price.pressSequentially(text)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('This is not a number').waitFor()
      expect(await price.inputValue()).toBe(text)
    }
    expect(await price.evaluate((field) => [field.getAttribute('aria-invalid'), field === document.activeElement])).toEqual([
      'true',
      true,
    ])
    await price.fill('3.9')
    await price.press('ArrowUp')
    await page.getByRole('spinbutton', { name: 'Cost' }).fill('')
    await page.getByRole('spinbutton', { name: 'Minimum threshold' }).fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved Tea').last().waitFor()
    const { body } = await tenant.request('GET', `/products/${id}`)
    expect(body.data).toMatchObject({ price: 4.9, cost: null, minimum_threshold: null })
  })

  it('a quantity that is missing is said to be required, at its field', async ({ window, tenant }) => {
    window.expectComplaint(/400/)
    const { page } = window
    const id = await stocked(tenant, 'Tea', { A: 1 })
    await signIn(page, tenant.key, `/products/${id}`)
    await page.getByRole('button', { name: 'Set stock' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set stock' })
    await dialog.getByLabel('Location').fill('A')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await dialog.getByText('Is required', { exact: true }).waitFor()
    const quantity = dialog.getByRole('spinbutton', { name: 'Quantity' })
    expect(await quantity.getAttribute('aria-invalid')).toBe('true')
    await quantity.pressSequentially('1e')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await dialog.getByText('This is not a number').waitFor()
    await quantity.fill('7')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await expect.poll(() => levelsOf(tenant, id)).toEqual({ A: 7 })
  })

  it('shows all its fields, and edits those that can change', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/400/)
    const id = await stocked(tenant, 'Tea', { A: 1 })
    await signIn(page, tenant.key, `/products/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const numbers = ['Price', 'Cost', 'Weight', 'Width', 'Height', 'Depth', 'Minimum threshold', 'Reorder quantity', 'Sales unit']
    const unitOf = (name: string): Promise<string | undefined> =>
      page.getByRole('spinbutton', { name }).evaluate((field) => field.ariaDescribedByElements?.[0]?.textContent ?? undefined)
    expect(await Promise.all(numbers.map(unitOf))).toEqual([
      undefined,
      undefined,
      'kg',
      'cm',
      'cm',
      'cm',
      undefined,
      undefined,
      'base units',
    ])
    for (const [index, name] of numbers.entries()) await page.getByRole('spinbutton', { name }).fill(String(index + 1))
    await page.getByRole('textbox', { name: 'SKU' }).fill('TEA-G-100')
    await page.getByRole('textbox', { name: 'Category' }).fill('Tea leaves')
    await page.getByRole('textbox', { name: 'Description' }).fill('Picked in May')
    await page.getByRole('textbox', { name: 'Photo address' }).fill('http://photos.example/tea.jpg')
    const tolerance = page.getByRole('spinbutton', { name: 'Picking tolerance' })
    expect(await tolerance.count()).toBe(0)
    await page.getByRole('checkbox', { name: 'Sold by weight' }).check()
    await tolerance.fill('7.5')
    const unit = page.getByRole('spinbutton', { name: 'Sales unit' })
    await unit.fill('0')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => unit.getAttribute('aria-invalid')).toBe('true')
    await unit.fill('6')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved Tea').last().waitFor()
    const main = page.getByRole('main')
    const shown = async () =>
      Object.fromEntries(
        await Promise.all(
          (await main.locator('dl > div').all()).map(async (fact) => [
            await fact.locator('dt').textContent(),
            await fact.locator('dd').textContent(),
          ]),
        ),
      )
    // What was saved is read again.
    await expect.poll(shown).toMatchObject({
      Id: String(id),
      SKU: 'TEA-G-100',
      Barcode: 'barcode of Tea',
      Category: 'Tea leaves',
      Description: 'Picked in May',
      Price: '1.00',
      Cost: '2.00',
      Weight: '3 kg',
      'Width × height × depth': '4 × 5 × 6 cm',
      'Minimum threshold': '7',
      'Reorder quantity': '8',
      'Sales unit': '6 base units',
      'Sold by weight': 'Yes',
      'Picking tolerance': '7.5 %',
    })
    // The page loads pictures over https alone.
    const photo = main.getByRole('link', { name: 'Photo' })
    expect([await photo.getAttribute('href'), await photo.getAttribute('rel')]).toEqual([
      'http://photos.example/tea.jpg',
      'noreferrer noopener',
    ])
    expect((await tenant.request('GET', `/products/${id}`)).body.data).toMatchObject({
      weighable: true,
      pick_tolerance_percent: 7.5,
    })
    // Only goods that are sold by weight have a tolerance.
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('checkbox', { name: 'Sold by weight' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    await page.getByText('Picking tolerance').waitFor({ state: 'detached' })
    const saved = async () => {
      const { data } = (await tenant.request('GET', `/products/${id}`)).body
      return [data.sales_unit, data.weighable, data.pick_tolerance_percent]
    }
    await expect.poll(saved).toEqual([6, false, undefined])
  })

  it('has barcodes of packs, which are added and removed', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/409/)
    const id = await stocked(tenant, 'Tea', { A: 1 })
    await stocked(tenant, 'Salt', { A: 1 })
    await signIn(page, tenant.key, `/products/${id}`)
    const table = page.getByRole('table', { name: 'Barcodes' })
    await table.getByRole('row', { name: /barcode of Tea/ }).waitFor()
    await page.getByRole('button', { name: 'Add barcode' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a barcode of Tea' })
    const barcode = dialog.getByRole('textbox', { name: 'Barcode' })
    await barcode.fill('barcode of Salt')
    await dialog.getByRole('spinbutton', { name: 'Units' }).fill('12')
    await dialog.getByRole('textbox', { name: 'Name of the pack' }).fill('case of 12')
    await dialog.getByRole('button', { name: 'Add barcode' }).click()
    await expect.poll(() => barcode.getAttribute('aria-invalid')).toBe('true')
    expect(await axe(page)).toEqual([])
    await barcode.fill('pack/12')
    await dialog.getByRole('button', { name: 'Add barcode' }).click()
    await table.getByRole('row', { name: /pack\/12.*12.*case of 12/ }).waitFor()
    const listed = async () => (await tenant.request('GET', `/products/${id}/barcodes`)).body.data.barcodes
    expect(await listed()).toMatchObject([{ is_primary: true }, { barcode: 'pack/12', quantity: 12, name: 'case of 12' }])
    await page.getByRole('button', { name: 'Remove barcode pack/12' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove barcode' }).click()
    await page.getByRole('status').getByText('Removed barcode pack/12').last().waitFor()
    await expect.poll(() => table.getByRole('row').count()).toBe(2)
    expect(await listed()).toHaveLength(1)
  })

  it('is set in the grid by keyboard: Enter edits and saves, Esc undoes, arrows move', async ({ window, tenant }) => {
    const id = await stocked(tenant, 'Tea', { 'A-01': 5, 'B-01': 7 })
    window.expectComplaint(/400/)
    const { page } = window
    await signIn(page, tenant.key, '/stock')
    const grid = page.getByRole('grid', { name: 'Stock levels' })
    await grid.getByRole('gridcell', { name: '5', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Delete')
    await page.keyboard.press('Enter')
    await grid.getByText('quantity: is required').waitFor()
    for (const text of ['0x10', '3,5']) {
      await grid.getByRole('spinbutton').fill(text)
      await page.keyboard.press('Enter')
      await grid.getByText('This is not a number').waitFor()
    }
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.keyboard.type('8')
    await page.keyboard.press('Escape')
    await grid.getByRole('gridcell', { name: '5', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('12.5')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Tea at B-01: 12.5').last().waitFor()
    await grid.getByRole('gridcell', { name: '12.5', exact: true }).waitFor()
    expect(await levelsOf(tenant, id)).toEqual({ 'A-01': 5, 'B-01': 12.5 })
  })

  it('that changed meanwhile is shown as it is now, and set only when asked again', async ({ window, tenant }) => {
    const id = await stocked(tenant, 'Tea', { 'A-01': 5, 'B-01': 7 })
    const { page } = window
    window.expectComplaint(/409/)
    await signIn(page, tenant.key, '/stock')
    const grid = page.getByRole('grid', { name: 'Stock levels' })
    const edit = async (shown: string, typed: string) => {
      await grid.getByRole('gridcell', { name: shown, exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.keyboard.type(typed)
    }
    const elsewhere = (location_id: string, quantity: number) =>
      tenant.request('PUT', `/stock/product/${id}`, { location_id, quantity })
    await edit('5', '9')
    await elsewhere('A-01', 3)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The level is now 3.').waitFor()
    expect(await levelsOf(tenant, id)).toEqual({ 'A-01': 3, 'B-01': 7 })
    expect(await axe(page)).toEqual([])
    // The question is about the level that it showed.
    await elsewhere('A-01', 4)
    await page.getByRole('button', { name: 'Set to 9' }).click()
    await page.getByRole('alert').getByText('The level is now 4.').waitFor()
    await page.getByRole('spinbutton', { name: 'Tea at A-01' }).press('Enter')
    await page.getByRole('status').getByText('Tea at A-01: 9').last().waitFor()
    expect(await levelsOf(tenant, id)).toEqual({ 'A-01': 9, 'B-01': 7 })

    await edit('7', '8')
    await elsewhere('B-01', 6)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Keep 6' }).click()
    await grid.getByRole('gridcell', { name: '6', exact: true }).waitFor()
    expect(await levelsOf(tenant, id)).toEqual({ 'A-01': 9, 'B-01': 6 })
  })

  it('that is being saved stays in its field, whatever is pressed, until the server has responded', async ({
    window,
    tenant,
  }) => {
    const { page } = window
    window.expectComplaint(/409/)
    const id = await stocked(tenant, 'Tea', { 'A-01': 5, 'B-01': 7 })
    await signIn(page, tenant.key, '/stock')
    const grid = page.getByRole('grid', { name: 'Stock levels' })
    const field = grid.getByRole('spinbutton', { name: 'Tea at A-01' })
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.postDataJSON().quantity)
    })
    const typeMeanwhile = async (): Promise<void> => {
      for (const key of ['Escape', 'Enter', '9', '9', 'Enter']) await page.keyboard.press(key)
    }
    await grid.getByRole('gridcell', { name: '5', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('41')
    const first = await hold(page, 'PUT', `**/stock/product/${id}`)
    await page.keyboard.press('Enter')
    await first.isHeld
    await typeMeanwhile()
    expect([await field.inputValue(), await field.getAttribute('readonly')]).toEqual(['41', ''])
    await first.end()
    await field.waitFor({ state: 'detached' })
    await grid.getByRole('gridcell', { name: '41', exact: true }).waitFor()

    await page.keyboard.press('Enter')
    await page.keyboard.type('99')
    const second = await hold(page, 'PUT', `**/stock/product/${id}`)
    await page.keyboard.press('Enter')
    await second.isHeld
    await typeMeanwhile()
    await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A-01', quantity: 3 })
    await second.end()
    await page.getByRole('alert').getByText('The level is now 3.').waitFor()
    expect(await field.inputValue()).toBe('99')
    await field.press('Enter')
    await field.waitFor({ state: 'detached' })
    expect([sent, await levelsOf(tenant, id)]).toEqual([[41, 99, 99], { 'A-01': 99, 'B-01': 7 }])
  })

  it('that is edited stays when its product leaves the list, until it is saved or undone', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/409/)
    const id = await stocked(tenant, 'Tea', { 'A-01': 5 })
    await seed(tenant, `/products/${id}`, { minimum_threshold: 10 }, 'PUT')
    await signIn(page, tenant.key, '/stock?low=true')
    const grid = page.getByRole('grid', { name: 'Stock levels' })
    await grid.getByRole('gridcell', { name: '5', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('40')
    await seed(tenant, '/stock/adjustment', { product_id: id, location_id: 'A-01', adjustment_quantity: 50 })
    await page.getByText('0 products', { exact: true }).waitFor()
    expect(await grid.count()).toBe(1)
    expect(await grid.getByRole('spinbutton').inputValue()).toBe('40')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The level is now 55.').waitFor()
    await page.getByRole('button', { name: 'Keep 55' }).click()
    await page.getByText('No products match').waitFor()
    expect(await grid.count()).toBe(0)
  })

  it('is filtered by the code of a location, as people know it', async ({ window: { page }, tenant }) => {
    await stocked(tenant, 'Tea', { 'A-01': 5 })
    await stocked(tenant, 'Coffee', { 'B-01': 7 })
    await seed(tenant, '/locations/A-01', { code: 'Shelf 1' }, 'PUT')
    await signIn(page, tenant.key, '/stock')
    await page.getByText('2 products', { exact: true }).waitFor()
    const location = page.getByRole('combobox', { name: 'Location' })
    // In line with the fields beside it.
    expect((await location.boundingBox())?.y).toBe(
      (await page.getByRole('searchbox', { name: 'Search products' }).boundingBox())?.y,
    )
    await location.fill('Shelf 1')
    await location.press('Enter')
    await page.getByText('1 product', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?location=A-01')
    await page.reload()
    await expect.poll(() => location.inputValue()).toBe('Shelf 1')

    // Chosen before the locations are read.
    const { promise: isChosen, resolve: choose } = Promise.withResolvers<void>()
    await page.route('**/api/v1/locations?*', async (route) => {
      await isChosen
      await route.continue()
    })
    await page.goto('/dashboard/stock')
    await location.fill('Shelf 1')
    await location.press('Enter')
    await page.getByText('0 products', { exact: true }).waitFor()
    choose()
    await page.getByText('1 product', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?location=A-01')
  })

  it('is shown for one product as of a past day', async ({ window, tenant }) => {
    const { id } = await seed(tenant, '/products', { name: 'Green tea', barcode: '1', sku: 'TEA-1' })
    await seed(tenant, '/products', { name: 'Coffee', barcode: '2', sku: 'COF-1' })
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-01', quantity: 7 }] })
    const { page } = window
    await signIn(page, tenant.key, '/stock')
    const today = new Date().toISOString().slice(0, 10)
    await page.getByLabel('As of').fill(today)
    await page.getByText('Search for a single product to see its stock at the end of a day.').waitFor()
    await page.getByRole('searchbox', { name: 'Search products' }).fill('Green')
    const levels = page.getByRole('table', { name: 'Stock by location' })
    await levels.getByRole('cell', { name: '7', exact: true }).waitFor()
    await page.getByLabel('As of').fill('2020-01-01')
    await page.getByText('There was no stock of this product.').waitFor()
    expect(new URL(page.url()).searchParams.get('as_of')).toBe('2020-01-01')
  })

  it("shows the server's message beside the field when more is removed than there is, and keeps what was typed", async ({
    window,
    tenant,
  }) => {
    const id = await stocked(tenant, 'Tea', { 'A-01': 5 })
    const { page } = window
    window.expectComplaint(/400/)
    await seed(tenant, '/locations', { id: 'B-01' })
    await signIn(page, tenant.key, `/products/${id}`)
    await page.getByRole('button', { name: 'Adjust stock' }).click()
    const dialog = page.getByRole('dialog', { name: 'Adjust stock' })
    await dialog.getByRole('textbox', { name: 'Location' }).fill('A-01')
    const change = dialog.getByRole('spinbutton', { name: 'Change' })
    await change.fill('-6')
    await dialog.getByRole('button', { name: 'Adjust', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await change.getAttribute('aria-invalid')).toBe('true')
    expect(await dialog.getByRole('textbox', { name: 'Location' }).inputValue()).toBe('A-01')
    await change.fill('-2')
    await dialog.getByRole('button', { name: 'Adjust', exact: true }).click()
    await page.getByRole('status').getByText('Tea at A-01: 3').last().waitFor()

    await page.getByRole('button', { name: 'Transfer' }).click()
    const transfer = page.getByRole('dialog', { name: 'Transfer' })
    await transfer.getByRole('textbox', { name: 'From' }).fill('A-01')
    await transfer.getByRole('textbox', { name: 'To' }).fill('B-01')
    await transfer.getByRole('spinbutton', { name: 'Quantity' }).fill('1')
    await transfer.getByRole('button', { name: 'Transfer' }).click()
    await page.getByRole('status').getByText('Moved 1 of Tea').last().waitFor()
    expect(await levelsOf(tenant, id)).toEqual({ 'A-01': 2, 'B-01': 1 })
    await page.getByText('4 movements', { exact: true }).waitFor()
  })
})

describe('search', () => {
  it('finds an order and a product from the keyboard', async ({ window, tenant }) => {
    await stocked(tenant, 'Green tea', { A: 1 })
    const order = {
      order_tenant_id: 'SHOP-77',
      assembly_date: '2030-01-01',
      order_detail: [{ barcode: 'barcode of Green tea', quantity: 1 }],
    }
    await seed(tenant, '/orders', order)
    const { page } = window
    await signIn(page, tenant.key, '/keys')
    await page.keyboard.press('Control+k')
    const field = page
      .getByRole('dialog', { name: 'Search' })
      .getByRole('combobox', { name: 'Search orders, products and pages' })
    await field.pressSequentially('SHOP-77')
    await page.getByRole('option', { name: 'SHOP-77' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Order SHOP-77' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByRole('heading', { name: 'Products' }).waitFor()
    await page.keyboard.press('`')
    await page
      .getByRole('dialog', { name: 'Requests' })
      .getByRole('table')
      .getByText('GET /api/v1/products', { exact: false })
      .first()
      .waitFor()
  })

  it('finds a product by the barcode of a pack, by a GS1 code and by the GTIN in another length, as a scanner types them', async ({
    window,
    tenant,
  }) => {
    const { page } = window
    window.expectComplaint(/404/)
    const { id } = await seed(tenant, '/products', { name: 'Green tea', barcode: '4006381333931' })
    await seed(tenant, `/products/${id}/barcodes`, { barcode: '14006381333938', quantity: 12 })
    await seed(tenant, `/products/${id}/barcodes`, { barcode: 'BOX-7', quantity: 6 })
    await signIn(page, tenant.key, '/keys')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    for (const code of ['14006381333938', 'BOX-7', '(01)14006381333938(10)L-7', '04006381333931']) {
      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
      await page.keyboard.press('Control+k')
      await dialog.waitFor()
      await page.keyboard.type(code)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Green tea' }).waitFor()
      await page.goBack()
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('BOX-8')
    await dialog.getByText('Nothing matches BOX-8.').waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(0)
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').getByText('Nothing matches BOX-8.').waitFor()
    await page.keyboard.type('BOX-9')
    await dialog.getByText('Nothing matches BOX-9.').waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(0)
  })

  it('says why it could not search rather than that nothing matches, and searches again with Enter', async ({
    window,
    tenant,
  }) => {
    window.expectComplaint(/429|ERR_FAILED/)
    const { page } = window
    await stocked(tenant, 'Green tea', { A: 1 })
    await signIn(page, tenant.key, '/keys')
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    const error = { code: 'rate_limit_exceeded', message: 'Too many requests. Retry in 9 s.' }
    for (const [text, said, fail] of [
      ['SHOP', error.message, (route: Route) => route.fulfill({ status: 429, json: { success: false, error } })],
      ['Green', 'No connection to the server', (route: Route) => route.abort()],
    ] as const) {
      await page.route('**/api/v1/orders?*', fail)
      await dialog.getByRole('combobox').fill(text)
      await dialog.getByText(said).waitFor()
      expect([await dialog.getByRole('alert').count(), await dialog.getByText('Nothing matches').count()]).toEqual([0, 0])
      await page.keyboard.press('Enter')
      await dialog.getByRole('alert').getByText(said).waitFor()
      await page.unroute('**/api/v1/orders?*')
      if (text === 'SHOP') {
        await page.keyboard.press('Enter')
        await dialog.getByRole('alert').getByText('Nothing matches SHOP.').waitFor()
      }
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Green tea' }).waitFor()
  })
})

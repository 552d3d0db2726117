import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it, type TestTenant } from '../support/browser.ts'
import { focusedName } from '../support/keyboard.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'
import { answerUnsaved } from '../support/unsaved.ts'

const TODAY = '2030-01-15'

async function newProduct(tenant: TestTenant, name: string): Promise<string> {
  const barcode = `barcode of ${name}`
  await seed(tenant, '/products', { name, barcode, sku: `sku of ${name}` })
  return barcode
}

async function newOrder(tenant: TestTenant, order_tenant_id: string, barcode: string, more: object = {}): Promise<number> {
  const order = { order_tenant_id, assembly_date: TODAY, order_detail: [{ barcode, quantity: 2 }], ...more }
  return (await seed(tenant, '/orders', order)).orders[0].id
}

const orderLinks = (page: Page): Promise<string[]> =>
  page.getByRole('table', { name: 'Orders' }).getByRole('link').allTextContents()

describe('orders', () => {
  it('are filtered; the address shows another browser the same list and the exact total; Back undoes one filter', async ({
    window,
    openWindow,
    tenant,
  }) => {
    const barcode = await newProduct(tenant, 'Tea')
    for (const number of [1, 2, 3])
      await newOrder(tenant, `SHOP-${number}`, barcode, { customer_name: number === 3 ? 'Grace' : 'Ada' })
    const released = await newOrder(tenant, 'SHOP-4', barcode, { customer_name: 'Ada' })
    await seed(tenant, `/orders/${released}`, { state_id: 2 }, 'PUT')
    const { page } = window
    await signIn(page, tenant.key, '/orders')
    await page.getByText('4 orders', { exact: true }).waitFor()
    await page.getByRole('group', { name: 'State' }).getByRole('checkbox', { name: 'Pending' }).check()
    await page.getByText('3 orders', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Customer' }).fill('Ada')
    await page.getByText('2 orders', { exact: true }).waitFor()
    expect(await orderLinks(page)).toEqual(['SHOP-2', 'SHOP-1'])

    const other = await openWindow()
    await signIn(other.page, tenant.key, new URL(page.url()).pathname.replace('/dashboard', '') + new URL(page.url()).search)
    await other.page.getByText('2 orders', { exact: true }).waitFor()
    expect(await orderLinks(other.page)).toEqual(['SHOP-2', 'SHOP-1'])

    await page.goBack()
    await page.getByText('3 orders', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('4 orders', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('')

    // Another filter is another list, which begins with its first page.
    await page.goto('/dashboard/orders?page=2')
    await page.getByRole('textbox', { name: 'Customer' }).fill('Ada')
    await page.getByText('3 orders', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?customer=Ada')
  })

  it('take the product whose barcode or SKU is scanned, however many others contain it', async ({ window, tenant }) => {
    const { page } = window
    const products = Array.from({ length: 12 }, (_, index) => ({
      barcode: `1${index}`,
      name: `Other ${index}`,
      sku: `TEA-1${index}`,
    }))
    await seed(tenant, '/products/bulk', {
      products: [{ barcode: '1', name: 'Tea' }, { barcode: 'x', name: 'Mate', sku: 'TEA-1' }, ...products],
    })
    await signIn(page, tenant.key, '/orders/new')
    const field = page.getByRole('combobox', { name: 'Add a product' })
    window.expectComplaint(/404/)
    // Nothing is found: no empty list covers the hint.
    await field.fill('zzz')
    await page.locator('[role=listbox][data-empty]').waitFor({ state: 'attached' })
    await expect.poll(() => page.getByRole('listbox').count()).toBe(0)
    for (const [text, name] of [
      ['1', 'Tea'],
      ['TEA-1', 'Mate'],
    ] as const) {
      await field.fill(text)
      await field.press('Enter')
      await page.getByRole('spinbutton', { name: `Quantity of ${name}` }).waitFor()
    }
    await field.fill('TEA')
    await field.press('Enter')
    await page.getByText('No product has the name, SKU or barcode TEA').waitFor()
  })

  it('keep a dialog that is open, and what was typed there, when the order is read again', async ({ window, tenant }) => {
    const order = await newOrder(tenant, 'SHOP-1', await newProduct(tenant, 'Tea'))
    const { page } = window
    await signIn(page, tenant.key, `/orders/${order}`)
    const isTyped = Promise.withResolvers<undefined>()
    await page.getByRole('button', { name: 'Release' }).waitFor()
    // A slow network: the released order comes after the dialog was opened.
    await page.route(`**/orders/${order}`, async (route) => {
      if (route.request().method() === 'GET') await isTyped.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('status').getByText('Released order SHOP-1').last().waitFor()
    await page.getByRole('button', { name: 'Cancel order' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('changed mind')
    isTyped.resolve(undefined)
    await page.locator('header').getByText('Released', { exact: true }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('changed mind')
    await page.keyboard.press('Escape')
    await answerUnsaved(page, 'Discard')
    await expect.poll(() => focusedName(page)).toBe('Cancel order')
  })

  it('takes the scans of a wedge: each adds one, and an unknown code is named', async ({ window, tenant }) => {
    const tea = await newProduct(tenant, 'Tea')
    const cup = await newProduct(tenant, 'Cup')
    const { page } = window
    window.expectComplaint(/404/)
    await signIn(page, tenant.key, '/orders/new')
    const field = page.getByRole('combobox', { name: 'Add a product' })
    await field.click()
    const scan = async (code: string, quantity: string): Promise<void> => {
      await page.keyboard.type(code)
      await page.keyboard.press('Enter')
      const name = code.replace('barcode of ', '')
      await expect.poll(() => page.getByRole('spinbutton', { name: `Quantity of ${name}` }).inputValue()).toBe(quantity)
      await expect.poll(() => field.inputValue()).toBe('')
    }
    await scan(tea, '1')
    await scan(tea, '2')
    await scan(cup, '1')
    await page.keyboard.type('4711')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('No product has the name, SKU or barcode 4711').waitFor()
    await scan(cup, '2')
  })

  it('keep a quantity that cannot be read when its product is scanned again, and say that the scan was not added', async ({
    window: { page },
    tenant,
  }) => {
    const tea = await newProduct(tenant, 'Tea')
    await signIn(page, tenant.key, '/orders/new')
    const scan = async (): Promise<void> => {
      await page.getByRole('combobox', { name: 'Add a product' }).click()
      await page.keyboard.type(tea)
      await page.keyboard.press('Enter')
    }
    await scan()
    const quantity = page.getByRole('spinbutton', { name: 'Quantity of Tea' })
    await quantity.fill('3,5')
    await scan()
    const said = '1 × Tea not added: the quantity 3,5 is not a number. Correct it and scan again.'
    await page.getByRole('status').getByText(said).last().waitFor()
    await page.getByRole('alert').getByText('This is not a number').waitFor()
    expect([await quantity.inputValue(), await quantity.getAttribute('aria-invalid')]).toEqual(['3,5', 'true'])
    await quantity.fill('3.5')
    await expect.poll(() => quantity.getAttribute('aria-invalid')).toBe(null)
    await scan()
    await expect.poll(() => quantity.inputValue()).toBe('4.5')
  })

  it('are sent after a lookup as they are then: what was mistyped meanwhile is not', async ({ window: { page }, tenant }) => {
    const [tea, cup] = [await newProduct(tenant, 'Tea'), await newProduct(tenant, 'Cup')]
    await signIn(page, tenant.key, '/orders/new')
    await page.getByRole('textbox', { name: 'Order identifier' }).fill('SHOP-1')
    const field = page.getByRole('combobox', { name: 'Add a product' })
    await field.fill(tea)
    await field.press('Enter')
    const quantity = page.getByRole('spinbutton', { name: 'Quantity of Tea' })
    await quantity.waitFor()
    const isTyped = Promise.withResolvers<undefined>()
    await page.route('**/dashboard/api/v1/products?*', async (route) => {
      await isTyped.promise
      await route.continue()
    })
    await field.fill(cup)
    await field.press('Enter')
    await page.getByRole('button', { name: 'Create order' }).click()
    await quantity.fill('3,5')
    isTyped.resolve(undefined)
    await page.getByText('This is not a number').waitFor()
    await page.getByRole('spinbutton', { name: 'Quantity of Cup' }).waitFor()
    await quantity.fill('3')
    await page.getByRole('button', { name: 'Create order' }).click()
    await page.getByRole('heading', { level: 1, name: 'Order SHOP-1' }).waitFor()
  })

  it('take the content of a pack, and every scan however slow the network is; an inactive product is said to be one', async ({
    window,
    tenant,
  }) => {
    const { page } = window
    window.expectComplaint(/404/)
    const [tea, cup, mug] = [await newProduct(tenant, 'Tea'), await newProduct(tenant, 'Cup'), await newProduct(tenant, 'Mug')]
    const { products } = (await tenant.request('GET', '/products')).body.data
    const idOf = (name: string): number => products.find((each: { name: string }) => each.name === name).id
    await seed(tenant, `/products/${idOf('Tea')}/barcodes`, { barcode: '14006381333938', quantity: 12 })
    await tenant.request('DELETE', `/products/${idOf('Mug')}`)
    await page.route('**/dashboard/api/v1/products?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    })
    await signIn(page, tenant.key, '/orders/new')
    await page.getByRole('combobox', { name: 'Add a product' }).click()
    for (const code of ['14006381333938', '4711', cup, tea, '14006381333938', cup, mug]) {
      await page.keyboard.type(code)
      await page.keyboard.press('Enter')
    }
    await page.getByText('Looks up').waitFor()
    await page.getByText('Mug is inactive. Activate it on its screen first.').waitFor()
    await page.getByRole('status').getByText('No product has the name, SKU or barcode 4711').first().waitFor()
    const quantityOf = (name: string): Promise<string> =>
      page.getByRole('spinbutton', { name: `Quantity of ${name}` }).inputValue()
    expect([await quantityOf('Tea'), await quantityOf('Cup')]).toEqual(['25', '2'])

    // Sent while something is still looked up: not without it, and not if it is not found.
    await page.getByRole('textbox', { name: 'Order identifier' }).fill('SHOP-1')
    const field = page.getByRole('combobox', { name: 'Add a product' })
    for (const [typed, shown] of [
      ['4712', 'No product has the name, SKU or barcode 4712'],
      ['sku of Cup', 'Created order SHOP-1'],
    ] as const) {
      await field.fill(typed)
      // Behind the open list it has no role.
      await page.getByText('Create order', { exact: true }).click()
      await page.getByText(shown).last().waitFor()
    }
    await page.getByRole('heading', { level: 1, name: 'Order SHOP-1' }).waitFor()
    const { orders } = (await tenant.request('GET', '/orders?include_details=true')).body.data
    expect(
      orders.map((order: { order_detail: { quantity: number }[] }) => order.order_detail.map(({ quantity }) => quantity)),
    ).toEqual([[25, 3]])
  })

  it('without lines is refused at the field that adds them', async ({ window, tenant }) => {
    window.expectComplaint(/40[04]/)
    const tea = await newProduct(tenant, 'Tea')
    const { page } = window
    await signIn(page, tenant.key, '/orders/new')
    await page.getByRole('textbox', { name: 'Order identifier' }).fill('SHOP-1')
    await page.getByRole('button', { name: 'Create order' }).click()
    await page.getByText('Must not be empty', { exact: true }).waitFor()
    const field = page.getByRole('combobox', { name: 'Add a product' })
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.fill('4711')
    await field.press('Enter')
    await page.getByText('No product has the name, SKU or barcode 4711').waitFor()
    await field.fill(tea)
    await field.press('Enter')
    await page.getByRole('spinbutton', { name: 'Quantity of Tea' }).waitFor()
    expect(await field.getAttribute('aria-invalid')).not.toBe('true')
  })

  it('is created, edited, released and cancelled', async ({ window, tenant }) => {
    await newProduct(tenant, 'Green tea')
    const { page } = window
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('link', { name: 'New order' }).first().click()
    await page.getByRole('textbox', { name: 'Order identifier' }).fill('SHOP-1')
    await page.getByLabel('Assembly date').fill(TODAY)
    await page.getByRole('textbox', { name: 'Customer' }).fill('Ada')
    await page.getByRole('combobox', { name: 'Add a product' }).pressSequentially('green')
    await page.getByRole('option', { name: 'Green tea' }).click()
    await page.getByRole('spinbutton', { name: 'Quantity of Green tea' }).fill('3')
    await page.getByRole('button', { name: 'Create order' }).click()
    await page.getByRole('heading', { name: 'Order SHOP-1' }).waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Customer' }).fill('Grace')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved order SHOP-1').last().waitFor()
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('status').getByText('Released order SHOP-1').last().waitFor()
    await page.getByRole('button', { name: 'Cancel order' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel order' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('changed mind')
    await dialog.getByRole('button', { name: 'Cancel order SHOP-1' }).click()
    await page.getByRole('status').getByText('Cancelled order SHOP-1').last().waitFor()

    const { body } = await tenant.request('GET', '/orders')
    expect(body.data.orders).toMatchObject([{ order_tenant_id: 'SHOP-1', customer_name: 'Grace', state_id: 7, items_count: 1 }])
  })

  it('keeps what others change while its form is open', async ({ window, tenant }) => {
    const id = await newOrder(tenant, 'SHOP-1', await newProduct(tenant, 'Tea'))
    const { page } = window
    await signIn(page, tenant.key, `/orders/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await seed(tenant, `/orders/${id}`, { customer_name: 'Grace', state_id: 2 }, 'PUT')
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await page.getByText('Released', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Shipping address' }).fill('12 St James Square')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved order SHOP-1').last().waitFor()
    const { body } = await tenant.request('GET', `/orders/${id}`)
    expect(body.data).toMatchObject({ customer_name: 'Grace', shipping_address: '12 St James Square' })
  })

  it('opens without what was typed for the one before it', async ({ window, tenant }) => {
    const barcode = await newProduct(tenant, 'Tea')
    const first = await newOrder(tenant, 'SHOP-1', barcode)
    await newOrder(tenant, 'SHOP-2', barcode)
    const { page } = window
    const openOther = async (name: string): Promise<void> => {
      await page.keyboard.press('Control+K')
      await page.getByRole('combobox', { name: 'Search orders, products and pages' }).fill(name)
      await page.getByRole('option', { name }).first().click()
    }
    await signIn(page, tenant.key, `/orders/${first}`)
    for (const name of ['SHOP-2', 'SHOP-1']) {
      await openOther(name)
      await page.getByRole('heading', { name: `Order ${name}` }).waitFor()
    }
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Customer' }).fill('of the first order')
    await openOther('SHOP-2')
    await answerUnsaved(page, 'Discard')
    await page.getByRole('table', { name: 'Lines' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Customer' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await expect.poll(() => focusedName(page)).toBe('Order SHOP-2')
  })

  it('are filtered by every letter that is typed, also by those typed while the address changes', async ({ window, tenant }) => {
    const { page } = window
    await signIn(page, tenant.key, '/orders')
    const customer = page.getByRole('textbox', { name: 'Customer' })
    await customer.focus()
    // Somebody who types on: the next letter comes between the change of the address and the screen that follows it.
    await page.evaluate(() => {
      const { pushState } = history
      const rest = 'e Hopper'
      let at = 0
      const type = (): void => {
        document.execCommand('insertText', false, rest.charAt(at++))
        if (at < rest.length) setTimeout(type, 40)
      }
      history.pushState = (...state) => {
        history.pushState = pushState
        history.pushState(...state)
        type()
      }
    })
    await page.keyboard.type('Grac')
    await expect.poll(() => new URL(page.url()).searchParams.get('customer')).toBe('Grace Hopper')
    expect(await customer.inputValue()).toBe('Grace Hopper')
  })

  it('does the same in a shell with Copy as curl', async ({ window, tenant }) => {
    const barcode = await newProduct(tenant, "Ada's tea")
    const id = await newOrder(tenant, "SHOP-'1'", barcode)
    const { page } = window
    await signIn(page, tenant.key, `/orders/${id}`)
    await page.getByRole('heading', { name: "Order SHOP-'1'" }).waitFor()
    await page.getByRole('table', { name: 'Lines' }).waitFor()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page
      .getByRole('status')
      .getByText(/Copied \d commands?/)
      .waitFor()
    const [read = ''] = (await clipboardOf(page)).split('\n')
    expect(read).not.toContain(tenant.key)
    expect((await inShell(read, tenant.key)).data).toMatchObject({ id, order_tenant_id: "SHOP-'1'" })

    await page.getByRole('button', { name: 'Cancel order' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel order' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill("customer's $wish `now`")
    await dialog.getByRole('button', { name: 'Copy as curl' }).click()
    await expect.poll(() => clipboardOf(page)).toContain('curl -X POST')
    expect((await inShell(await clipboardOf(page), tenant.key)).success).toBe(true)
    const { body } = await tenant.request('GET', '/events?event=order/cancelled')
    expect(body.data.events[0].data.cancellation_reason).toBe("customer's $wish `now`")
  })

  it('shows what happened to it, of one kind or all, page by page, and what others do now', async ({ window, tenant }) => {
    const tea = await newProduct(tenant, 'Tea')
    const order = await newOrder(tenant, 'SHOP-1', tea)
    await seed(tenant, '/stock/adjustment', { sku: 'sku of Tea', location_id: 'A', adjustment_quantity: 60 })
    const flow = (await seed(tenant, '/flows', { order_id: order, operator_email: 'ada@example.com' })).id
    for (let number = 0; number < 15; number++) {
      await seed(tenant, `/flows/${flow}/picks`, { barcode: tea, location_id: 'A', quantity: 1, pick_id: `scan ${number}` })
      await seed(tenant, `/flows/${flow}/picks/${encodeURIComponent(`scan ${number}`)}`, undefined, 'DELETE')
    }
    const { page } = window
    await signIn(page, tenant.key, `/orders/${order}`)
    const entries = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')
    await entries.filter({ hasText: 'SHOP-1: 1 line, 2 units' }).waitFor()
    expect(await entries.count()).toBe(50)
    await page.getByRole('button', { name: 'Show later entries' }).click()
    await entries.nth(50).waitFor()
    await page.getByRole('button', { name: 'Show later entries' }).waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByRole('option', { name: 'Picking' }).click()
    await entries.filter({ hasText: 'started by ada@example.com' }).waitFor()
    expect(await entries.count()).toBe(1)
    // Another caller ends it: the page shows that by itself.
    await seed(tenant, `/flows/${flow}/cancel`, { reason: 'the shift ended' })
    await entries.filter({ hasText: 'cancelled by ada@example.com, 0 picked of 0 lines, “the shift ended”' }).waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByRole('option', { name: 'Stock' }).click()
    await entries.filter({ hasText: 'Tea −1 at A, order_fulfillment, pick scan 0' }).waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByRole('option', { name: 'State' }).click()
    await entries.filter({ hasText: 'Picking to Released by test key' }).waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByRole('option', { name: 'Events' }).click()
    await entries.getByRole('link', { name: 'flow/cancelled' }).click()
    await page.getByRole('heading', { name: 'flow/cancelled' }).waitFor()
  })

  it('that does not exist says so', async ({ window, tenant }) => {
    window.expectComplaint(/404/)
    await signIn(window.page, tenant.key, '/orders/17')
    await window.page.getByRole('alert').getByText('Order 17 does not exist').waitFor()
    await window.page.goto('/dashboard/orders/latest')
    await window.page.getByRole('alert').getByText('Order latest does not exist').waitFor()
    // What the page cannot read may well be there.
    await window.page.route('**/orders/17', (route) =>
      route.request().resourceType() === 'fetch'
        ? route.fulfill({ headers: { 'content-length': '200000000' }, json: {} })
        : route.continue(),
    )
    await window.page.goto('/dashboard/orders/17')
    expect(await window.page.getByRole('alert').textContent()).toContain('The response is larger than')
  })
})

async function inShell(command: string, key: string): Promise<{ success: boolean; data: unknown }> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`], {
    env: { ...process.env, FULFILLMENT_API_KEY: key },
  })
  return JSON.parse(stdout)
}

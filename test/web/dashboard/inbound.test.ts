import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it, type TestTenant } from '../support/browser.ts'
import { focusedName } from '../support/keyboard.ts'
import { seed, signIn } from '../support/page-server.ts'

/** A delivery of 5 of one product and 2 of another. */
async function newDelivery(tenant: TestTenant, fields: object = {}): Promise<{ id: number; lines: { id: number }[] }> {
  const products = await Promise.all(
    ['Green tea', 'Mate'].map((name) => seed(tenant, '/products', { name, barcode: `${name} ${Math.random()}` })),
  )
  const lines = products.map(({ id }, index) => ({ product_id: id, quantity: [5, 2][index] }))
  return seed(tenant, '/inbound', { reference: 'PO-1', supplier: 'Tea Trade', expected_at: '2030-01-15', lines, ...fields })
}

const rowOf = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table, exact: true }).getByRole('row').filter({ hasText: text })

const deliveryOf = async (tenant: TestTenant, { id }: { id: number }) => (await tenant.request('GET', `/inbound/${id}`)).body.data

describe('deliveries', () => {
  it('are listed with filters, which are in the address', async ({ window: { page }, tenant }) => {
    const delivery = await newDelivery(tenant)
    await newDelivery(tenant, { reference: 'PO-2' })
    await tenant.request('POST', `/inbound/${delivery.id}/close`)
    await signIn(page, tenant.key, '/inbound')
    await rowOf(page, 'Inbound', 'PO-1').getByText('Closed').waitFor()
    await rowOf(page, 'Inbound', 'PO-2').getByText('0 of 7').waitFor()
    await page.getByText('2 deliveries', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Expected' }).click()
    await rowOf(page, 'Inbound', 'PO-1').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?state=expected')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('textbox', { name: 'Reference' }).fill('PO-1')
    await rowOf(page, 'Inbound', 'PO-2').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: String(delivery.id), exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Delivery PO-1' }).waitFor()
  })

  it('are received, and a receipt undone; the server decides how much', async ({ window, tenant }) => {
    window.expectComplaint(/400/)
    const { page } = window
    const delivery = await newDelivery(tenant)
    await seed(tenant, '/locations', { id: 'DOCK' })
    await signIn(page, tenant.key, `/inbound/${delivery.id}`)
    await page.getByText('Nothing was received yet.').waitFor()
    await page.getByRole('button', { name: 'Receive' }).click()
    const dialog = page.getByRole('dialog', { name: 'Receive' })
    await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('6')
    await dialog.getByRole('textbox', { name: 'Location' }).fill('DOCK')
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await dialog.getByText('Cannot receive 6: only 5 still to come').first().waitFor()
    await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('3')
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await page.getByRole('status').getByText('Received 3 × Green tea at DOCK').last().waitFor()
    await rowOf(page, 'Receipts', 'Green tea').getByText('DOCK').waitFor()
    expect(await deliveryOf(tenant, delivery)).toMatchObject({ state: 'receiving', total_received: 3 })
    await expect.poll(() => page.getByRole('button', { name: 'Cancel', exact: true }).isDisabled()).toBe(true)

    await page.getByRole('button', { name: 'Receive' }).click()
    await expect.poll(() => dialog.getByRole('spinbutton', { name: 'Quantity' }).inputValue()).toBe('2')
    await dialog.getByRole('button', { name: 'Line' }).click()
    await page.getByRole('option', { name: 'Mate: 0 of 2' }).click()
    await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('1')
    await dialog.getByRole('button', { name: 'Line' }).click()
    await page.getByRole('option', { name: 'Green tea: 3 of 5' }).click()
    await expect.poll(() => dialog.getByRole('spinbutton', { name: 'Quantity' }).inputValue()).toBe('2')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Undo the receipt of Green tea at DOCK' }).click()
    await page.getByRole('dialog').getByText('3 × Green tea will be removed from DOCK').waitFor()
    await page.getByRole('button', { name: 'Undo the receipt', exact: true }).click()
    await page.getByRole('status').getByText('Undid a receipt of Green tea').last().waitFor()
    expect(await deliveryOf(tenant, delivery)).toMatchObject({ state: 'receiving', total_received: 0 })
    await page.getByRole('button', { name: 'Undo the receipt of Green tea at DOCK' }).waitFor({ state: 'detached' })
  })

  it('are announced with their lines, changed, and take products that were not announced where that is allowed', async ({
    window,
    tenant,
  }) => {
    window.expectComplaint(/400|404/)
    const { page } = window
    for (const name of ['Green tea', 'Mate']) await seed(tenant, '/products', { name, barcode: `barcode of ${name}` })
    await seed(tenant, '/locations', { id: 'DOCK' })
    await signIn(page, tenant.key, '/inbound')
    await page.getByText('No deliveries yet.').waitFor()
    await page.getByRole('link', { name: 'New delivery' }).click()
    await page.getByRole('heading', { level: 1, name: 'New delivery' }).waitFor()
    await page.getByRole('textbox', { name: 'Reference' }).fill('PO-7')
    await page.getByRole('textbox', { name: 'Supplier' }).fill('Tea Trade')
    await page.getByLabel('Expected on').fill('2030-01-15')
    const product = page.getByRole('combobox', { name: 'Add a product' })
    for (const press of [1, 2]) {
      await product.pressSequentially('barcode of Green tea')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.getByRole('spinbutton', { name: 'Quantity of Green tea' }).inputValue()).toBe(String(press))
    }
    const quantity = page.getByRole('spinbutton', { name: 'Quantity of Green tea' })
    await quantity.fill('0.5')
    await page.getByRole('button', { name: 'Announce delivery' }).click()
    await page.getByRole('listitem').filter({ has: quantity }).getByText('Must be an integer').waitFor()
    await quantity.fill('5')
    await page.getByRole('button', { name: 'Announce delivery' }).click()
    await page.getByRole('status').getByText('Announced delivery PO-7').last().waitFor()
    await page.getByRole('heading', { level: 1, name: 'Delivery PO-7' }).waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Supplier' }).fill('')
    await page.getByRole('textbox', { name: 'Note' }).fill('At the back door')
    await page.getByRole('checkbox', { name: 'Allow more than announced' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved delivery PO-7').last().waitFor()
    const { inbound } = (await tenant.request('GET', '/inbound')).body.data
    expect(inbound).toMatchObject([
      { reference: 'PO-7', supplier: null, note: 'At the back door', allow_over: true, expected_at: '2030-01-15' },
    ])

    await page.getByRole('button', { name: 'Receive' }).click()
    const dialog = page.getByRole('dialog', { name: 'Receive' })
    await dialog.getByRole('button', { name: 'Line' }).click()
    await page.getByRole('option', { name: 'Another product' }).click()
    await dialog.getByRole('combobox', { name: 'Product' }).pressSequentially('barcode of Mate')
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Product' }).inputValue()).toBe('Mate')
    await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('2')
    await dialog.getByRole('textbox', { name: 'Location' }).fill('DOCK')
    // What is sent is what the field shows, not what was chosen before.
    const another = dialog.getByRole('combobox', { name: 'Product' })
    await another.fill('nothing of ours')
    await another.press('Tab')
    await dialog.getByRole('alert').getByText('nothing of ours').waitFor()
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await expect.poll(() => focusedName(page)).toBe('Product')
    await another.fill('')
    await another.press('Tab')
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await dialog.getByText('Exactly one of product_id, sku, barcode and line_id is required', { exact: true }).waitFor()
    await another.pressSequentially('barcode of Mate')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await page.getByRole('status').getByText('Received 2 × Mate at DOCK').last().waitFor()
    await rowOf(page, 'Lines', 'Mate').waitFor()
    expect(await deliveryOf(tenant, inbound[0])).toMatchObject({
      lines: [
        { product_name: 'Green tea', quantity: 5, received_quantity: 0 },
        { product_name: 'Mate', quantity: 0, received_quantity: 2 },
      ],
    })
  })

  it('receive the product that was chosen last, and none where the field was emptied, however late an earlier one is found', async ({
    window,
    tenant,
  }) => {
    window.expectComplaint(/40[04]/)
    const { page } = window
    const delivery = await newDelivery(tenant, { allow_over: true })
    for (const name of ['Cup', 'Mug']) await seed(tenant, '/products', { name, barcode: `barcode of ${name}` })
    await seed(tenant, '/locations', { id: 'DOCK' })
    let found = Promise.withResolvers<void>()
    await page.route('**/dashboard/api/v1/products?search=barcode*', async (route) => {
      await found.promise
      await route.continue()
    })
    await signIn(page, tenant.key, `/inbound/${delivery.id}`)
    await page.getByRole('button', { name: 'Receive' }).click()
    const dialog = page.getByRole('dialog', { name: 'Receive' })
    await dialog.getByRole('button', { name: 'Line' }).click()
    await page.getByRole('option', { name: 'Another product' }).click()
    await dialog.getByRole('textbox', { name: 'Location' }).fill('DOCK')
    await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('2')
    const product = dialog.getByRole('combobox', { name: 'Product' })
    const scanThen = async (next: () => Promise<void>): Promise<void> => {
      await product.fill('barcode of Cup')
      await product.press('Enter')
      await page.getByText('Looks up barcode of Cup').waitFor()
      await next()
      await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
      found.resolve()
    }
    await scanThen(() => product.fill(''))
    await dialog.getByText('Exactly one of product_id, sku, barcode and line_id is required', { exact: true }).waitFor()
    expect(await product.inputValue()).toBe('')

    // Nor is anything sent while another text is being typed.
    let sent = 0
    page.on('request', (request) => (sent += request.method() === 'POST' && request.url().endsWith('/receipts') ? 1 : 0))
    found = Promise.withResolvers<void>()
    await product.fill('barcode of Cup')
    await product.press('Enter')
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
    await product.fill('Mu')
    await page.getByText('Looks up barcode of Cup').waitFor()
    found.resolve()
    await page.getByText('Looks up barcode of Cup').waitFor({ state: 'detached' })
    expect(await product.inputValue()).toBe('Mu')

    found = Promise.withResolvers<void>()
    await scanThen(async () => {
      await product.fill('Mug')
      await page.getByRole('option', { name: 'Mug' }).click()
    })
    await page.getByRole('status').getByText('Received 2 × Mug at DOCK').last().waitFor()
    expect(sent).toBe(1)
    expect((await deliveryOf(tenant, delivery)).lines).toMatchObject([
      { product_name: 'Green tea', received_quantity: 0 },
      { product_name: 'Mate', received_quantity: 0 },
      { product_name: 'Mug', received_quantity: 2 },
    ])
  })

  it('are closed or cancelled, and nothing more can be done then', async ({ window: { page }, tenant }) => {
    const closed = await newDelivery(tenant)
    const cancelled = await newDelivery(tenant, { reference: 'PO-2' })
    await signIn(page, tenant.key, `/inbound/${closed.id}`)
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('button', { name: 'Close delivery PO-1' }).click()
    await page.getByRole('status').getByText('Closed delivery PO-1').last().waitFor()
    for (const name of ['Receive', 'Close', 'Cancel'])
      await expect.poll(() => page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Note' }).fill('The rest is lost')
    expect(await page.getByRole('textbox', { name: 'Supplier' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The rest is lost').waitFor()
    await page.goto(page.url().replace(`/inbound/${closed.id}`, `/inbound/${cancelled.id}`))
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel' })
    await expect.poll(() => focusedName(page)).toBe('Reason')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Too late')
    await dialog.getByRole('button', { name: 'Cancel delivery PO-2' }).click()
    await page.getByText('Too late').waitFor()
    expect(await deliveryOf(tenant, cancelled)).toMatchObject({ state: 'cancelled', cancellation_reason: 'Too late' })
  })

  it('are changed in what was typed alone: what others write meanwhile stays', async ({ window: { page }, tenant }) => {
    const delivery = await newDelivery(tenant, { note: 'Ring twice' })
    await signIn(page, tenant.key, `/inbound/${delivery.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Supplier' }).fill('Mate Trade')
    await tenant.request('PUT', `/inbound/${delivery.id}`, { note: 'Ring three times' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved delivery PO-1').last().waitFor()
    expect(await deliveryOf(tenant, delivery)).toMatchObject({ supplier: 'Mate Trade', note: 'Ring three times' })
    await page.getByText('Ring three times').waitFor()
  })

  it('that do not exist are said to be missing', async ({ window, tenant }) => {
    window.expectComplaint(/404/)
    const { page } = window
    await signIn(page, tenant.key, '/inbound/17')
    await page.getByRole('alert').getByText('Delivery 17 does not exist').waitFor()
  })
})

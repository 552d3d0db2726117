import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it, type TestTenant } from '../support/browser.ts'
import { focusedName } from '../support/keyboard.ts'
import { seed, signIn } from '../support/page-server.ts'

/** An order of 3 of one product and 2 of another, completed by hand: all of it is taken. */
async function completedOrder(tenant: TestTenant): Promise<{ id: number; barcodes: string[] }> {
  const barcodes = ['Green tea', 'Mate'].map((name) => `${name} ${Math.random()}`)
  for (const barcode of barcodes) await seed(tenant, '/products', { name: barcode.slice(0, 9).trim(), barcode })
  const { orders } = await seed(tenant, '/orders', {
    order_tenant_id: 'SHOP-1',
    assembly_date: '2030-01-01',
    order_detail: barcodes.map((barcode, index) => ({ barcode, quantity: 3 - index })),
  })
  await tenant.request('PUT', `/orders/${orders[0].id}`, { state_id: 5 })
  return { id: orders[0].id, barcodes }
}

const rowOf = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table, exact: true }).getByRole('row').filter({ hasText: text })

const shipmentsOf = async (tenant: TestTenant, { id }: { id: number }) =>
  (await tenant.request('GET', `/shipments?order_id=${id}`)).body.data.shipments

describe('shipments', () => {
  it('are packed, shipped and delivered on the order; the server decides how much', async ({ window, tenant }) => {
    window.expectComplaint(/400/)
    const { page } = window
    const order = await completedOrder(tenant)
    await signIn(page, tenant.key, `/orders/${order.id}`)
    await page.getByText('Nothing was packed yet.').waitFor()

    await page.getByRole('button', { name: 'Pack', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Pack order SHOP-1' })
    const tea = dialog.getByRole('spinbutton', { name: 'Quantity of Green tea' })
    // What is left is proposed.
    expect([await tea.inputValue(), await focusedName(page)]).toEqual(['3', 'Quantity of Green tea'])
    await dialog.getByRole('spinbutton', { name: /Quantity of Mate/ }).fill('')
    await tea.fill('4')
    await dialog.getByRole('button', { name: 'Pack', exact: true }).click()
    await dialog.getByText('Cannot pack 4 of order line').waitFor()
    await tea.fill('2')
    await dialog.getByRole('textbox', { name: 'Reference' }).fill('SHP-1')
    await dialog.getByRole('textbox', { name: 'Carrier' }).fill('DHL')
    await dialog.getByRole('button', { name: 'Pack', exact: true }).click()
    await page.getByRole('status').getByText('Packed shipment SHP-1').last().waitFor()
    await page.getByRole('banner').or(page.getByRole('main')).getByText('Packing', { exact: true }).first().waitFor()
    const [packed] = await shipmentsOf(tenant, order)
    expect(packed).toMatchObject({ reference: 'SHP-1', total_quantity: 2, packages: [{ carrier: 'DHL', weight: null }] })

    await page.getByRole('button', { name: 'Ship shipment SHP-1' }).click()
    await page.getByRole('dialog', { name: 'Ship' }).getByRole('button', { name: 'Ship shipment SHP-1' }).click()
    await page.getByRole('status').getByText('Shipped shipment SHP-1').last().waitFor()
    await page.getByRole('main').getByText('Partly shipped', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Deliver shipment SHP-1' }).click()
    await page.getByRole('dialog', { name: 'Deliver' }).getByRole('button', { name: 'Deliver shipment SHP-1' }).click()
    await rowOf(page, 'Shipments', 'SHP-1').getByText('Delivered', { exact: true }).waitFor()

    // The rest: what is not in a shipment yet.
    await page.getByRole('button', { name: 'Pack', exact: true }).click()
    expect(await tea.inputValue()).toBe('1')
    await dialog.getByRole('button', { name: 'Pack', exact: true }).click()
    await page
      .getByText('2 shipments')
      .or(page.getByRole('table', { name: 'Shipments' }).getByRole('row').nth(2))
      .first()
      .waitFor()
    expect((await shipmentsOf(tenant, order))[0]).toMatchObject({ state: 'open', total_quantity: 3 })
    await page.getByRole('button', { name: 'Pack', exact: true }).click()
    await dialog.getByText('All that was picked is in shipments.').waitFor()
  })

  it('are listed with filters, tracked, and cancelled with a reason', async ({ window: { page }, tenant }) => {
    const order = await completedOrder(tenant)
    const packages = order.barcodes.map((barcode, index) => ({
      lines: [{ barcode, quantity: 1 }],
      tracking_number: `T${index + 1}`,
    }))
    const shipment = await seed(tenant, '/shipments', { order_id: order.id, reference: 'SHP-1', packages })
    await seed(tenant, '/shipments', { order_id: order.id, reference: 'SHP-2' })
    await signIn(page, tenant.key, '/shipments')
    await rowOf(page, 'Shipments', 'SHP-1').getByText('T1, T2').waitFor()
    await page.getByText('2 shipments', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Tracking number' }).fill('T2')
    await rowOf(page, 'Shipments', 'SHP-2').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?tracking_number=T2')
    await page.getByRole('link', { name: String(shipment.id), exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Shipment SHP-1' }).waitFor()

    // Its goods and its warehouse have names, as everywhere.
    await rowOf(page, 'Content of package 2', 'Mate').getByRole('link', { name: /^Mate/ }).waitFor()
    await page.getByRole('main').getByText('Main', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Tracking of package 2' }).click()
    const tracking = page.getByRole('dialog', { name: 'Tracking of package 2' })
    await expect.poll(() => focusedName(page)).toBe('Carrier')
    await tracking.getByRole('textbox', { name: 'Carrier' }).fill('UPS')
    await tracking.getByRole('textbox', { name: 'Tracking number' }).fill('')
    await tracking.getByRole('textbox', { name: 'Tracking address' }).fill('https://track.example/2')
    await tracking.getByRole('button', { name: 'Save tracking' }).click()
    await page.getByRole('status').getByText('Saved the tracking of package 2').last().waitFor()
    const link = page.getByRole('link', { name: 'https://track.example/2' })
    expect(await link.getAttribute('rel')).toBe('noreferrer noopener')
    const [, tracked] = await shipmentsOf(tenant, order)
    expect(tracked.packages).toMatchObject([
      { tracking_number: 'T1' },
      { carrier: 'UPS', tracking_number: null, tracking_url: 'https://track.example/2' },
    ])

    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Damaged')
    await dialog.getByRole('button', { name: 'Cancel shipment SHP-1' }).click()
    await page.getByText('Damaged').waitFor()
    for (const name of ['Ship', 'Deliver', 'Cancel'])
      await expect.poll(() => page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
  })
})

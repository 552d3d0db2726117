import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { it as base } from '../support/browser.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'

/** So long, what appears by itself counts as not seen. */
const LOOK_MS = 1_000
const CHANGED = 'What to pick has just changed. Look at the screen again.'

/** A device whose screen shows 3 × Tea at A-01, until `empty` takes the stock from there: then the stop is B-01. */
const it = base.extend('stop', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-01': 5, 'B-01': 4 }, { name: 'Tea' })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 3 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  await page.getByRole('heading', { name: 'A-01' }).waitFor()
  const empty = async (): Promise<void> => {
    await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A-01', quantity: 0 })
    // As when the device is back at the network.
    await page.evaluate(() => dispatchEvent(new Event('online')))
  }
  const picked = async (): Promise<number> => {
    const { flows } = (await tenant.request('GET', `/flows?order_id=${order.id}`)).body.data
    return flows[0].total_quantity_picked
  }
  return { ...device, empty, picked }
})

const whenAt = (page: Page, location: string): Promise<void> =>
  page.getByRole('heading', { name: location, includeHidden: true }).waitFor()

async function expectRefused(page: Page): Promise<void> {
  await page.getByRole('alertdialog').getByText(CHANGED).waitFor()
  await page.getByRole('button', { name: 'OK' }).click()
  // Nothing was taken, and nothing is short.
  await page.getByText('Take 3', { exact: true }).waitFor()
  await page.getByText('Taken here: 0', { exact: true }).waitFor()
}

/** Presses a button at once when the stop has changed: the finger was on its way. */
const pressWhenChanged = (page: Page, command: string): Promise<void> =>
  page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const press = (): void => {
          if (document.querySelector('h1')?.textContent !== 'B-01') return
          observer.disconnect()
          document.querySelector<HTMLButtonElement>(`[data-command=${wanted}]`)?.click()
          resolve()
        }
        const observer = new MutationObserver(press)
        observer.observe(document.body, { childList: true, subtree: true, characterData: true })
      }),
    command,
  )

it('a button is not pressed for a stop that appeared this moment, and is soon', async ({ stop: { page, empty, picked } }) => {
  const pressed = pressWhenChanged(page, 'FC-ALL')
  await empty()
  await pressed
  await expectRefused(page)
  await page.waitForTimeout(LOOK_MS)
  await page.getByRole('button', { name: 'Take all 3' }).click()
  await expect.poll(picked).toBe(3)
})

it('a reason that was chosen for a stop that has changed makes nothing short', async ({ stop: { page, empty } }) => {
  await page.getByRole('button', { name: 'Short' }).click()
  const dialog = page.getByRole('dialog', { name: 'Short' })
  await dialog.waitFor()
  await empty()
  await whenAt(page, 'B-01')
  await page.waitForTimeout(LOOK_MS)
  await dialog.getByRole('button', { name: 'Not found' }).click()
  await expectRefused(page)
})

it('a dialog that was opened in that moment is about the stop before', async ({ stop: { page, empty } }) => {
  const pressed = pressWhenChanged(page, 'FC-SHORT')
  await empty()
  await pressed
  await page.getByRole('dialog', { name: 'Short' }).getByRole('button', { name: 'Not found' }).click()
  await expectRefused(page)
})

it('a quantity that was typed for a stop that has changed is not taken', async ({ stop: { page, empty } }) => {
  await page.getByRole('button', { name: 'Quantity' }).click()
  const dialog = page.getByRole('dialog', { name: 'Quantity' })
  await dialog.getByRole('button', { name: '2', exact: true }).click()
  await empty()
  await whenAt(page, 'B-01')
  await page.waitForTimeout(LOOK_MS)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expectRefused(page)
})

import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { axe } from '../support/axe.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { hold } from '../support/hold.ts'
import { layoutProblems } from '../support/layout.ts'
import { resize } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'
import { answerSaving, savingQuestion } from '../support/unsaved.ts'

const ADJUSTMENT = '**/dashboard/api/v1/stock/adjustment'
/** As long as a person presses a button: frames are drawn meanwhile. */
const PRESS_MS = 200

/** Of 5 × Tea at A, a dialog that changes its level by this, with its request held. */
async function adjusting(page: Page, tenant: TestTenant, change: string) {
  const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 5 }] })
  await signIn(page, tenant.key, `/products/${id}`)
  const dialog = await openAdjust(page, change)
  const { isHeld, end } = await hold(page, 'POST', ADJUSTMENT)
  await dialog.getByRole('button', { name: 'Adjust', exact: true }).click()
  await isHeld
  const level = async () => (await tenant.request('GET', `/products/${id}`)).body.data.stock[0].quantity
  return { id, dialog, end, level }
}

async function openAdjust(page: Page, change: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Adjust stock' }).click()
  const dialog = page.getByRole('dialog', { name: 'Adjust stock' })
  await dialog.getByRole('textbox', { name: 'Location' }).fill('A')
  await dialog.getByRole('spinbutton', { name: 'Change' }).fill(change)
  return dialog
}

const told = (page: Page, text: string): Promise<void> => page.getByRole('status').getByText(text).last().waitFor()

const failureOf = (page: Page): Locator => page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Dismiss' }) })

describe('a write that is left while it is under way', () => {
  it('is not called "not saved", and its success is told', async ({ window: { page }, tenant }) => {
    const { dialog, end, level } = await adjusting(page, tenant, '3')
    await dialog.getByRole('button', { name: 'Back' }).click()
    await answerSaving(page, 'Stay')
    await dialog.getByRole('button', { name: 'Back' }).click()
    await answerSaving(page, 'Leave')
    await dialog.waitFor({ state: 'detached' })
    await end()
    await told(page, 'Tea at A: 8')
    expect([await level(), await failureOf(page).count()]).toEqual([8, 0])
  })

  it('is asked about no more once it has ended', async ({ window: { page }, tenant }) => {
    const { dialog, end } = await adjusting(page, tenant, '3')
    await page.keyboard.press('Escape')
    await savingQuestion(page).waitFor()
    await end()
    await told(page, 'Tea at A: 8')
    await dialog.waitFor({ state: 'detached' })
    await savingQuestion(page).waitFor({ state: 'detached' })
  })

  it('does not close the dialog that was opened since', async ({ window: { page }, tenant }) => {
    const { dialog, end } = await adjusting(page, tenant, '3')
    await page.keyboard.press('Escape')
    await answerSaving(page, 'Leave')
    await openAdjust(page, '7')
    await end()
    await told(page, 'Tea at A: 8')
    expect(await dialog.getByRole('spinbutton', { name: 'Change' }).inputValue()).toBe('7')
  })

  it('has its refusal told on every screen until it is dismissed', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/400/)
    const { dialog, end, level } = await adjusting(page, tenant, '-1000')
    await page.keyboard.press('Escape')
    await answerSaving(page, 'Leave')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await end()
    await failureOf(page).waitFor()
    expect(await failureOf(page).textContent()).toMatch(/^Tea, Adjust stock: not done\. .*Request \w+/)
    for (const width of [320, 1280]) {
      await resize(page, width)
      expect([width, await axe(page), await layoutProblems(page)]).toEqual([width, [], []])
    }
    await page.getByRole('link', { name: 'Stock', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Stock' }).waitFor()
    await failureOf(page).getByRole('button', { name: 'Dismiss' }).click()
    await failureOf(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Notifications' }).click()
    await page.getByRole('dialog', { name: 'Notifications' }).getByText('Tea, Adjust stock: not done.').waitFor()
    expect(await level()).toBe(5)
  })

  it('has its refusal told over a dialog, which stays as it is when the refusal is dismissed', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/400/)
    const { dialog, end } = await adjusting(page, tenant, '-1000')
    await page.keyboard.press('Escape')
    await answerSaving(page, 'Leave')
    await openAdjust(page, '7')
    await end()
    await failureOf(page).getByRole('button', { name: 'Dismiss' }).click({ delay: PRESS_MS })
    await failureOf(page).waitFor({ state: 'detached' })
    const change = dialog.getByRole('spinbutton', { name: 'Change' })
    expect(await change.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.keyboard.type('5')
    expect(await change.inputValue()).toBe('75')
  })

  it('has it told when no response came: it may be done', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/ERR_FAILED/)
    const { dialog, end, level } = await adjusting(page, tenant, '3')
    await dialog.getByRole('button', { name: 'Back' }).click()
    await answerSaving(page, 'Leave')
    await end(async (route) => {
      await route.fetch()
      await route.abort()
    })
    await failureOf(page).getByText('Tea, Adjust stock: no confirmation from the server. It may be done').waitFor()
    expect(await level()).toBe(8)
  })

  it('asks in a dialog in which nothing is typed', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/400/)
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-01', order_detail: [{ barcode: '1', quantity: 1 }] }
    const { id } = (await seed(tenant, '/orders', order)).orders[0]
    await signIn(page, tenant.key, `/orders/${id}`)
    await page.getByRole('button', { name: 'Cancel order' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel order' })
    const { isHeld, end } = await hold(page, 'POST', `**/orders/${id}/cancel`)
    await dialog.getByRole('button', { name: 'Cancel order SHOP-1' }).click()
    await isHeld
    await dialog.getByRole('button', { name: 'Back' }).click()
    await answerSaving(page, 'Leave')
    await seed(tenant, `/orders/${id}`, { state_id: 5 }, 'PUT')
    await end()
    await failureOf(page).getByText('Order SHOP-1, Cancel order: not done.').waitFor()
  })

  it('asks before the form of a record is discarded', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/500/)
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await signIn(page, tenant.key, `/products/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Green tea')
    const { isHeld, end } = await hold(page, 'PUT', `**/products/${id}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await isHeld
    await page.getByRole('button', { name: 'Discard' }).click()
    await answerSaving(page, 'Leave')
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    await end((route) => {
      const error = { code: 'internal_error', message: 'Something broke' }
      return route.fulfill({ status: 500, headers: { 'X-Request-Id': 'r-1' }, json: { success: false, error } })
    })
    await failureOf(page).getByText('Tea: no confirmation from the server. It may be done').waitFor()
  })

  it('takes nobody back from the screen that was opened since', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/products/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Tea')
    await page.getByRole('textbox', { name: 'Barcode' }).fill('1')
    const { isHeld, end } = await hold(page, 'POST', '**/dashboard/api/v1/products')
    await page.getByRole('button', { name: 'Create product' }).click()
    await isHeld
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await answerSaving(page, 'Leave')
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await end()
    await told(page, 'Created Tea')
    expect(new URL(page.url()).pathname).toBe('/dashboard/orders')
  })
})

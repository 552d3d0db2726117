import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { axe } from '../support/axe.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { focusedName } from '../support/keyboard.ts'
import { layoutProblems } from '../support/layout.ts'
import { seed, signIn } from '../support/page-server.ts'

/** Tea, with 5 at A-10. */
async function stockedTea(tenant: TestTenant): Promise<number> {
  const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-10', quantity: 5 }] })
  return id
}

async function locationsOf(tenant: TestTenant): Promise<string[]> {
  const { body } = await tenant.request('GET', '/locations')
  return body.data.locations.map(({ id }: { id: string }) => id)
}

async function levelsOf(tenant: TestTenant, id: number): Promise<Record<string, number>> {
  const { body } = await tenant.request('GET', `/products/${id}`)
  const stock: { location_id: string; quantity: number }[] = body.data.stock
  return Object.fromEntries(stock.map(({ location_id, quantity }) => [location_id, quantity]))
}

async function open(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name, exact: true }).click()
  return page.getByRole('dialog', { name })
}

const SCAN = '**/dashboard/api/v1/scan?*'

it('a mistyped location is named, and created only when that is agreed to, by keyboard alone', async ({ window, tenant }) => {
  const { page } = window
  window.expectComplaint(/404/)
  const id = await stockedTea(tenant)
  await page.setViewportSize({ width: 390, height: 800 })
  await signIn(page, tenant.key, `/products/${id}`)
  const dialog = await open(page, 'Adjust stock')
  const location = dialog.getByRole('textbox', { name: 'Location' })
  await page.keyboard.type('A-1O')
  await page.keyboard.press('Tab')
  await page.keyboard.type('3')
  // It is heard although the focus is in the next field by then.
  await dialog.getByRole('alert').getByText('No location has the id A-1O.').waitFor()
  expect(await location.getAttribute('aria-invalid')).toBe('true')
  await page.keyboard.press('Enter')
  const box = dialog.getByRole('checkbox', { name: 'Create location A-1O' })
  await expect.poll(() => box.evaluate((element) => element === document.activeElement)).toBe(true)
  const said = await box.evaluate((element) => element.ariaDescribedByElements?.map(({ textContent }) => textContent))
  expect(said).toEqual(['Check this box to create the location, or correct its id above.'])
  expect(await locationsOf(tenant)).toEqual(['A-10'])
  expect([await axe(page), await layoutProblems(page)]).toEqual([[], []])

  // Agreed to for this id, and no other.
  await page.keyboard.press('Space')
  await expect.poll(() => box.isChecked()).toBe(true)
  await location.fill('A-1l')
  await dialog.getByRole('button', { name: 'Adjust', exact: true }).click()
  await dialog.getByText('No location has the id A-1l.').waitFor()
  await expect.poll(() => focusedName(page)).toBe('Create location A-1l')
  expect(await locationsOf(tenant)).toEqual(['A-10'])
  await location.fill('A-1O')
  await location.press('Enter')
  await page.getByRole('status').getByText('Tea at A-1O: 3').last().waitFor()
  expect(await levelsOf(tenant, id)).toEqual({ 'A-10': 5, 'A-1O': 3 })
})

it('a known location costs nothing more, by its id or its code, and however soon the form is sent', async ({
  window,
  tenant,
}) => {
  const { page } = window
  const id = await stockedTea(tenant)
  await seed(tenant, '/locations', { id: '17', code: 'B-17' })
  await page.route(SCAN, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  })
  await signIn(page, tenant.key, `/products/${id}`)
  await open(page, 'Set stock')
  await page.keyboard.type('A-10')
  await page.keyboard.press('Tab')
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Tea at A-10: 7').last().waitFor()

  const dialog = await open(page, 'Transfer')
  await dialog.getByRole('textbox', { name: 'From' }).fill('A-10')
  await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('2')
  await dialog.getByRole('textbox', { name: 'To' }).fill('B-17 ')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Moved 2 of Tea from A-10 to 17').last().waitFor()
  expect(await levelsOf(tenant, id)).toEqual({ 'A-10': 5, '17': 2 })
  expect(await locationsOf(tenant)).toEqual(['17', 'A-10'])
})

it('a lookup that fails or never ends says so, and holds up the write no longer than it takes to agree', async ({
  window,
  tenant,
}) => {
  const { page } = window
  window.expectComplaint(/500|ERR_FAILED/)
  const id = await stockedTea(tenant)
  await page.route(SCAN, (route) =>
    route.fulfill({ status: 500, json: { success: false, error: { code: 'internal_error', message: 'Something broke.' } } }),
  )
  await signIn(page, tenant.key, `/products/${id}`)
  const dialog = await open(page, 'Set stock')
  await dialog.getByRole('textbox', { name: 'Location' }).fill('A-10')
  await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('9')
  await page.keyboard.press('Enter')
  const why = (reason: string): Locator =>
    dialog.getByRole('alert').getByText(`Location A-10 could not be looked up: ${reason}. It is created if it does not exist.`)
  await why('Something broke').waitFor()
  await expect.poll(() => focusedName(page)).toBe('Use location A-10')
  expect(await levelsOf(tenant, id)).toEqual({ 'A-10': 5 })
  // Nobody answers.
  await page.unroute(SCAN)
  const isOver = Promise.withResolvers<undefined>()
  await page.route(SCAN, async (route) => {
    await isOver.promise
    await route.abort()
  })
  // Enter looks it up again.
  await dialog.getByRole('textbox', { name: 'Location' }).press('Enter')
  await why('No connection to the server').waitFor()
  await dialog.getByRole('checkbox', { name: 'Use location A-10' }).check({ force: true })
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Tea at A-10: 9').last().waitFor()
  isOver.resolve(undefined)
})

it('a key that cannot look up locations says so', async ({ window: { page }, tenant }) => {
  const id = await stockedTea(tenant)
  const key = await tenant.createKey({ name: 'products', scopes: ['read:products', 'write:stock'] })
  await signIn(page, key, `/products/${id}`)
  const dialog = await open(page, 'Set stock')
  await dialog.getByRole('textbox', { name: 'Location' }).fill('A-10')
  await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('8')
  await dialog.getByText('Location A-10 could not be looked up: This key lacks read:stock.').waitFor()
  await dialog.getByRole('checkbox', { name: 'Use location A-10' }).check({ force: true })
  await page.keyboard.press('Enter')
  await expect.poll(() => levelsOf(tenant, id)).toEqual({ 'A-10': 8 })
})

it('deliveries and returns ask as well; a count, the source of a transfer and quarantine create nothing, and say what is not there', async ({
  window,
  tenant,
}) => {
  const { page } = window
  window.expectComplaint(/40[04]/)
  const id = await stockedTea(tenant)
  const lines = [{ product_id: id, quantity: 5 }]
  const inbound = await seed(tenant, '/inbound', { lines })
  const returned = await seed(tenant, '/returns', { lines })
  const count = await seed(tenant, '/counts', { product_ids: [id] })
  const choose = async (dialog: Locator, disposition: string): Promise<void> => {
    await dialog.getByRole('button', { name: 'Disposition' }).click()
    await page.getByRole('option', { name: disposition }).click()
  }
  await signIn(page, tenant.key, `/inbound/${inbound.id}`)
  for (const address of [`/inbound/${inbound.id}`, `/returns/${returned.id}`]) {
    await page.goto(`/dashboard${address}`)
    const dialog = await open(page, 'Receive')
    await dialog.getByRole('textbox', { name: 'Location' }).fill('DOCKS')
    await page.keyboard.press('Enter')
    await dialog.getByRole('checkbox', { name: 'Create location DOCKS' }).waitFor()
    await expect.poll(() => focusedName(page)).toBe('Create location DOCKS')
    if (address.startsWith('/returns')) {
      for (const disposition of ['Scrap', 'Restock']) await choose(dialog, disposition)
      await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
      await dialog.getByRole('checkbox', { name: 'Create location DOCKS' }).waitFor()
    }
    await dialog.getByRole('textbox', { name: 'Location' }).fill('A-10')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Received 5 × Tea at A-10').last().waitFor()
  }
  const refused = async (address: string, button: string, field: string, prepare: (dialog: Locator) => Promise<void>) => {
    await page.goto(`/dashboard${address}`)
    const dialog = await open(page, button)
    await dialog.getByRole('spinbutton', { name: 'Quantity' }).fill('1')
    await prepare(dialog)
    await dialog.getByRole('textbox', { name: field }).fill('NOWHERE')
    await page.keyboard.press('Tab')
    await dialog.getByText('No location has the id NOWHERE.').waitFor()
    expect(await dialog.getByRole('checkbox').count()).toBe(0)
  }
  await refused(`/products/${id}`, 'Transfer', 'From', async () => undefined)
  await refused(`/counts/${count.id}`, 'Add an entry', 'Location', async () => undefined)
  await refused(`/returns/${returned.id}`, 'Receive', 'Location', (dialog) => choose(dialog, 'Quarantine'))
  expect(await locationsOf(tenant)).toEqual(['A-10'])
})

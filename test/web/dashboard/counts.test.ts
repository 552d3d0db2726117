import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { it, type TestTenant } from '../support/browser.ts'
import { focusedName } from '../support/keyboard.ts'
import { seed, signIn } from '../support/page-server.ts'
import { answerUnsaved, unsavedQuestion } from '../support/unsaved.ts'

/** 5 Tea and 2 Cup at A, and Mate nowhere. */
async function stocked(tenant: TestTenant): Promise<void> {
  for (const [name, barcode] of [
    ['Tea', '1'],
    ['Cup', '2'],
    ['Mate', '3'],
  ])
    await seed(tenant, '/products', { name, barcode, sku: name })
  await seed(tenant, '/stock/bulk', {
    updates: [
      { sku: 'Tea', location_id: 'A', quantity: 5 },
      { sku: 'Cup', location_id: 'A', quantity: 2 },
    ],
  })
}

const lineOf = (page: Page, product: string) =>
  page.getByRole('table', { name: 'Lines', exact: true }).getByRole('row').filter({ hasText: product })

/** Expected, counted and variance of a line. */
const numbersOf = async (page: Page, product: string): Promise<string[]> =>
  (await lineOf(page, product).getByRole('cell').allTextContents()).slice(2, 5)

async function levelsOf(tenant: TestTenant): Promise<Record<string, number>> {
  const { products } = (await tenant.request('GET', '/stock')).body.data
  return Object.fromEntries(products.map(({ name, quantity }: { name: string; quantity: number }) => [name, quantity]))
}

async function countedOf(tenant: TestTenant, id: number): Promise<Record<string, number | null>> {
  const { lines } = (await tenant.request('GET', `/counts/${id}`)).body.data
  return Object.fromEntries(lines.map((line: Record<string, never>) => [line.product_name, line.counted_quantity]))
}

async function submitAndApprove(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('status').getByText('Submitted count CC-1').last().waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('button', { name: 'Approve count CC-1' }).click()
}

it('a count is begun blind, counted by keyboard, and posted; lines that stand in the way say why and are counted again', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/400/)
  const { page } = window
  await stocked(tenant)
  const mate = (await tenant.request('GET', '/products?search=Mate')).body.data.products[0].id
  await seed(tenant, `/products/${mate}/barcodes`, { barcode: 'box of Mate', quantity: 6 })
  await signIn(page, tenant.key, '/counts')
  await page.getByText('No counts yet.').waitFor()
  await page.getByRole('link', { name: 'New count' }).click()
  await page.getByRole('heading', { level: 1, name: 'New count' }).waitFor()
  await page.getByRole('button', { name: 'Begin count' }).click()
  await page.getByText('Is required unless product_ids is given').first().waitFor()
  await page.getByRole('textbox', { name: 'Reference' }).fill('CC-1')
  const location = page.getByRole('combobox', { name: 'Add a location' })
  await location.pressSequentially('Nowhere')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove Nowhere' }).waitFor()
  await page.getByRole('checkbox', { name: /^Blind/ }).check()
  await page.getByRole('button', { name: 'Begin count' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Nowhere' }).getByText('No location has this id').waitFor()
  await page.getByRole('button', { name: 'Remove Nowhere' }).click()
  await location.pressSequentially('A')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Locations' }).getByText('A', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Begin count' }).click()
  await page.getByRole('status').getByText('Began count CC-1').last().waitFor()
  await page.getByRole('heading', { level: 1, name: 'Count CC-1' }).waitFor()

  await page.getByRole('spinbutton', { name: 'Count of Tea at A' }).fill('4')
  expect(await numbersOf(page, 'Tea')).toEqual(['–', expect.any(String), '–'])
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Counted 4 × Tea at A').last().waitFor()
  await expect.poll(() => focusedName(page)).toBe('Count of Cup at A')
  await page.getByRole('radio', { name: 'Not counted' }).check({ force: true })
  await expect.poll(() => lineOf(page, 'Tea').count()).toBe(0)
  expect(new URL(page.url()).search).toBe('?show=open')
  await page.getByRole('radio', { name: 'All' }).check({ force: true })
  const cup = page.getByRole('spinbutton', { name: 'Count of Cup at A' })
  await cup.fill('-1')
  await cup.press('Enter')
  await lineOf(page, 'Cup').getByRole('alert').getByText('quantity').waitFor()
  await cup.fill('2')
  await page.getByRole('button', { name: 'Save the count of Cup at A' }).click()
  await page.getByRole('status').getByText('Counted 2 × Cup at A').last().waitFor()

  await page.getByRole('button', { name: 'Add an entry' }).click()
  const entry = page.getByRole('dialog', { name: 'Add an entry' })
  await entry.getByRole('combobox', { name: 'Product' }).pressSequentially('box of Mate')
  await page.keyboard.press('Enter')
  await entry.getByText('The scanned barcode stands for 6. The quantity is in single units.').waitFor()
  await expect.poll(() => entry.getByRole('combobox', { name: 'Product' }).inputValue()).toBe('Mate')
  expect(await entry.getByRole('textbox', { name: 'Location' }).inputValue()).toBe('A')
  await entry.getByRole('spinbutton', { name: 'Quantity' }).fill('1')
  await entry.getByRole('button', { name: 'Add an entry' }).click()
  await page.getByRole('status').getByText('Counted 1 × Mate at A').last().waitFor()

  // Somebody sets the level of a counted line.
  await seed(tenant, '/stock/bulk', { updates: [{ sku: 'Tea', location_id: 'A', quantity: 9 }] })
  await submitAndApprove(page)
  await page.getByRole('alert').getByText('Nothing was posted.').waitFor()
  await lineOf(page, 'Tea').getByText('The level was set, or posted by another count, since it was counted').waitFor()
  expect(await numbersOf(page, 'Tea')).toEqual(['5', expect.stringMatching(/^4The level was set/), '−1'])
  expect(await numbersOf(page, 'Cup')).toEqual(['2', '2', '0'])
  expect(await levelsOf(tenant)).toEqual({ Tea: 9, Cup: 2, Mate: 0 })

  await page.getByRole('button', { name: 'Reopen' }).click()
  const again = page.getByRole('button', { name: 'Save the count of Tea at A' })
  await lineOf(page, 'Tea').getByText('The level was set').waitFor()
  await again.click()
  await again.waitFor({ state: 'detached' })
  await page.getByText('Nothing was posted.').waitFor({ state: 'detached' })
  await submitAndApprove(page)
  await page.getByRole('status').getByText('Approved count CC-1').last().waitFor()
  expect(await levelsOf(tenant)).toEqual({ Tea: 4, Cup: 2, Mate: 1 })
  for (const name of ['Add an entry', 'Submit', 'Reopen', 'Approve', 'Cancel'])
    await expect.poll(() => page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
})

it('a count is dropped with its reason, and lists are filtered', async ({ window: { page }, tenant }) => {
  await stocked(tenant)
  const dropped = await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A'] })
  await seed(tenant, '/counts', { reference: 'CC-2', location_ids: ['A'] })
  await signIn(page, tenant.key, `/counts/${dropped.id}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Wrong aisle')
  await page.getByRole('button', { name: 'Cancel count CC-1' }).click()
  await page.getByText('Wrong aisle').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.getByText('2 counts', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Counting' }).click()
  await page.getByText('1 count', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?state=counting')
  await page.getByRole('textbox', { name: 'Reference' }).fill('CC-1')
  await page.getByText('No counts match').waitFor()
})

it('text that is not saved stays when somebody else counts its line, or submits the count', async ({ window, tenant }) => {
  const { page } = window
  window.expectComplaint(/400/)
  await stocked(tenant)
  const count = await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A'] })
  await signIn(page, tenant.key, `/counts/${count.id}?show=open`)
  const cup = page.getByRole('spinbutton', { name: 'Count of Cup at A' })
  await cup.fill('7')
  await seed(tenant, `/counts/${count.id}/entries`, { sku: 'Tea', location_id: 'A', quantity: 5 })
  await seed(tenant, `/counts/${count.id}/entries`, { sku: 'Cup', location_id: 'A', quantity: 3 })
  await lineOf(page, 'Tea').waitFor({ state: 'detached' })
  expect(await cup.inputValue()).toBe('7')
  await page.keyboard.press('Enter')
  await lineOf(page, 'Cup').waitFor({ state: 'detached' })

  await page.getByRole('radio', { name: 'All' }).check({ force: true })
  await cup.fill('8')
  await seed(tenant, `/counts/${count.id}/submit`, {})
  await expect.poll(() => page.getByRole('button', { name: 'Submit' }).isDisabled()).toBe(true)
  expect(await page.getByRole('spinbutton').count()).toBe(1)
  expect(await cup.inputValue()).toBe('8')
  await cup.press('Enter')
  await lineOf(page, 'Cup').getByRole('alert').waitFor()
  await cup.fill('7')
  await cup.waitFor({ state: 'detached' })
})

it('approval says how many lines were not counted, and leaves them alone', async ({ window: { page }, tenant }) => {
  await stocked(tenant)
  const count = await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A'] })
  await signIn(page, tenant.key, `/counts/${count.id}`)
  await page.getByRole('spinbutton', { name: 'Count of Tea at A' }).fill('4')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Counted 4 × Tea at A').last().waitFor()
  // What was typed and not saved would be left out.
  const cup = page.getByRole('spinbutton', { name: 'Count of Cup at A' })
  await cup.fill('7')
  for (const act of [page.getByRole('button', { name: 'Submit' }), page.getByRole('radio', { name: 'Different' })]) {
    await act.click({ force: true })
    await answerUnsaved(page, 'Stay')
    await unsavedQuestion(page).waitFor({ state: 'detached' })
  }
  expect(await cup.inputValue()).toBe('7')
  await cup.fill('')
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('status').getByText('Submitted count CC-1').last().waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('dialog').getByText('1 line is not counted. Approval changes only counted lines.').waitFor()
  await page.getByRole('button', { name: 'Approve count CC-1' }).click()
  await page.getByRole('status').getByText('Approved count CC-1').last().waitFor()
  expect(await levelsOf(tenant)).toEqual({ Tea: 4, Cup: 2, Mate: 0 })
})

it('what is typed while a line is being saved belongs to the next line, and a correction of the line stays', async ({
  window: { page },
  tenant,
}) => {
  await stocked(tenant)
  const count = await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A'] })
  const held = Promise.withResolvers<void>()
  await page.route('**/entries', async (route) => {
    await held.promise
    await route.continue()
  })
  await signIn(page, tenant.key, `/counts/${count.id}`)
  const tea = page.getByRole('spinbutton', { name: 'Count of Tea at A' })
  const cup = page.getByRole('spinbutton', { name: 'Count of Cup at A' })
  await tea.fill('4')
  for (const key of ['Enter', '7', '5', 'Enter']) await page.keyboard.press(key)
  expect([await tea.inputValue(), await cup.inputValue()]).toEqual(['4', '75'])
  await tea.fill('3')
  held.resolve()
  for (const said of ['Counted 4 × Tea at A', 'Counted 75 × Cup at A'])
    await page.getByRole('status').getByText(said).last().waitFor()
  expect(await tea.inputValue()).toBe('3')
  const { lines } = (await tenant.request('GET', `/counts/${count.id}`)).body.data
  expect(lines).toMatchObject([
    { product_name: 'Tea', counted_quantity: 4 },
    { product_name: 'Cup', counted_quantity: 75 },
  ])
})

it('a correction that is entered while its line is being saved is saved after it, unless the wait is stopped', async ({
  window,
  tenant,
}) => {
  const { page } = window
  window.expectComplaint(/503/)
  await stocked(tenant)
  const count = await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A'] })
  const held = Promise.withResolvers<void>()
  await page.route('**/entries', async (route) => {
    await held.promise
    await route.continue()
  })
  await signIn(page, tenant.key, `/counts/${count.id}`)
  const tea = page.getByRole('spinbutton', { name: 'Count of Tea at A' })
  for (const quantity of ['4', '3']) {
    await tea.fill(quantity)
    await tea.press('Enter')
    await expect.poll(() => focusedName(page)).toBe('Count of Cup at A')
  }
  // Enter once more saves nothing twice.
  await tea.press('Enter')
  held.resolve()
  for (const said of ['Counted 4 × Tea at A', 'Counted 3 × Tea at A'])
    await page.getByRole('status').getByText(said).last().waitFor()
  await page.getByRole('button', { name: 'Save the count of Tea at A' }).waitFor({ state: 'detached' })
  expect(await countedOf(tenant, count.id)).toEqual({ Tea: 3, Cup: null })

  await page.unroute('**/entries')
  const sent: number[] = []
  await page.route('**/entries', (route) => {
    sent.push(route.request().postDataJSON().quantity)
    if (sent.length > 1) return route.continue()
    const error = { code: 'service_unavailable', message: 'Try again in a moment' }
    return route.fulfill({ status: 503, headers: { 'retry-after': '600' }, json: { success: false, error } })
  })
  await tea.fill('8')
  await tea.press('Enter')
  await page.getByRole('button', { name: 'Stop waiting' }).waitFor()
  await tea.fill('9')
  await tea.press('Enter')
  await page.getByRole('button', { name: 'Stop waiting' }).click()
  await lineOf(page, 'Tea').getByRole('alert').getByText('Try again in a moment').waitFor()
  expect([sent, await tea.inputValue()]).toEqual([[8], '9'])
  await tea.press('Enter')
  await page.getByRole('status').getByText('Counted 9 × Tea at A').last().waitFor()
  expect(sent).toEqual([8, 9])
})

it('a count that was saved stays in its field until it is read again, and Enter there saves the same', async ({
  window: { page },
  tenant,
}) => {
  await stocked(tenant)
  const count = await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A'] })
  const enter = (quantity: number) => seed(tenant, `/counts/${count.id}/entries`, { sku: 'Tea', location_id: 'A', quantity })
  await enter(5)
  await signIn(page, tenant.key, `/counts/${count.id}`)
  const tea = page.getByRole('spinbutton', { name: 'Count of Tea at A' })
  await expect.poll(() => tea.inputValue()).toBe('5')
  const held = Promise.withResolvers<void>()
  await page.route(`**/api/v1/counts/${count.id}`, async (route) => {
    await held.promise
    await route.continue()
  })
  const sent: number[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/entries')) sent.push(request.postDataJSON().quantity)
  })
  for (const quantity of ['4', '3']) {
    await tea.fill(quantity)
    await tea.press('Enter')
    await page.getByRole('status').getByText(`Counted ${quantity} × Tea at A`).last().waitFor()
    expect(await tea.inputValue()).toBe(quantity)
  }
  // Another text is not saved, even if it is what was read last.
  await tea.fill('5')
  await page.getByRole('button', { name: 'Save the count of Tea at A' }).waitFor()
  await tea.fill('3')
  await page.getByRole('button', { name: 'Save the count of Tea at A' }).waitFor({ state: 'detached' })
  await tea.press('Enter')
  await expect.poll(() => sent).toEqual([4, 3, 3])
  held.resolve()
  await expect.poll(() => numbersOf(page, 'Tea')).toEqual(['5', expect.any(String), '−2'])
  expect(await tea.inputValue()).toBe('3')
  await enter(6)
  await expect.poll(() => tea.inputValue()).toBe('6')
})

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct, stockOf } from '../../support/picking.ts'
import { completedOrder } from '../../support/shipments.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { seed } from '../support/page-server.ts'
import { type Device, enrolledDevice, newOperator } from '../support/scan-device.ts'

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()

/** Types as on a keyboard, without the keys of the screen, and says what the screen makes of it: whether `button` can be pressed, and the message beside the field. */
async function typed(
  page: Page,
  text: string,
  { button = 'Confirm', field = 'Quantity' } = {},
): Promise<[boolean, string | null]> {
  const input = page.getByRole('textbox', { name: field })
  await input.fill(text)
  const isPossible = await page.getByRole('button', { name: button, exact: true }).last().isEnabled()
  const message = input.locator('..').getByRole('alert')
  return [isPossible, (await message.count()) === 0 ? null : await message.textContent()]
}

const WHOLE = 'Whole pieces only'
const NO_NUMBER = 'This is not a number: write it as 1234.5, with a point and no commas'

const DECIMALS = 'At most 3 decimals'
const DIGITS = 'At most 9 digits before the point'

/** What every field for a quantity of a piece product says. */
async function expectWhole(page: Page, names: { button?: string; field?: string } = {}): Promise<void> {
  await expect.poll(() => typed(page, '1,5', names)).toEqual([false, WHOLE])
  expect(await typed(page, '1.5', names)).toEqual([false, WHOLE])
  expect(await typed(page, '1,234', names)).toEqual([false, NO_NUMBER])
  expect(await typed(page, '1234567890', names)).toEqual([false, DIGITS])
  expect(await typed(page, '2', names)).toEqual([true, null])
  expect(await page.getByRole('button', { name: '.', exact: true }).isDisabled()).toBe(true)
}

/** What every field for a quantity of a product that is sold by weight says. */
async function expectDecimals(page: Page, names: { button?: string; field?: string } = {}): Promise<void> {
  expect(await typed(page, '1,234', names)).toEqual([false, NO_NUMBER])
  expect(await typed(page, '1.234', names)).toEqual([true, null])
  expect(await typed(page, '0,125', names)).toEqual([true, null])
  for (const text of ['1.0625', '0.0005', '1,0625', '.1234']) expect(await typed(page, text, names)).toEqual([false, DECIMALS])
  for (const text of ['1234567890', '1234567890.5']) expect(await typed(page, text, names)).toEqual([false, DIGITS])
  expect(await page.getByRole('textbox', { name: names.field ?? 'Quantity' }).getAttribute('aria-invalid')).toBe('true')
  for (const text of ['.5', ',5', '5.', '5,', '999999999.999']) expect(await typed(page, text, names)).toEqual([true, null])
  // The beginning of a quantity.
  for (const text of ['', '.']) expect(await typed(page, text, names)).toEqual([false, null])
  expect(await typed(page, '1,5', names)).toEqual([true, null])
}

/** A product that is sold by the piece, and one that is sold by weight. */
async function pieceAndWeight(tenant: TestTenant) {
  const cup = await stockedProduct(tenant, { 'A-1': 9 }, { name: 'Cup' })
  const cheese = await stockedProduct(tenant, { 'A-1': 9 }, { name: 'Cheese', weighable: true })
  return { cup, cheese }
}

const openedDevice = async (page: Page, tenant: TestTenant): Promise<Device> =>
  enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))

it('Pick: whole pieces only of what is sold by the piece; a comma that may separate thousands is no point', async ({
  window: { page },
  tenant,
}) => {
  const { cup, cheese } = await pieceAndWeight(tenant)
  const lines = [cup, cheese].map(({ barcode }) => ({ barcode, quantity: 5 }))
  const order = await newOrder(tenant, { order_detail: lines })
  const device = await openedDevice(page, tenant)
  await device.scan(order.order_tenant_id)
  await press(page, 'Quantity')
  await expectWhole(page)
  // The key Enter does not confirm it, either.
  await typed(page, '1,5')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Quantity' }).waitFor()
  await typed(page, '5')
  await page.keyboard.press('Enter')
  await page.getByRole('main').getByText('Cheese').waitFor()
  await press(page, 'Quantity')
  await expectDecimals(page)
  await device.scan('FC-CONFIRM')
  await page.getByText('Taken here: 1.5').waitFor()
  await press(page, 'Quantity')
  await typed(page, '.5')
  await device.scan('FC-CONFIRM')
  await page.getByText('Taken here: 0.5').waitFor()
})

it('Receive: whole pieces only of what is sold by the piece, also without a connection and of what was not announced', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED/)
  const { page, context } = window
  const { cup, cheese } = await pieceAndWeight(tenant)
  const pot = await stockedProduct(tenant, { 'A-1': 1 }, { name: 'Pot' })
  const lines = [cup, cheese].map(({ id }) => ({ product_id: id, quantity: 5 }))
  await seed(tenant, '/inbound', { reference: 'PO-1', lines, allow_over: true })
  const device = await openedDevice(page, tenant)
  await press(page, 'Receive')
  await page.getByRole('button', { name: 'Receive PO-1' }).waitFor()
  const areRead = Promise.all([cup, cheese].map(({ id }) => page.waitForResponse(new RegExp(`/products/${id}$`))))
  await device.scan('PO-1')
  await areRead
  await device.scan('A-1')
  await device.scan(pot.barcode)
  await press(page, 'Quantity')
  await expectWhole(page)
  await press(page, 'Back')
  // What the device knows of the products stays.
  await page.reload()
  await page.getByRole('heading', { name: 'PO-1' }).waitFor()
  await context.setOffline(true)
  await device.scan(cup.barcode)
  await press(page, 'Quantity')
  await expectWhole(page)
  await press(page, 'Back')
  await device.scan(cheese.barcode)
  await press(page, 'Quantity')
  await expectDecimals(page)
  await page.getByRole('dialog', { name: 'Quantity' }).getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('region', { name: 'In hand' }).getByText('1.5 of 5').waitFor()
  await device.scan('FC-CONFIRM')
  await context.setOffline(false)
  await expect.poll(() => stockOf(tenant, cheese)).toEqual({ 'A-1': 10.5 })
  expect([await stockOf(tenant, cup), await stockOf(tenant, pot)]).toEqual([{ 'A-1': 10 }, { 'A-1': 2 }])
})

it('Pack: whole pieces only of what is sold by the piece', async ({ window: { page }, tenant }) => {
  const { cup, cheese } = await pieceAndWeight(tenant)
  const order = await completedOrder(tenant, [
    [cup, 5],
    [cheese, 5],
  ])
  const device = await openedDevice(page, tenant)
  await press(page, 'Pack')
  await page.getByRole('heading', { name: 'Orders to pack' }).waitFor()
  await device.scan(order.order_tenant_id)
  for (const { barcode } of [cup, cheese]) await device.scan(barcode)
  await press(page, '1 × Cup')
  await expectWhole(page, { field: 'Cup' })
  await press(page, 'Back')
  await press(page, '1 × Cheese')
  await expectDecimals(page, { field: 'Cheese' })
  await press(page, 'Back')
  // A weight is no number of pieces.
  await press(page, 'Weight')
  await expectDecimals(page, { field: 'Weight in kg' })
})

it('Move: whole pieces only of what is sold by the piece', async ({ window: { page }, tenant }) => {
  const { cup, cheese } = await pieceAndWeight(tenant)
  const device = await openedDevice(page, tenant)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Move' }).click()
  for (const code of [cup.barcode, 'A-1']) await device.scan(code)
  await seed(tenant, '/locations', { id: 'B-1' })
  await device.scan('B-1')
  await expectWhole(page, { button: 'Move' })
  await press(page, 'Start over')
  for (const code of [cheese.barcode, 'A-1', 'B-1']) await device.scan(code)
  await expectDecimals(page, { button: 'Move' })
  await press(page, 'Move')
  await expect.poll(() => stockOf(tenant, cheese)).toEqual({ 'A-1': 7.5, 'B-1': 1.5 })
})

it('Count list: an entry may be a fraction; a comma that may separate thousands is no point', async ({
  window: { page },
  tenant,
}) => {
  const { cup } = await pieceAndWeight(tenant)
  await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A-1'] })
  const device = await openedDevice(page, tenant)
  await press(page, 'Count list')
  for (const code of ['CC-1', 'A-1', cup.barcode]) await device.scan(code)
  await expectDecimals(page, { field: 'Counted' })
})

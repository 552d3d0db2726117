import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { stockedProduct, stockOf } from '../../support/picking.ts'
import { it } from '../support/browser.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

async function type(page: Page, digits: string): Promise<void> {
  for (const digit of digits) await page.getByRole('button', { name: digit, exact: true }).click()
}

it('looks up products and locations', async ({ window: { page }, tenant }) => {
  await stockedProduct(tenant, { 'A-1': 4, 'B-1': 2 }, { name: 'Tea', barcode: '4006381333931' })
  await stockedProduct(tenant, { 'A-1': 7 }, { name: 'Cup' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await open(page, 'Look up')
  // As a GTIN-14.
  await device.scan('04006381333931')
  const tea = page.getByRole('region', { name: 'Tea' })
  expect(await tea.getByRole('listitem').allTextContents()).toEqual(['A-1: 4', 'B-1: 2'])
  await device.scan('A-1')
  const location = page.getByRole('region', { name: 'A-1' })
  await expect.poll(async () => (await location.getByRole('listitem').allTextContents()).toSorted()).toEqual(['Cup: 7', 'Tea: 4'])
  await device.scan('Z-9', 'problem')
})

it('moves and counts stock', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 4, 'B-1': 2 }, { name: 'Tea' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  await open(page, 'Move')
  for (const code of [tea.barcode, 'A-1', 'B-1']) await device.scan(code)
  await type(page, '3')
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 1, 'B-1': 5 })
  await open(page, 'Count')
  for (const code of [tea.barcode, 'A-1']) await device.scan(code)
  await type(page, '10')
  await device.scanner.scan('FC-CONFIRM')
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 10, 'B-1': 5 })
  const { body } = await tenant.request('GET', '/audit-log?surface=scan&operation=stock.setLevel')
  expect(body.data.entries).toMatchObject([{ operator_email: 'ada@example.com' }])
})

it('is for operators who may change stock', async ({ window: { page }, tenant }) => {
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await open(page, 'Count')
  await page.getByText('You may not change stock on this device.').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
})

import { expect } from 'vitest'
import { stockedProduct } from '../../support/picking.ts'
import { it } from '../support/browser.ts'
import { drawn } from '../support/drawn.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'

it('a name in a right-to-left script leaves the numbers beside it in their places', async ({ window: { page }, tenant }) => {
  const ada = await newOperator(tenant, 'Ada')
  const tea = await stockedProduct(tenant, { 'A-1': 9 }, { name: 'شاي أخضر 500' })
  const device = await enrolledDevice(page, tenant, ada)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Look up' }).click()
  await device.scan('A-1')
  const level = page.getByRole('region', { name: 'A-1' }).getByRole('listitem').filter({ hasText: tea.name })
  await level.waitFor()
  expect(await drawn(level)).toMatch(/: 9$/)
})

import { expect } from 'vitest'
import { it } from '../support/browser.ts'
import { seed } from '../support/page-server.ts'
import { deviceOn, newOperator } from '../support/scan-device.ts'

it('a code or badge that is not valid is a problem that says so, and the device stays where it is', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/400|401/)
  const { page } = window
  const ada = await newOperator(tenant, 'Ada')
  const problem = page.getByRole('alertdialog', { name: 'Problem' })
  const { code } = await seed(tenant, '/devices/codes', { device_name: 'Handheld 3' })
  await page.goto('/scan')
  await page.getByRole('textbox', { name: 'Enrolment code' }).fill(`${code.slice(0, -4)}ZZZZ`)
  await page.getByRole('button', { name: 'Start' }).click()
  await problem.getByText('This code is not valid').waitFor()
  await problem.getByRole('button', { name: 'OK' }).click()

  await page.getByRole('textbox', { name: 'Enrolment code' }).fill(code)
  await page.getByRole('button', { name: 'Start' }).click()
  const badge = page.getByRole('heading', { name: 'Scan your badge' })
  await badge.waitFor()
  const { scan, scanner } = await deviceOn(page)
  await scan(`${ada.badge.slice(0, -4)}ZZZZ`, 'problem')
  await problem.getByText('This badge is not valid').waitFor()
  await scanner.scan('FC-OK')
  expect(await badge.isVisible()).toBe(true)
  await scan(ada.badge)
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()

  // Longer than any identifier or reference.
  const long = 'https://example.com/'.repeat(13)
  await scan(long, 'problem')
  await problem.getByText('This code is not known here').waitFor()
  await scanner.scan('FC-OK')
  await page.getByRole('button', { name: 'Receive' }).click()
  await page.getByRole('heading', { name: 'Deliveries to receive' }).waitFor()
  await scan(long, 'problem')
  await problem.getByText('This code is not known here').waitFor()
})

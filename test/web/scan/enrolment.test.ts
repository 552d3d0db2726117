import { expect } from 'vitest'
import { it } from '../support/browser.ts'
import { newDeviceCode } from '../support/scan-client.ts'
import { Scanner } from '../support/scanner.ts'

it('a browser stays the device that it was of each tenant and mode, and waits for no answer of the user about its storage', async ({
  openWindow,
  service,
  tenant,
}) => {
  const { page, context } = await openWindow()
  await context.addInitScript(() => {
    navigator.storage.persist = () => new Promise(() => undefined)
  })
  const { key } = (await tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' })).body.data
  const elsewhere = await service.newTenant()
  const enrol = async (code: string): Promise<{ id: number; secret: string }> => {
    await page.goto(`/scan#code=${code}`)
    const isEnrolled = page.waitForResponse('**/scan/session')
    await page.getByRole('button', { name: 'Start' }).click()
    const { data } = await (await isEnrolled).json()
    await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
    return data.device
  }
  const codes = [() => newDeviceCode(elsewhere), () => newDeviceCode(tenant), () => newDeviceCode(tenant, {}, key)]
  const first = []
  for (const newCode of codes) first.push(await enrol(await newCode()))
  const again = []
  for (const newCode of codes) again.push(await enrol(await newCode()))
  expect(again).toEqual(first)
})

it('a device whose layout has an accent for = is enrolled by its scanner', async ({ window: { page }, tenant }) => {
  await page.goto('/scan')
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
  const scanner = await Scanner.at(page)
  await scanner.scan(`https://stock.example/scan#code=${await newDeviceCode(tenant)}`, { layout: 'german' })
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
})

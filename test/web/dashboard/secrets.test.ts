import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { hold } from '../support/hold.ts'
import { seed, signIn } from '../support/page-server.ts'
import { answerSaving } from '../support/unsaved.ts'

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()

const toOrders = (page: Page): Promise<void> => page.getByRole('link', { name: 'Orders', exact: true }).click()

describe('a secret whose screen is left while it is made', () => {
  it('is shown where the person is, who then stays there: an API key', async ({ window: { page }, tenant, service }) => {
    await signIn(page, tenant.key, '/keys/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('ERP')
    const { isHeld, end } = await hold(page, 'POST', '**/dashboard/api/v1/api-keys')
    await press(page, 'Create key')
    await isHeld
    await toOrders(page)
    await answerSaving(page, 'Leave')
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await end()
    const dialog = page.getByRole('dialog', { name: 'New API key' })
    const value = await dialog.getByRole('textbox', { name: 'API key' }).inputValue()
    const used = await fetch(`${service.url}/api/v1/orders`, { headers: { 'x-api-key': value } })
    expect(used.status).toBe(200)
    await page.goBack()
    await dialog.getByRole('alert').waitFor()
    await press(page, 'I have stored it')
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/dashboard/orders')
    await page.getByRole('link', { name: 'Products', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor()
  })

  it('the signing secret of a new webhook', async ({ window: { page }, tenant, receiver }) => {
    await signIn(page, tenant.key, '/webhooks/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('shop')
    await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url)
    const { isHeld, end } = await hold(page, 'POST', '**/dashboard/api/v1/webhooks')
    await press(page, 'Create webhook')
    await isHeld
    await toOrders(page)
    await answerSaving(page, 'Leave')
    await end()
    const value = page.getByRole('dialog', { name: 'Signing secret' }).getByRole('textbox', { name: 'Signing secret' })
    expect(await value.inputValue()).toMatch(/^whsec_/)
  })

  it('a signing secret that is rotated; its dialog can be left meanwhile', async ({ window: { page }, tenant, receiver }) => {
    const { id } = await seed(tenant, '/webhooks', { name: 'shop', url: receiver.url, events: ['*'] })
    await signIn(page, tenant.key, `/webhooks/${id}`)
    await press(page, 'Rotate secret')
    const { isHeld, end } = await hold(page, 'POST', '**/rotate-secret')
    const dialog = page.getByRole('dialog', { name: 'Rotate secret' })
    await dialog.getByRole('button', { name: 'Rotate secret' }).click()
    await isHeld
    await dialog.getByRole('button', { name: 'Back' }).click()
    await answerSaving(page, 'Leave')
    await toOrders(page)
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await end()
    const value = page.getByRole('dialog', { name: 'Signing secret' }).getByRole('textbox', { name: 'Signing secret' })
    expect(await value.inputValue()).toMatch(/^whsec_/)
  })

  it('the code that enrols a device', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/devices')
    await press(page, 'Enrol a device')
    await page.getByRole('textbox', { name: 'Device name' }).fill('Front')
    const { isHeld, end } = await hold(page, 'POST', '**/devices/codes')
    await press(page, 'Make a code')
    await isHeld
    await page.keyboard.press('Escape')
    await answerSaving(page, 'Leave')
    await toOrders(page)
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await end()
    expect(await page.getByRole('textbox', { name: 'Enrolment code' }).inputValue()).not.toBe('')
  })

  it('badges, one after the other; only leaving the document asks', async ({ window: { page }, tenant }) => {
    for (const name of ['Ada', 'Zoe']) await seed(tenant, '/operators', { name, email: `${name}@example.com` })
    await signIn(page, tenant.key, '/operators')
    const ends: (() => Promise<unknown>)[] = []
    for (const name of ['Ada', 'Zoe']) {
      const { isHeld, end } = await hold(page, 'POST', '**/operators/*/badge')
      ends.push(end)
      await press(page, `New badge for ${name}`)
      await isHeld
    }
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.evaluate(() => location.reload())
    await expect.poll(() => asked).toEqual(['beforeunload'])
    await press(page, 'Account')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await answerSaving(page, 'Stay')

    for (const [index, name] of ['Ada', 'Zoe'].entries()) {
      await ends[index]?.()
      const dialog = page.getByRole('dialog', { name: `Badge of ${name}` })
      await dialog.getByRole('img', { name: 'QR code' }).waitFor()
      await dialog.getByRole('button', { name: 'Close' }).last().click()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
    expect(asked).toHaveLength(1)
  })
})

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { focusedName } from '../support/keyboard.ts'
import { seed, signIn } from '../support/page-server.ts'
import { enrolled } from '../support/scan-client.ts'
import { readBarcode } from '../support/read-barcode.ts'

const cells = (page: Page, name: string): Promise<string[]> =>
  page.getByRole('row').filter({ hasText: name }).getByRole('cell').allTextContents()

describe('operators', () => {
  it('are added and edited; the messages of the server are beside their fields', async ({ window, tenant }) => {
    window.expectComplaint(/400|409/)
    await seed(tenant, '/operators', { name: 'Grace', email: 'grace@example.com' })
    const { page } = window
    await signIn(page, tenant.key, '/operators')
    await page.getByText('1 operator', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add operator' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add operator' })
    await expect.poll(() => focusedName(page)).toBe('Name')
    await page.keyboard.type('Ada')
    const email = dialog.getByRole('textbox', { name: 'E-mail' })
    await email.fill('ada at example.com')
    await dialog.getByRole('button', { name: 'Add operator' }).click()
    await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true')
    await email.fill('GRACE@example.com')
    await dialog.getByRole('button', { name: 'Add operator' }).click()
    await dialog.getByRole('alert').waitFor()
    await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true')
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada')
    await email.fill('ada@example.com')
    await dialog.getByRole('checkbox', { name: 'May change stock' }).check()
    await dialog.getByRole('button', { name: 'Add operator' }).click()
    await page.getByRole('status').getByText('Added Ada').last().waitFor()
    await page.getByText('2 operators', { exact: true }).waitFor()
    expect((await cells(page, 'Ada')).slice(0, 3)).toEqual(['Ada', 'ada@example.com', 'Yes'])

    await page.getByRole('button', { name: 'Edit Ada' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit Ada' })
    await edit.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
    await edit.getByRole('checkbox', { name: 'May change stock' }).uncheck()
    await edit.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved Ada Lovelace').last().waitFor()
    await page.getByRole('cell', { name: 'Ada Lovelace', exact: true }).waitFor()
    expect((await cells(page, 'Ada')).slice(0, 3)).toEqual(['Ada Lovelace', 'ada@example.com', 'No'])
    const { entries } = (await tenant.request('GET', '/audit-log?operation=operators.update')).body.data
    expect(entries.map(({ input }: { input: object }) => input)).toMatchObject([
      { name: 'Ada Lovelace', may_change_stock: false },
    ])
    expect(entries[0].input).not.toHaveProperty('email')
  })

  it('are deactivated and activated', async ({ window, tenant }) => {
    const { id } = await seed(tenant, '/operators', { name: 'Ada', email: 'ada@example.com' })
    const { page } = window
    await signIn(page, tenant.key, '/operators')
    await page.getByRole('button', { name: 'Deactivate Ada' }).click()
    await page.getByRole('status').getByText('Deactivated Ada').last().waitFor()
    await page.getByRole('cell', { name: 'Inactive' }).waitFor()
    expect((await tenant.request('GET', `/operators/${id}`)).body.data.is_active).toBe(false)
    await page.getByRole('button', { name: 'Activate Ada' }).click()
    await page.getByRole('cell', { name: 'Active', exact: true }).waitFor()
    expect((await tenant.request('GET', `/operators/${id}`)).body.data.is_active).toBe(true)
  })

  it.for(['light', 'dark'] as const)(
    'get a badge that scanners read, with %s colours; it is printed alone, and a reload shows it nowhere',
    async (colorScheme, { window, tenant }) => {
      const { id } = await seed(tenant, '/operators', { name: 'Ada', email: 'ada@example.com' })
      const { page } = window
      await page.emulateMedia({ colorScheme })
      await signIn(page, tenant.key, '/operators')
      await page.getByRole('button', { name: 'New badge for Ada' }).click()
      const dialog = page.getByRole('dialog', { name: 'Badge of Ada' })
      const badge = (await dialog.getByText(/^FB-/).textContent()) ?? ''
      expect(badge).toMatch(/^FB-\d+-[0-9A-Z]{13}$/)
      expect(await readBarcode(dialog.getByRole('img', { name: 'QR code' }))).toEqual(['QRCode', badge])
      expect(await readBarcode(dialog.getByRole('img', { name: 'Barcode' }))).toEqual(['Code128', badge])

      const device = await enrolled(tenant)
      expect((await device.scanBadge({ id, badge })).body.data.operator.name).toBe('Ada')
      await page.evaluate(() => (globalThis.print = () => document.body.setAttribute('data-prints', 'once')))
      await dialog.getByRole('button', { name: 'Print' }).click()
      expect(await page.locator('body').getAttribute('data-prints')).toBe('once')
      await page.emulateMedia({ media: 'print' })
      const printed = (await page.locator('body').innerText()).split('\n').filter((line) => line.trim() !== '')
      expect(printed).toEqual(['Ada', badge])
      expect(await readBarcode(page.getByRole('img', { name: 'Barcode' }))).toEqual(['Code128', badge])
      await page.emulateMedia({ media: 'screen' })
      await dialog.getByRole('button', { name: 'Close' }).last().click()
      await page.getByRole('cell', { name: 'Issued' }).waitFor()
      await page.reload()
      await page.getByRole('cell', { name: 'Issued' }).waitFor()
      const kept = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify([localStorage, sessionStorage]))
      expect(kept).not.toContain(badge)
    },
  )
})

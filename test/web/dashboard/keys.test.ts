import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { atMost } from '../../support/patience.ts'
import { it } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'

describe('a key', () => {
  it('is made by keyboard alone, copied and used, and a reload shows it nowhere', async ({ window, tenant, service }) => {
    const { page } = window
    await signIn(page, tenant.key, '/keys')
    await tabTo(page, 'New key')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New key' }).waitFor()
    await tabTo(page, 'Name')
    await page.keyboard.type('Made by keyboard')
    await tabTo(page, 'Read Only')
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('checkbox', { name: 'write:orders' }).isChecked()).toBe(true)
    await tabTo(page, 'Create key')
    await page.keyboard.press('Enter')

    const dialog = page.getByRole('dialog', { name: 'New API key' })
    await dialog.waitFor()
    const value = await dialog.getByRole('textbox', { name: 'API key' }).inputValue()
    await tabTo(page, 'Copy key')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Copied the key').last().waitFor()
    expect(await clipboardOf(page)).toBe(value)
    const used = await fetch(`${service.url}/api/v1/orders`, { headers: { 'x-api-key': value } })
    expect(used.status).toBe(200)

    await page.keyboard.press('Escape')
    await dialog.getByRole('alert').waitFor()
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    expect((await asked).type()).toBe('beforeunload')
    await (await asked).dismiss()
    await page.goBack()
    expect(await dialog.getByRole('textbox', { name: 'API key' }).inputValue()).toBe(value)
    await tabTo(page, 'I have stored it')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Made by keyboard' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Made by keyboard' }).waitFor()
    const kept = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify([localStorage, sessionStorage]))
    expect(kept).not.toContain(value)
    expect(page.url()).not.toContain(value)
  })

  it('is copied, and screen readers are told so over its dialog', async ({ window: { page, context }, tenant }) => {
    await signIn(page, tenant.key, '/keys/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('ERP')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog', { name: 'New API key' }).getByRole('button', { name: 'Copy key' }).click()
    const told = page.getByRole('status').getByText('Copied the key')
    await told.waitFor()
    const { nodes } = await (await context.newCDPSession(page)).send('Accessibility.getFullAXTree')
    const exposed = nodes.filter(({ ignored }) => !ignored).map(({ role, name }) => `${role?.value} ${name?.value}`)
    expect(exposed).toContain('StaticText Copied the key')
    // The screen behind the dialog is.
    expect(exposed).not.toContain('heading New key')
    expect(await told.evaluate((text) => text.closest('[inert], [aria-hidden]'))).toBeNull()
  })

  it('revoked, ends its own session on another server within a second', async ({
    window,
    openWindow,
    tenant,
    service,
    startService,
  }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const key = await tenant.createKey({ name: 'Second', scopes: ['admin'] })
    const second = await openWindow({ baseURL: other.url })
    second.expectComplaint(/401/)
    await signIn(second.page, key, '/keys')
    await second.page.getByRole('link', { name: 'Second' }).waitFor()

    const { page } = window
    await signIn(page, tenant.key, '/keys')
    await page.getByRole('button', { name: 'Revoke Second' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke Second' })
    const typed = dialog.getByRole('textbox', { name: 'Type Second to confirm' })
    await typed.fill('Second')
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByRole('status').getByText('Revoked Second').last().waitFor()
    const status = (): Promise<number> =>
      second.page.evaluate(async () => (await fetch('/dashboard/session', { headers: { 'X-Page': 'dashboard' } })).status)
    await expect.poll(status, { timeout: atMost(1_000), interval: 100 }).toBe(401)
  })

  it('that was used in the last hour is revoked only after its name is typed', async ({ window: { page }, tenant, service }) => {
    for (const [name, minutes] of [
      ['Old', 61],
      ['Recent', 59],
    ] as const) {
      await tenant.createKey({ name })
      await service.db.dedicatedPool.query(
        `update api_keys set last_used_at = now() - $3 * interval '1 minute' where tenant_id = $1 and name = $2`,
        [tenant.id, name, minutes],
      )
    }
    await signIn(page, tenant.key, '/keys')
    await page.getByRole('button', { name: 'Revoke Old' }).click()
    const old = page.getByRole('dialog', { name: 'Revoke Old' })
    await old.getByRole('textbox').waitFor({ state: 'detached' })
    await old.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByRole('status').getByText('Revoked Old').last().waitFor()

    await page.getByRole('button', { name: 'Revoke Recent' }).click()
    const recent = page.getByRole('dialog', { name: 'Revoke Recent' })
    const act = recent.getByRole('button', { name: 'Revoke key' })
    await recent.getByRole('textbox', { name: 'Type Recent to confirm' }).fill('recent')
    expect(await act.isDisabled()).toBe(true)
    await recent.getByRole('textbox', { name: 'Type Recent to confirm' }).fill('Recent')
    await act.click()
    await page.getByRole('status').getByText('Revoked Recent').last().waitFor()
  })

  it('that was first used after the list was read is revoked only after its name is typed', async ({
    window: { page },
    tenant,
    service,
  }) => {
    await tenant.createKey({ name: 'Recent' })
    await signIn(page, tenant.key, '/keys')
    const revoke = page.getByRole('button', { name: 'Revoke Recent' })
    const dialog = page.getByRole('dialog', { name: 'Revoke Recent' })
    const typed = dialog.getByRole('textbox', { name: 'Type Recent to confirm' })
    // In use is taken for granted until it is known.
    const known = Promise.withResolvers<void>()
    await page.route(/\/api-keys\/\d+$/, async (route) => {
      await known.promise
      await route.continue()
    })
    await revoke.click()
    await typed.waitFor()
    known.resolve()
    await typed.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Close' }).click()

    await service.db.dedicatedPool.query(`update api_keys set last_used_at = now() where tenant_id = $1 and name = 'Recent'`, [
      tenant.id,
    ])
    const read = page.waitForResponse(/\/api-keys\/\d+$/)
    await revoke.click()
    await read
    await dialog.getByText('This key was used in the last hour.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Revoke key' }).isDisabled()).toBe(true)
    await typed.fill('Recent')
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByRole('status').getByText('Revoked Recent').last().waitFor()
  })

  it('like another one has its name, scopes, addresses and expiry', async ({ window: { page }, tenant }) => {
    const created = { name: 'ERP', preset: 'erp_sync', ip_whitelist: ['192.168.100.0/24'], expires_at: '2130-12-31' }
    const { id } = await seed(tenant, '/api-keys', created)
    await signIn(page, tenant.key, `/keys/${id}`)
    await page.getByRole('link', { name: 'Create a key like this' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog', { name: 'New API key' }).getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    const keys: { id: number; name: string }[] = (await tenant.request('GET', '/api-keys')).body.data.api_keys
    const [first, second] = keys.filter(({ name }) => name === 'ERP')
    const same = {
      scopes: expect.any(Array),
      mode: 'live',
      ip_whitelist: ['192.168.100.0/24'],
      expires_at: '2130-12-31T23:59:59.999Z',
    }
    expect([first, second]).toMatchObject([same, same])
    expect(first?.id).not.toBe(second?.id)
  })

  it('expires at the end of a day in UTC, and the field says so', async ({ openWindow, tenant }) => {
    const { page } = await openWindow({ timezoneId: 'America/Los_Angeles' })
    await signIn(page, tenant.key, '/keys/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('ERP')
    await page.getByRole('button', { name: 'Expires' }).click()
    await page.getByRole('option', { name: 'On a date' }).click()
    const field = page.getByLabel('Expiry date')
    expect(await describedBy(page, field)).toBe('UTC')
    await field.fill('2130-12-01')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog', { name: 'New API key' }).getByRole('button', { name: 'I have stored it' }).click()
    const expiry = page.getByRole('row').filter({ hasText: 'ERP' }).locator('time', { hasText: '2130' })
    await expiry.waitFor()
    expect([await expiry.textContent(), await expiry.getAttribute('title')]).toEqual([
      'Dec 1, 2130, 15:59:59',
      '2130-12-01 23:59:59 UTC',
    ])
  })

  it('that is refused keeps what was typed, with the message beside its field', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/400/)
    await signIn(page, tenant.key, '/keys/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('ERP')
    const addresses = page.getByRole('textbox', { name: 'Allowed addresses' })
    await addresses.fill('10.0.0.0/99')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => addresses.getAttribute('aria-invalid')).toBe('true')
    expect(await describedBy(page, addresses)).toMatch(/CIDR range/)
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('ERP')
  })
})

describe('sessions', () => {
  it('lists the sessions of the tenant and ends another', async ({ window, openWindow, tenant }) => {
    const key = await tenant.createKey({ name: 'Colleague', scopes: ['admin'] })
    const second = await openWindow()
    second.expectComplaint(/401/)
    await signIn(second.page, key, '/keys')
    const { page } = window
    await signIn(page, tenant.key, '/sessions')
    await page.getByRole('button', { name: 'End session of Colleague' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByRole('status').getByText('Ended 1 session').last().waitFor()
    await second.page.getByRole('link', { name: 'Sessions' }).click()
    await second.page.getByRole('dialog', { name: 'Sign in' }).waitFor()
  })
})

async function describedBy(page: Page, field: ReturnType<Page['getByRole']>): Promise<string> {
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? []
  return page.evaluate((of) => of.map((id) => document.querySelector(`[id="${id}"]`)?.textContent ?? '').join(' '), ids)
}

import type { Request } from 'playwright-core'
import { describe, expect } from 'vitest'
import { startServerProcess } from '../../support/server-process.ts'
import { cloneDatabase } from '../../support/test-database.ts'
import { inject } from 'vitest'
import { it } from '../support/browser.ts'
import { signIn } from '../support/page-server.ts'

describe('the first start', () => {
  it('prints a link that opens the dashboard once; its code is in no log and not in the address', async ({
    window,
    openWindow,
    expect,
  }) => {
    const database = await cloneDatabase(inject('postgresUrl'))
    const server = await startServerProcess({ DATABASE_URL: database.url })
    try {
      const [, link = '', code = ''] = await server.printed(/Dashboard \(once, 15 minutes\)\s+(http\S+#code=(\S+))/)
      const printed = server.output()
      const { page } = window
      const requested: string[] = []
      page.on('request', (request) => requested.push(request.url()))
      await page.goto(link)
      const open = page.getByRole('button', { name: 'Open the dashboard' })
      await open.waitFor()
      expect(page.url()).not.toContain(code)
      // A preview opens the page too.
      const preview = await openWindow()
      await preview.page.goto(link)
      await preview.page.getByRole('button', { name: 'Open the dashboard' }).waitFor()
      await open.click()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('banner').waitFor()
      expect(page.url()).not.toContain(code)
      expect(requested.join()).not.toContain(code)

      const second = await openWindow()
      second.expectComplaint(/401/)
      await second.page.goto(link)
      await second.page.getByRole('button', { name: 'Open the dashboard' }).click()
      await second.page.getByRole('alert').waitFor()
      expect(server.output().replace(printed, '')).not.toContain(code)
    } finally {
      await server.end('SIGTERM')
      await database.drop()
    }
  })
})

describe('sign-in', () => {
  it('goes back to the address that was asked for', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/401/)
    await page.goto('/dashboard/keys?page=2')
    await page.getByRole('textbox', { name: 'API key' }).fill(tenant.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(page.url()).toContain('/dashboard/keys?page=2')
  })

  it('a link that is pasted into a tab with the sign-in page takes the place of an older one', async ({ window, tenant }) => {
    window.expectComplaint(/401/)
    const { page } = window
    await page.goto('/dashboard/sign-in#code=1-OLD')
    await page.getByRole('button', { name: 'Open the dashboard' }).click()
    await page.getByRole('alert').waitFor()
    // Nothing but the fragment changes: the browser loads nothing.
    await page.goto('/dashboard/sign-in#code=1-NEW')
    await page.getByRole('alert').waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('NEW')
    const [request] = await Promise.all([
      page.waitForRequest('**/dashboard/session'),
      page.getByRole('button', { name: 'Open the dashboard' }).click(),
    ])
    expect(request.postDataJSON()).toEqual({ code: '1-NEW' })
    await page.getByRole('button', { name: 'Sign in with a key' }).click()
    await page.getByRole('textbox', { name: 'API key' }).fill(tenant.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  })

  it('sends the key once and keeps it nowhere', async ({ window, tenant }) => {
    const { page } = window
    const requests: Request[] = []
    page.on('request', (request) => requests.push(request))
    await page.goto('/dashboard/sign-in?next=%2Fkeys')
    await page.getByRole('textbox', { name: 'API key' }).fill(tenant.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'test key' }).waitFor()
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    const kept = await page.evaluate(async () => {
      const fields = [...document.querySelectorAll('input')].map(({ value }) => value)
      const databases = (await indexedDB.databases()).length + (await caches.keys()).length
      return [
        document.documentElement.outerHTML,
        fields,
        JSON.stringify(localStorage),
        JSON.stringify(sessionStorage),
        history.state,
        location.href,
        databases,
      ]
    })
    const texts = await Promise.all(
      requests.map(
        async (request) => `${request.url()} ${JSON.stringify(await request.allHeaders())} ${request.postData() ?? ''}`,
      ),
    )
    const sent = requests
      .filter((_, index) => texts[index]?.includes(tenant.key))
      .map((request) => `${request.method()} ${new URL(request.url()).pathname}`)
    expect(JSON.stringify(kept)).not.toContain(tenant.key)
    expect(kept.at(-1)).toBe(0)
    expect(sent).toEqual(['POST /dashboard/session'])
  })

  it('shows the message for a wrong key and keeps what was typed', async ({ window }) => {
    const { page } = window
    window.expectComplaint(/401/)
    await page.goto('/dashboard/sign-in')
    await page.getByRole('textbox', { name: 'API key' }).fill('service_live_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('textbox', { name: 'API key' }).inputValue()).toBe('service_live_wrong')
  })

  it('ends with Sign out', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/401|ERR_FAILED/)
    await signIn(page, tenant.key, '/')
    const signOut = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Account' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    await page.route('**/dashboard/session', (route) => route.abort())
    await signOut()
    await page.getByRole('status').getByText('You are still signed in: ').last().waitFor()
    await page.unroute('**/dashboard/session')
    await signOut()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto('/dashboard/keys')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await window.context.cookies()).toEqual([])
  })
})

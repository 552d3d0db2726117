import type { Locator, Page, Request } from 'playwright-core'
import { describe, expect } from 'vitest'
import { respondWith } from '../../support/receiver.ts'
import { it } from '../support/browser.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'

const MARKUP = `<img src="/x" onerror="document.body.dataset.broken='yes'">`

async function createWebhook(page: Page, name: string, url: string): Promise<string> {
  await page.getByRole('link', { name: 'New webhook' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('textbox', { name: 'URL' }).fill(url)
  await page.getByRole('group', { name: 'Topics' }).getByRole('checkbox', { name: 'product/created' }).check()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Signing secret' })
  const secret = await dialog.getByRole('textbox', { name: 'Signing secret' }).inputValue()
  await dialog.getByRole('button', { name: 'Copy secret' }).click()
  await page.getByRole('status').getByText('Copied the secret').last().waitFor()
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  return secret
}

describe('the topics of a webhook', () => {
  it('are all standard ones or some of them, and those asked for by name beside either', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/webhooks/new')
    const topics = page.getByRole('group', { name: 'Topics' })
    const [all, created, reservation] = ['All standard topics', 'order/created', 'reservation/updated'].map((name) =>
      topics.getByRole('checkbox', { name }),
    ) as [Locator, Locator, Locator]
    const chosen = () => Promise.all([all, created, reservation].map((box) => box.isChecked()))
    await created.check()
    await reservation.check()
    expect(await chosen()).toEqual([false, true, true])
    await all.check()
    expect(await chosen()).toEqual([true, false, true])
    await reservation.uncheck()
    await reservation.check()
    expect(await chosen()).toEqual([true, false, true])
    await page.getByRole('textbox', { name: 'Name' }).fill('shop')
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/hook')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('dialog', { name: 'Signing secret' }).waitFor()
    const { body } = await tenant.request('GET', '/webhooks')
    expect(body.data.webhooks[0].events).toEqual(['*', 'reservation/updated'])
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
    await page.getByText('All standard topics, reservation/updated', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await created.check()
    expect(await chosen()).toEqual([false, true, true])
  })
})

describe('webhooks', () => {
  it('shows the secret once, each attempt at a failing receiver, and sends again when asked', async ({
    window,
    tenant,
    receiver,
    service,
  }) => {
    receiver.behave(respondWith(500, { 'content-type': 'text/html' }, MARKUP))
    const { page } = window
    await signIn(page, tenant.key, '/webhooks')
    const secret = await createWebhook(page, 'shop', receiver.url)
    expect(secret).toMatch(/^whsec_/)
    expect(await clipboardOf(page)).toBe(secret)

    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await receiver.count(1)
    // Once it is recorded, no further attempt comes by itself: it would count below.
    const postpone = `update waiting_deliveries set next_attempt_at = now() + interval '1 hour'
      where tenant_id = $1 and state = 'pending' and jsonb_array_length(attempts) = 1`
    await expect.poll(async () => (await service.db.dedicatedPool.query(postpone, [tenant.id])).rowCount).toBe(1)
    await page.reload()
    const link = page.getByRole('table', { name: 'Deliveries' }).getByRole('link', { name: 'product/created' })
    await link.waitFor()
    const kept = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify([localStorage, sessionStorage]))
    expect(kept).not.toContain(secret)

    await link.click()
    await page.getByRole('heading', { level: 1, name: 'Delivery of product/created' }).waitFor()
    const attempts = page.getByRole('table', { name: 'Attempts' })
    await attempts.getByRole('cell', { name: '500', exact: true }).first().waitFor()
    await attempts.getByText(MARKUP).first().waitFor()
    expect(await page.getByRole('main').locator('img').count()).toBe(0)
    expect(await page.locator('body').getAttribute('data-broken')).toBeNull()
    await page
      .getByRole('main')
      .getByText(/^in \d+ (s|min|h)$/)
      .waitFor()
    await page.getByRole('region', { name: 'Body' }).filter({ hasText: '"Tea"' }).waitFor()

    receiver.behave(respondWith(200, {}, 'ok'))
    const before = receiver.received.length
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByRole('status').getByText('Queued one more attempt').last().waitFor()
    await receiver.count(before + 1)
    await attempts.getByRole('cell', { name: 'Retry', exact: true }).waitFor()
    await page.getByRole('main').getByText('Succeeded', { exact: true }).waitFor()

    await page.getByRole('link', { name: /^Webhook \d+$/ }).click()
    await page.getByRole('button', { name: 'Replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay' })
    await dialog.getByLabel('Since').fill(new Date(Date.now() - 3_600_000).toISOString())
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('status').getByText('Queued 1 delivery').last().waitFor()
    await receiver.count(before + 2)
    // What has arrived is counted a moment later.
    const counted = async (): Promise<number> => {
      const since = new Date(Date.now() - 3_600_000).toISOString()
      const { hours } = (await tenant.request('GET', `/reports/deliveries?since=${since}`)).body.data
      return hours.reduce((sum: number, { succeeded }: { succeeded: number }) => sum + succeeded, 0)
    }
    await expect.poll(counted).toBe(2)

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    const [succeeded, attempted] = await page
      .getByRole('progressbar', { name: 'Attempts of shop in the last 24 hours that succeeded' })
      .evaluate((bar: HTMLProgressElement) => [bar.value, bar.max])
    expect([succeeded, attempted > succeeded]).toEqual([2, true])
  })

  it('can be tested, turned off, rotated, edited and deleted', async ({ window, tenant, receiver }) => {
    const { page } = window
    const { id } = await seed(tenant, '/webhooks', { name: 'shop', url: receiver.url, events: ['*'] })
    await signIn(page, tenant.key, `/webhooks/${id}`)
    await page.getByRole('button', { name: 'Send test' }).click()
    await page
      .getByRole('status')
      .getByText(/^The receiver responded with 200 in/)
      .waitFor()
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Succeeded').waitFor()

    await page.getByRole('switch', { name: 'Active' }).click()
    await page.getByRole('status').getByText('Turned off shop').last().waitFor()
    expect((await tenant.request('GET', `/webhooks/${id}`)).body.data.active).toBe(false)

    await page.getByRole('button', { name: 'Rotate secret' }).click()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/rotate-secret', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('dialog', { name: 'Rotate secret' }).getByRole('button', { name: 'Rotate secret' }).click()
    // It asks, and the response ends the question: the new secret is shown.
    await page.keyboard.press('Escape')
    release()
    const secret = page.getByRole('dialog', { name: 'Signing secret' })
    expect(await secret.getByRole('textbox', { name: 'Signing secret' }).inputValue()).toMatch(/^whsec_/)
    await secret.getByRole('button', { name: 'I have stored it' }).click()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('store')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'store' }).waitFor()

    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete' })
    const act = dialog.getByRole('button', { name: 'Delete store' })
    const typed = dialog.getByRole('textbox', { name: 'Type store to confirm' })
    expect(await act.isDisabled()).toBe(true)
    await typed.fill('store')
    await act.click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    expect((await tenant.request('GET', `/webhooks/${id}`)).status).toBe(404)
  })

  it('has the message of a refused URL beside its field and loses nothing', async ({ window, tenant }) => {
    window.expectComplaint(/400/)
    const { page } = window
    await signIn(page, tenant.key, '/webhooks/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('shop')
    const url = page.getByRole('textbox', { name: 'URL' })
    await url.fill('ftp://shop.example/hook')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('shop')
  })

  it('reads the health of each webhook for the list once, and not whenever the tab comes to the front', async ({
    window: { page },
    tenant,
    receiver,
  }) => {
    await seed(tenant, '/webhooks', { name: 'shop', url: receiver.url, events: ['*'] })
    const isReport = (request: Request): boolean => request.url().includes('/reports/deliveries?')
    let reports = 0
    page.on('request', (request) => {
      if (isReport(request)) reports += 1
    })
    // On a busy machine, Chromium says of a request whose response was read to its end that it was aborted.
    const isReported = Promise.race([
      page.waitForEvent('requestfinished', isReport),
      page.waitForEvent('requestfailed', isReport),
    ])
    await signIn(page, tenant.key, '/webhooks')
    await isReported
    const isListed = page.waitForResponse('**/webhooks?*')
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await isListed
    expect(reports).toBe(1)
  })

  it('disables each write of a key that may only read, with its reason', async ({ window, tenant, receiver }) => {
    const { id } = await seed(tenant, '/webhooks', { name: 'shop', url: receiver.url, events: ['*'] })
    const key = await tenant.createKey({ name: 'reader', scopes: ['read:webhooks'] })
    const { page } = window
    await signIn(page, key, '/webhooks')
    await page.getByRole('link', { name: 'shop' }).waitFor()
    const entries = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    expect(await entries.allTextContents()).toEqual(['Home', 'Webhooks', 'Events'])
    expect(await page.getByRole('link', { name: 'New webhook' }).getAttribute('aria-disabled')).toBe('true')
    await page.goto(`/dashboard/webhooks/${id}`)
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
    const buttons = ['Send test', 'Rotate secret', 'Replay', 'Delete'].map((name) =>
      page.getByRole('button', { name, exact: true }),
    )
    for (const act of [...buttons, page.getByRole('switch', { name: 'Active' })]) {
      expect(await act.isDisabled(), String(act)).toBe(true)
      const reason = await act.getAttribute('aria-describedby')
      expect(await page.locator(`[id="${reason}"]`).textContent()).toBe('This key lacks write:webhooks')
    }
  })
})

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { focusedHeading, focusedName } from '../support/keyboard.ts'
import { goToScreen } from '../support/open-screen.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'
import { answerUnsaved } from '../support/unsaved.ts'

const SEARCH = 'Search orders, products and pages'

const opened = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

describe('the keys of every screen', () => {
  it('open search with Ctrl or Cmd, the requests and the list of keys; Esc gives the focus back', async ({ window, tenant }) => {
    const { page } = window
    await signIn(page, tenant.key, '/orders')
    for (const [key, dialog, focused] of [
      ['Control+k', 'Search', SEARCH],
      ['Meta+k', 'Search', SEARCH],
      ['`', 'Requests', undefined],
      ['?', 'Keys', undefined],
    ] as const) {
      await page.getByRole('button', { name: 'Account' }).focus()
      await page.keyboard.press(key)
      await opened(page, dialog).waitFor()
      if (focused !== undefined) await expect.poll(() => focusedName(page)).toBe(focused)
      await page.keyboard.press('Escape')
      await opened(page, dialog).waitFor({ state: 'detached' })
      await expect.poll(() => focusedName(page)).toBe('Account')
    }
  })

  it('lead to each screen with g', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    for (const [key, heading] of [
      ['h', 'Home'],
      ['o', 'Orders'],
      ['p', 'Products'],
      ['s', 'Stock'],
      ['m', 'Movements'],
      ['k', 'Picking'],
      ['i', 'Inbound'],
      ['w', 'Webhooks'],
      ['e', 'Events'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await expect.poll(() => focusedHeading(page)).toBe(heading)
    }
  })

  it('lead to the first filter with /, whatever it is', async ({ window: { page }, tenant }) => {
    const { id } = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['*'] })
    await signIn(page, tenant.key, '/orders')
    for (const [path, filter] of [
      ['/orders', 'Order identifier'],
      ['/products', 'Search products'],
      ['/stock', 'Search products'],
      ['/movements', 'Type'],
      ['/events', 'Topic'],
      ['/audit', 'Operation'],
      ['/usage', 'Operation'],
      [`/webhooks/${id}`, 'State'],
    ] as const) {
      await goToScreen(page, path)
      await page.keyboard.press('/')
      await expect.poll(() => focusedName(page), { message: path }).toBe(filter)
    }
  })

  it('do nothing behind a dialog, in a field and in a list of choices', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/movements')
    await page.getByRole('button', { name: 'Type' }).focus()
    await page.keyboard.type('gp')
    await page.getByRole('combobox', { name: 'Location' }).fill('')
    await page.keyboard.type('gp/?`')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Requests' }).press('Enter')
    await opened(page, 'Requests').waitFor()
    await opened(page, 'Requests').getByRole('button', { name: 'Close' }).focus()
    await page.keyboard.type('gp/?')
    await expect.poll(() => focusedName(page)).toBe('Close')
    expect([new URL(page.url()).pathname, await page.getByRole('dialog').count()]).toEqual(['/dashboard/movements', 1])
    await page.keyboard.press('`')
    await opened(page, 'Requests').waitFor({ state: 'detached' })
  })

  it('the key of a screen does nothing without g, also in the first moments of a page', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    await page.evaluate(() => {
      const pressed = new KeyboardEvent('keydown', { key: 'p', bubbles: true })
      Object.defineProperty(pressed, 'timeStamp', { value: 700 })
      document.body.dispatchEvent(pressed)
    })
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(new URL(page.url()).pathname).toBe('/dashboard/orders')
  })

  it('can be turned off but for search, which this browser remembers', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    await page.keyboard.press('?')
    const single = page.getByRole('switch', { name: 'Single-key shortcuts' })
    expect(await single.isChecked()).toBe(true)
    await single.click()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    await page.keyboard.type('?`gp')
    await page.keyboard.press('Control+k')
    await opened(page, 'Search').waitFor()
    expect([new URL(page.url()).pathname, await page.getByRole('dialog').count()]).toEqual(['/dashboard/orders', 1])
    await page.keyboard.press('Escape')
    // The account menu is the way back.
    await page.getByRole('button', { name: 'Account' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).press('Enter')
    await opened(page, 'Keys').waitFor()
    expect(await single.isChecked()).toBe(false)
    await single.press('Space')
    await page.keyboard.press('Escape')
    await opened(page, 'Keys').waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe('Account')
    await page.keyboard.press('?')
    await opened(page, 'Keys').waitFor()
  })
})

describe('search', () => {
  it('asks three times at once after the last key, for five each; finds orders by id and customer too', async ({
    window: { page },
    tenant,
  }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-15', order_detail: [{ barcode: '1', quantity: 1 }] }
    const { id } = (await seed(tenant, '/orders', { ...order, customer_name: 'Grace Hopper' })).orders[0]
    await signIn(page, tenant.key, '/keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.keyboard.press('Control+k')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname + new URL(request.url()).search))
    await page.getByRole('combobox', { name: SEARCH }).fill('gra')
    await page.getByRole('option', { name: 'SHOP-1 Grace Hopper' }).waitFor()
    const calls = asked.filter((path) => !path.endsWith('/pulse'))
    expect(calls.map((path) => path.replace('/dashboard/api/v1', '')).toSorted()).toEqual([
      '/orders?customer_name=gra&limit=5',
      '/orders?order_tenant_id=gra&limit=5',
      '/products?search=gra&limit=5',
    ])
    await page.getByRole('combobox', { name: SEARCH }).fill(String(id))
    await page.getByRole('option', { name: `Order with id ${id}` }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Order SHOP-1' }).waitFor()
    // A scanner types a barcode and Enter.
    await seed(tenant, '/products', { name: 'Mate', barcode: '4006381333931' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: SEARCH }).pressSequentially('4006381333931')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Mate' }).waitFor()
  })
})

describe('the address', () => {
  it('that is unknown says so, with a link home', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/nowhere/17')
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor()
    expect(await page.title()).toBe('There is no such page · test tenant · Fulfillment')
    await page.getByRole('main').getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  })

  it('has a filter as one step, however slowly it is typed', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('checkbox', { name: 'Pending' }).check()
    const customer = page.getByRole('textbox', { name: 'Customer' })
    for (const typed of ['G', 'Gr', 'Gra']) {
      await customer.pressSequentially(typed.at(-1) ?? '')
      await expect.poll(() => new URL(page.url()).searchParams.get('customer')).toBe(typed)
    }
    await page.getByRole('textbox', { name: 'Order identifier' }).fill('SHOP')
    await expect.poll(() => new URL(page.url()).search).toBe('?state=1&customer=Gra&order_tenant_id=SHOP')
    for (const search of ['?state=1&customer=Gra', '?state=1', '']) {
      await page.goBack()
      await expect.poll(() => new URL(page.url()).search).toBe(search)
    }
    await page.goForward()
    await page.goForward()
    await expect.poll(() => customer.inputValue()).toBe('Gra')
  })
})

describe('the banner', () => {
  it('has live and test data; what the session has not is disabled, with the reason', async ({ openWindow, tenant }) => {
    const admin = await openWindow()
    await signIn(admin.page, tenant.key, '/orders')
    const dataOf = (page: Page) => page.getByRole('radiogroup', { name: 'Data' }).getByRole('radio')
    expect(await dataOf(admin.page).count()).toBe(2)
    expect(await admin.page.getByRole('radio', { name: 'Test' }).isDisabled()).toBe(false)

    const live = await tenant.createKey({ name: 'reader', scopes: ['read:orders'] })
    const { key: test } = await seed(tenant, '/api-keys', { name: 'sandbox', preset: 'full_access', mode: 'test' })
    for (const [key, name, reason] of [
      [live, 'Test', 'This key lacks admin'],
      [test, 'Live', 'A test key has no live data'],
    ] as const) {
      const { page } = await openWindow()
      await signIn(page, key, '/orders')
      await page.getByRole('heading', { name: 'Orders' }).waitFor()
      const other = page.getByRole('radio', { name })
      expect([await dataOf(page).count(), await other.isDisabled()]).toEqual([2, true])
      const id = await other.getAttribute('aria-describedby')
      expect(await page.locator(`[id="${id}"]`).textContent()).toBe(reason)
    }
  })

  it('keeps the theme in this browser', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders')
    const scheme = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
    expect(await scheme()).toBe('light dark')
    for (const [name, expected] of [
      ['Dark', 'dark'],
      ['Light', 'light'],
      ['System', 'light dark'],
    ] as const) {
      await page.getByRole('button', { name: 'Theme' }).click()
      await page.getByRole('listbox', { name: 'Theme' }).getByRole('option', { name }).click()
      await page.reload()
      await page.getByRole('heading', { name: 'Orders' }).waitFor()
      expect(await scheme()).toBe(expected)
    }
  })

  it('shows a message for 6 s, and lists it after that', async ({ window: { page }, tenant }) => {
    await page.clock.install()
    await signIn(page, tenant.key, '/orders')
    const copy = page.getByRole('button', { name: 'Copy as curl' })
    await copy.waitFor()
    await page.clock.pauseAt(Date.now() + 60_000)
    await copy.click()
    const message = page.getByRole('status').getByText('Copied 1 command')
    await message.waitFor()
    await page.clock.runFor(5_500)
    expect(await message.count()).toBe(1)
    await page.clock.runFor(1_000)
    await message.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Notifications' }).click()
    await page.getByRole('dialog', { name: 'Notifications' }).getByText('Copied 1 command').waitFor()
  })

  it('lists the last 50 requests of this tab with status, ms and request id; each can be copied', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/404/)
    await signIn(page, tenant.key, '/orders/17')
    await page.getByRole('alert').waitFor()
    for (let index = 0; index < 55; index++) {
      const answered = page.waitForResponse('**/api/v1/orders/17')
      await page.getByRole('button', { name: 'Try again' }).click()
      await answered
    }
    await page.getByRole('button', { name: 'Requests' }).click()
    const rows = opened(page, 'Requests').getByRole('row')
    expect(await rows.count()).toBe(51)
    expect(await rows.nth(1).locator('time').getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    const [, call, status, ms, id] = await rows.nth(1).getByRole('cell').allTextContents()
    expect([call, status]).toEqual(['GET /api/v1/orders/17', '404'])
    expect(ms).toMatch(/^\d+$/)
    expect(id).not.toBe('')
    expect(await rows.nth(1).getByRole('cell', { name: id, exact: true }).count()).toBe(1)
    await rows.nth(1).getByRole('button', { name: 'Copy as curl' }).click()
    await expect.poll(() => clipboardOf(page)).toBe(`curl '${tenant.url}/api/v1/orders/17' -H "X-API-Key: $FULFILLMENT_API_KEY"`)
  })
})

describe('times', () => {
  it("are those of the browser's zone, with UTC in the title; days of filters are UTC and say so", async ({
    openWindow,
    tenant,
  }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-15', order_detail: [{ barcode: '1', quantity: 1 }] }
    const { id } = (await seed(tenant, '/orders', order)).orders[0]
    const created = new Date((await tenant.request('GET', `/orders/${id}`)).body.data.created_at)
    const { page } = await openWindow({ timezoneId: 'Asia/Kolkata' })
    await signIn(page, tenant.key, '/orders')
    const time = page.getByRole('table', { name: 'Orders' }).getByRole('row').nth(1).locator('time').last()
    await time.waitFor()
    const local = new Date(created.getTime() + 5.5 * 3_600_000).toISOString()
    expect(await time.textContent()).toContain(local.slice(11, 19))
    expect(await time.getAttribute('title')).toBe(`${created.toISOString().slice(0, 19).replace('T', ' ')} UTC`)
    for (const name of ['Created from', 'Created until']) {
      const field = page.getByLabel(name)
      const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? []
      expect([name, await Promise.all(ids.map((each) => page.locator(`[id="${each}"]`).textContent()))]).toEqual([name, ['UTC']])
    }
    // A calendar day has no zone.
    await page.getByRole('cell', { name: 'Jan 15, 2030' }).waitFor()
  })
})

describe('a screen whose files are gone after an update', () => {
  it.for(['a press', 'a key'])(
    'is loaded anew with the page, once, at the same address: by %s',
    async (by, { window, tenant }) => {
      const { page } = window
      window.expectComplaint(/404|Failed to fetch dynamically imported module/)
      await signIn(page, tenant.key, '/keys/new')
      const name = page.getByRole('textbox', { name: 'Name' })
      await name.fill('ERP')
      let documents = 0
      page.on('request', (request) => (documents += request.isNavigationRequest() ? 1 : 0))
      let isAsked = false
      const files = '**/assets/products-screen-*'
      await page.route(files, (route) => {
        isAsked = true
        return route.fulfill({ status: 404, body: '' })
      })
      const link = page.getByRole('link', { name: 'Products' })
      if (by === 'a press') {
        // A link that is pointed at is prepared; what is typed stays.
        await link.hover()
        await expect.poll(() => isAsked).toBe(true)
        await page.mouse.move(600, 700)
        expect([documents, await name.inputValue()]).toEqual([0, 'ERP'])
        await link.click()
      } else {
        await page.getByRole('heading', { name: 'New key' }).click()
        await page.keyboard.type('gp')
      }
      await answerUnsaved(page, 'Discard')
      await page.getByRole('heading', { level: 1, name: 'This screen failed to open' }).waitFor()
      expect([documents, new URL(page.url()).pathname]).toEqual([1, '/dashboard/products'])
      await page.unroute(files)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor()
    },
  )
})

describe('a browser that is too old', () => {
  it.for(['/dashboard', '/scan'])('%s keeps its one sentence', async (path, { window }) => {
    const { page } = window
    // Nobody has signed in.
    window.expectComplaint(/401/)
    await page.route('**/*.css', async (route) => {
      const response = await route.fetch()
      const css = (await response.text()).replaceAll(
        /@supports [^{]*(?=\{\.too-old)/g,
        '@supports (color: colour-of-the-future()) ',
      )
      await route.fulfill({ response, body: css, headers: { 'content-type': 'text/css' } })
    })
    await page.goto(path)
    await page.getByText('This browser is too old for this page').waitFor()
    expect(await page.getByRole('heading').count()).toBe(0)
    await page.unroute('**/*.css')
    await page.goto(path)
    await page.getByRole('heading').waitFor()
    expect(await page.getByText('This browser is too old for this page').count()).toBe(0)
  })
})

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { atMost } from '../../support/patience.ts'
import { abandonCall } from '../support/abandoned-call.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { focusedName } from '../support/keyboard.ts'
import { layoutProblems } from '../support/layout.ts'
import { seed, signIn } from '../support/page-server.ts'
import { answerUnsaved, unsavedQuestion } from '../support/unsaved.ts'

async function fillProduct(page: Page, tenant: TestTenant): Promise<void> {
  await signIn(page, tenant.key, '/products/new')
  await page.getByRole('textbox', { name: 'Name' }).fill('Tea')
  await page.getByRole('textbox', { name: 'Barcode' }).fill('4006381333931')
}

async function productsOf(tenant: TestTenant): Promise<string[]> {
  const { body } = await tenant.request('GET', '/products')
  return body.data.products.map(({ name }: { name: string }) => name)
}

async function newOrder(tenant: TestTenant): Promise<number> {
  await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
  const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-01', order_detail: [{ barcode: '1', quantity: 1 }] }
  return (await seed(tenant, '/orders', order)).orders[0].id
}

const ADJUSTMENT = '**/dashboard/api/v1/stock/adjustment'

/** Of 5 × Tea at A, a dialog that adds 3. */
async function adjustStock(page: Page, tenant: TestTenant) {
  const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 5 }] })
  await signIn(page, tenant.key, `/products/${id}`)
  await page.getByRole('button', { name: 'Adjust stock' }).click()
  const dialog = page.getByRole('dialog', { name: 'Adjust stock' })
  await dialog.getByRole('textbox', { name: 'Location' }).fill('A')
  await dialog.getByRole('spinbutton', { name: 'Change' }).fill('3')
  return {
    id,
    dialog,
    adjust: () => dialog.getByRole('button', { name: 'Adjust', exact: true }).click(),
    isAdjusted: () =>
      page
        .getByRole('status')
        .getByText(/^Tea at A: /)
        .last()
        .waitFor(),
  }
}

const levelsOf = async (tenant: TestTenant, id: number) => (await tenant.request('GET', `/products/${id}`)).body.data.stock

/** Ends the session. The page learns it from its next call, because no pulse tells it before. */
async function endSession(page: Page): Promise<void> {
  await page.route('**/dashboard/pulse', (route) => route.fulfill({ status: 304 }))
  await page.context().clearCookies()
}

/** Signs in over the screen. */
async function signInAgain(page: Page, key: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Sign in' })
  await dialog.getByRole('textbox', { name: 'API key' }).fill(key)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
}

/** Answers the first save with this instead of sending it on. */
async function failOnce(page: Page, status: number, code: string, retryAfter = 1): Promise<string[]> {
  const keys: string[] = []
  await page.route('**/dashboard/api/v1/products', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push(route.request().headers()['idempotency-key'] ?? '')
    if (keys.length > 1) return route.continue()
    const body = { success: false, error: { code, message: 'Try again in a moment' } }
    return route.fulfill({ status, headers: { 'retry-after': String(retryAfter) }, json: body })
  })
  return keys
}

describe('failure in the middle of a form', () => {
  it.for([
    [429, 'rate_limit_exceeded'],
    [503, 'service_unavailable'],
  ] as const)('%d waits, counts down and saves once, with one Idempotency-Key', async ([status, code], { window, tenant }) => {
    const { page } = window
    window.expectComplaint(new RegExp(String(status)))
    await fillProduct(page, tenant)
    const keys = await failOnce(page, status, code, 6)
    await page.getByRole('button', { name: 'Create product' }).click()
    await page
      .getByRole('alert')
      .getByText(/sent again in \d s/)
      .waitFor()
    const button = page.getByRole('button', { name: 'Create product' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    // The pointer is over it, as after every press.
    const background = (): Promise<string> => button.evaluate((element) => getComputedStyle(element).backgroundColor)
    const pointedAt = await background()
    await page.mouse.move(0, 0)
    expect(await background()).toBe(pointedAt)
    await button.press('Enter')
    await page.getByRole('heading', { name: 'Tea' }).waitFor()
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
    expect(await productsOf(tenant)).toEqual(['Tea'])
  })

  it('a long wait can be stopped: nothing typed is lost, and the next save is the same request', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/503/)
    await fillProduct(page, tenant)
    const keys = await failOnce(page, 503, 'service_unavailable', 600)
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await page.getByRole('alert').getByText('Try again in a moment').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Tea')
    expect(keys).toHaveLength(1)
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('heading', { name: 'Tea' }).waitFor()
    expect(keys).toEqual([keys[0], keys[0]])
    expect(await productsOf(tenant)).toEqual(['Tea'])
  })

  it('a busy server in the middle of an edit: what is typed stays, and is saved', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/503/)
    const id = await newOrder(tenant)
    await signIn(page, tenant.key, `/orders/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const customer = page.getByRole('textbox', { name: 'Customer' })
    await customer.fill('Grace')
    await page.route('**/dashboard/api/v1/orders/*', (route) => {
      const body = { success: false, error: { code: 'service_unavailable', message: 'Try again in a moment' } }
      return route.request().method() === 'GET'
        ? route.fulfill({ status: 503, headers: { 'retry-after': '600' }, json: body })
        : route.continue()
    })
    // The browser's tab comes to the front: what is on screen is read again.
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await page.getByRole('alert').getByText('Try again in a moment').waitFor()
    expect(await customer.inputValue()).toBe('Grace')
    await page.unroute('**/dashboard/api/v1/orders/*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved order SHOP-1').last().waitFor()
    expect((await tenant.request('GET', `/orders/${id}`)).body.data.customer_name).toBe('Grace')
  })

  it('an ended session: sign-in over the screen, nothing typed is lost, saved once', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/401/)
    await fillProduct(page, tenant)
    await endSession(page)
    await page.getByRole('button', { name: 'Create product' }).click()
    await signInAgain(page, tenant.key)
    await page.getByRole('heading', { name: 'Tea' }).waitFor()
    expect(await productsOf(tenant)).toEqual(['Tea'])
  })

  it('an ended session under a dialog: what was typed there is sent after the sign-in', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/401/)
    const id = await newOrder(tenant)
    await signIn(page, tenant.key, `/orders/${id}`)
    await page.getByRole('button', { name: 'Cancel order' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('changed mind')
    await endSession(page)
    await page.getByRole('button', { name: 'Cancel order SHOP-1' }).click()
    await signInAgain(page, tenant.key)
    await page.getByRole('status').getByText('Cancelled order SHOP-1').last().waitFor()
    const { body } = await tenant.request('GET', '/events?event=order/cancelled')
    expect(body.data.events[0].data.cancellation_reason).toBe('changed mind')
  })

  it('an ended session while a scan is looked up: it is added after the sign-in; no connection: it is said', async ({
    window,
    tenant,
  }) => {
    const { page, context } = window
    window.expectComplaint(/401|ERR_INTERNET_DISCONNECTED/)
    await seed(tenant, '/products', { name: 'Tea', barcode: '4006381333931' })
    await signIn(page, tenant.key, '/orders/new')
    const field = page.getByRole('combobox', { name: 'Add a product' })
    await field.click()
    await endSession(page)
    await field.fill('4006381333931')
    await field.press('Enter')
    await signInAgain(page, tenant.key)
    await page.getByRole('spinbutton', { name: 'Quantity of Tea' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)

    await context.setOffline(true)
    await field.fill('4006381333931')
    await field.press('Enter')
    const problem = page.getByRole('form', { name: 'New order' }).getByRole('alert')
    expect(await problem.textContent()).toContain('No connection to the server')
    await context.setOffline(false)
  })

  it('an ended session while a screen is read: it is read after the sign-in', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/401/)
    await newOrder(tenant)
    await signIn(page, tenant.key, '/products')
    await page.getByRole('link', { name: 'Tea' }).waitFor()
    // A request of the first screen that ends without the session would ask for the key before the click.
    await page.waitForLoadState('networkidle')
    await endSession(page)
    await page.getByRole('link', { name: 'Orders' }).click()
    await signInAgain(page, tenant.key)
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('a sign-in in another tab: the screen goes on with it, and is sent once; that of another tenant starts anew', async ({
    window,
    tenant,
    service,
  }) => {
    const { page } = window
    window.expectComplaint(/401/)
    await fillProduct(page, tenant)
    await endSession(page)
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    const other = await page.context().newPage()
    await signIn(other, tenant.key, '/orders')
    await other.getByRole('heading', { name: 'Orders' }).waitFor()
    // The browser's tab comes to the front.
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await page.getByRole('heading', { name: 'Tea' }).waitFor()
    expect(await productsOf(tenant)).toEqual(['Tea'])

    await endSession(page)
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    await signIn(other, (await service.newTenant()).key, '/orders')
    await other.getByRole('heading', { name: 'Orders' }).waitFor()
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await page.waitForURL('**/dashboard')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('another tenant signs in in another tab: this one writes nothing there, and starts anew', async ({
    window,
    tenant,
    service,
  }) => {
    const { page } = window
    window.expectComplaint(/401/)
    const other = await service.newTenant()
    await fillProduct(page, tenant)
    // The page learns it from its write.
    await page.route('**/dashboard/pulse', (route) => route.fulfill({ status: 304 }))
    await signIn(page, other.key)
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('list', { name: 'First steps' }).waitFor()
    for (const one of [tenant, other]) expect(await productsOf(one)).toEqual([])

    // By a pulse, not only when everything is read again after a minute.
    await page.unroute('**/dashboard/pulse')
    const isAnew = page.waitForEvent('load', { timeout: atMost(4_000) })
    await signIn(page, tenant.key)
    await isAnew
  })

  it('a sign-in by another tenant over the screen starts anew: nothing of the two mixes', async ({ window, tenant, service }) => {
    const { page } = window
    window.expectComplaint(/401/)
    const other = await service.newTenant()
    await fillProduct(page, tenant)
    await endSession(page)
    await page.getByRole('button', { name: 'Create product' }).click()
    await signInAgain(page, other.key)
    await page.waitForURL('**/dashboard')
    await page.getByRole('list', { name: 'First steps' }).waitFor()
    for (const one of [tenant, other]) expect(await productsOf(one)).toEqual([])
  })

  it('no connection: refused at once, and what was typed stays', async ({ window, tenant }) => {
    const { page, context } = window
    window.expectComplaint(/ERR_INTERNET_DISCONNECTED/)
    await fillProduct(page, tenant)
    await context.setOffline(true)
    await page.getByText(/No connection: what you see is from/).waitFor()
    await page.getByRole('button', { name: 'Create product' }).click()
    await page
      .getByRole('alert')
      .getByText(/Nothing was sent/)
      .waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Tea')
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('heading', { name: 'Tea' }).waitFor()
    expect(await productsOf(tenant)).toEqual(['Tea'])
  })

  it('a server that no longer responds: it is said from the second lost pulse on, with the time of the last response', async ({
    window,
    tenant,
  }) => {
    const { page } = window
    window.expectComplaint(/ERR_FAILED/)
    await page.clock.install({ time: '2030-01-01T14:02:00Z' })
    await signIn(page, tenant.key, '/orders')
    await page.getByText('No orders yet').waitFor()
    const bar = page.getByText(/No connection: what you see is from/)
    const isPulse = (one: { url(): string }): boolean => one.url().endsWith('/dashboard/pulse')
    const lost = (): Promise<unknown> => page.waitForEvent('requestfailed', isPulse)
    const answered = (): Promise<unknown> => page.waitForEvent('response', isPulse)
    const beat = async (outcome: Promise<unknown>): Promise<void> => {
      await page.clock.runFor(3_000)
      await outcome
    }
    const first = lost()
    await page.route('**/dashboard/pulse', (route) => route.abort(), { times: 1 })
    await beat(first)
    expect(await bar.count()).toBe(0)
    await beat(answered())
    expect(await bar.count()).toBe(0)

    await page.route('**/dashboard/**', (route) => route.abort())
    await beat(lost())
    await beat(lost())
    await bar.waitFor()
    await page.clock.fastForward(1_200_000)
    expect(await bar.textContent()).toMatch(/ is from 14:0\d$/)
    await page.unroute('**/dashboard/**')
    await beat(answered())
    await bar.waitFor({ state: 'detached' })
  })

  it('a read that fails while the server responds to pulses: it is said beside what is there', async ({ window, tenant }) => {
    const { page, context } = window
    window.expectComplaint(/ERR_FAILED|ERR_INTERNET_DISCONNECTED/)
    await newOrder(tenant)
    await signIn(page, tenant.key, '/orders')
    const order = page.getByRole('link', { name: 'SHOP-1' })
    await order.waitFor()
    await page.route('**/dashboard/api/v1/orders?*', (route) => route.abort())
    const problem = page.getByRole('alert').getByText('No connection to the server')
    // The browser's tab comes to the front: what is on screen is read again, unless it is being read just then.
    const isTold = async (): Promise<boolean> => {
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
      return await problem.isVisible()
    }
    await expect.poll(isTold, { timeout: 30_000, interval: 500 }).toBe(true)
    expect(await order.count()).toBe(1)

    // The bar says it of the whole screen.
    await context.setOffline(true)
    await page.getByText(/No connection: what you see is from/).waitFor()
    await problem.waitFor({ state: 'detached' })
    await context.setOffline(false)
    await problem.waitFor()
    await page.unroute('**/dashboard/api/v1/orders?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await problem.waitFor({ state: 'detached' })
  })

  it('a lost response: saving again sends the same key, so that it is carried out once', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/ERR_FAILED/)
    await fillProduct(page, tenant)
    let isLost = false
    await page.route('**/dashboard/api/v1/products', async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.continue()
      isLost = true
      await route.fetch()
      return route.abort()
    })
    await page.getByRole('button', { name: 'Create product' }).click()
    await page
      .getByRole('alert')
      .getByText(/No response from the server/)
      .waitFor()
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('heading', { name: 'Tea' }).waitFor()
    expect(await productsOf(tenant)).toEqual(['Tea'])
  })

  it.for([
    ['a failure of a proxy', 502, 'Bad gateway'],
    ['a response that breaks off', 200, '{"success":tr'],
  ] as const)(
    '%s after the write: saving again sends the same key, so that it is carried out once',
    async ([, status, body], { window, tenant }) => {
      const { page } = window
      window.expectComplaint(/502/)
      const { id, dialog, adjust, isAdjusted } = await adjustStock(page, tenant)
      const keys: (string | undefined)[] = []
      await page.route(ADJUSTMENT, async (route) => {
        keys.push(route.request().headers()['idempotency-key'])
        if (keys.length > 1) return route.continue()
        // It is carried out, and its response does not come through.
        await route.fetch()
        return route.fulfill({ status, body })
      })
      await adjust()
      await dialog.getByRole('alert').waitFor()
      await adjust()
      await isAdjusted()
      expect(keys).toEqual([expect.any(String), keys[0]])
      expect(await levelsOf(tenant, id)).toMatchObject([{ quantity: 8 }])
    },
  )

  it('a proxy that gives up while the server is at it: saving again and again carries it out once', async ({
    window,
    tenant,
    service,
  }) => {
    const { page } = window
    window.expectComplaint(/504|409|404/)
    const { id, dialog, adjust, isAdjusted } = await adjustStock(page, tenant)
    const endCall = await abandonCall(page, service.db, tenant, ADJUSTMENT)
    await adjust()
    await dialog.getByRole('alert').getByText('No response from the server. Try again').waitFor()
    const refused = page.waitForResponse((response) => response.status() === 409)
    await adjust()
    await refused
    await dialog.getByRole('alert').getByText('The server is still working on your first attempt.').waitFor()
    await endCall()
    await adjust()
    await isAdjusted()
    expect(await levelsOf(tenant, id)).toMatchObject([{ quantity: 8 }])

    // Its own 404 does not say that the product is gone.
    await page.route(
      `**/products/${id}`,
      (route) => route.fulfill({ status: 404, contentType: 'text/html', body: '<h1>Not found</h1>' }),
      { times: 1 },
    )
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await page.getByRole('alert').getByText('the network has responded in its place (HTTP 404)').waitFor()
    await page.getByRole('table', { name: 'Stock by location' }).waitFor()
  })

  it('a busy server is asked again by itself after the wait that it asked for, counting down', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/429/)
    let requests = 0
    await page.route('**/dashboard/api/v1/products?*', (route) => {
      requests += 1
      if (requests > 1) return route.continue()
      const error = { code: 'rate_limit_exceeded', message: 'Too many requests' }
      return route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: { success: false, error } })
    })
    await signIn(page, tenant.key, '/products')
    await page.getByRole('alert').getByRole('timer').getByText('Tries again in 1 s').waitFor()
    await page.getByText('No products yet').waitFor()
    expect([requests, await page.getByRole('alert').count()]).toEqual([2, 0])
  })

  it('a failed read shows message, request id and Try again', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/500/)
    let isBroken = true
    await page.route('**/dashboard/api/v1/products?*', (route) =>
      isBroken
        ? route.fulfill({
            status: 500,
            headers: { 'x-request-id': 'req-77' },
            json: { success: false, error: { code: 'internal_error', message: 'Something broke' } },
          })
        : route.continue(),
    )
    await signIn(page, tenant.key, '/products')
    const alert = page.getByRole('alert')
    await alert.getByText('Request req-77').waitFor()
    isBroken = false
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No products yet').waitFor()
  })
})

it('while a form is saved nothing can be typed that would be lost; after a refusal the focus is where it was', async ({
  window,
  tenant,
}) => {
  const { page } = window
  window.expectComplaint(/400/)
  await fillProduct(page, tenant)
  const held = Promise.withResolvers<void>()
  await page.route('**/dashboard/api/v1/products', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    await held.promise
    return route.continue()
  })
  const name = page.getByRole('textbox', { name: 'Name' })
  const price = page.getByRole('spinbutton', { name: 'Price' })
  await price.fill('-1')
  await name.press('Enter')
  await expect.poll(() => focusedName(page)).toBe('Create product')
  await page.keyboard.type('pot')
  expect(await name.inputValue()).toBe('Tea')
  held.resolve()
  await page.getByRole('alert').waitFor()
  expect(await focusedName(page)).toBe('Name')
  await page.keyboard.press('End')
  await page.keyboard.type('pot')
  expect(await name.inputValue()).toBe('Teapot')
  await price.fill('1')
  await price.press('Enter')
  await page.getByRole('heading', { name: 'Teapot' }).waitFor()
  expect(await productsOf(tenant)).toEqual(['Teapot'])
})

describe('what was typed and not saved', () => {
  it('is asked for by a link, Back, a reload and the sign-out; not when nothing is typed, or after a save', async ({
    window: { page },
    tenant,
  }) => {
    await signIn(page, tenant.key, '/products')
    await page.getByRole('link', { name: 'New product' }).first().click()
    const name = page.getByRole('textbox', { name: 'Name' })
    // Typed and taken back is nothing.
    await name.fill('Tea')
    await name.fill('')
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await page.goBack()
    await name.fill('Tea')
    for (const leave of [
      () => page.getByRole('link', { name: 'Orders' }).click(),
      () => page.evaluate(() => history.back()),
      async () => {
        await page.getByRole('button', { name: 'Account' }).click()
        await page.getByRole('menuitem', { name: 'Sign out' }).click()
      },
    ]) {
      await leave()
      await answerUnsaved(page, 'Stay')
      await unsavedQuestion(page).waitFor({ state: 'detached' })
      expect([new URL(page.url()).pathname, await name.inputValue()]).toEqual(['/dashboard/products/new', 'Tea'])
    }
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    // The browser stays, so that the page is not loaded.
    await page.evaluate(() => location.reload())
    await expect.poll(() => asked).toEqual(['beforeunload'])
    await page.getByRole('textbox', { name: 'Barcode' }).fill('1')
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tea' }).waitFor()
    expect(await unsavedQuestion(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Edit' }).click()
    await name.fill('Green tea')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Edit' }).click()
    await name.fill('Green tea')
    await page.getByRole('link', { name: 'Orders' }).click()
    await answerUnsaved(page, 'Discard')
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    expect(asked).toEqual(['beforeunload'])
  })

  it('is asked for when a dialog is closed, whatever is typed behind it', async ({ window: { page }, tenant }) => {
    const id = await newOrder(tenant)
    await signIn(page, tenant.key, `/orders/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Customer' }).fill('Ada')
    const dialog = page.getByRole('dialog', { name: 'Cancel order' })
    const closings = [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Back' }).click(),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
    ]
    for (const close of closings) {
      await page.getByRole('button', { name: 'Cancel order' }).click()
      await dialog.waitFor()
      await close()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Cancel order' }).click()
    const reason = dialog.getByRole('textbox', { name: 'Reason' })
    await reason.fill('changed mind')
    for (const close of closings) {
      await close()
      await unsavedQuestion(page).waitFor()
      await page.keyboard.press('Escape')
      await unsavedQuestion(page).waitFor({ state: 'detached' })
      expect(await reason.inputValue()).toBe('changed mind')
    }
    await dialog.getByRole('button', { name: 'Cancel order SHOP-1' }).click()
    await page.getByRole('status').getByText('Cancelled order SHOP-1').last().waitFor()
    expect(await unsavedQuestion(page).count()).toBe(0)
  })
})

describe('on a phone the message of a failed save is in view, at the button that was pressed', () => {
  const FAILURE = { success: false, error: { code: 'internal_error', message: 'Something broke' } }

  /** The gap between the message and the button; both are within the window. */
  async function gapOf(page: Page, button: string): Promise<number> {
    const note = page.getByRole('alert').filter({ hasText: 'Something broke' })
    await note.waitFor()
    const [above, below] = await Promise.all([note.boundingBox(), page.getByRole('button', { name: button }).boundingBox()])
    if (above === null || below === null) throw new Error('not drawn')
    const [first, second] = above.y < below.y ? [above, below] : [below, above]
    expect(first.y).toBeGreaterThanOrEqual(0)
    expect(second.y + second.height).toBeLessThanOrEqual(HEIGHT + 1)
    return second.y - (first.y + first.height)
  }

  const HEIGHT = 560
  const NEAR = 60

  it('of a form', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/500/)
    await page.setViewportSize({ width: 320, height: HEIGHT })
    await page.route('**/dashboard/api/v1/products', (route) => route.fulfill({ status: 500, json: FAILURE }))
    await signIn(page, tenant.key, '/products/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Tea')
    const button = page.getByRole('button', { name: 'Create product' })
    // As a thumb finds it: at the lower edge.
    await button.evaluate((element) => element.scrollIntoView({ block: 'end' }))
    await button.click()
    expect(await gapOf(page, 'Create product')).toBeLessThan(NEAR)
    expect((await page.getByRole('alert').boundingBox())?.y).toBeLessThan((await button.boundingBox())?.y ?? 0)
  })

  it('of an action of the screen, and of a row', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/500/)
    const id = await newOrder(tenant)
    for (const name of ['Ada', 'Bea', 'Cleo', 'Dora']) await seed(tenant, '/operators', { name, email: `${name}@example.com` })
    await page.setViewportSize({ width: 320, height: HEIGHT })
    await page.route(/\/(orders|operators)\/\d+$/, (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 500, json: FAILURE }) : route.continue(),
    )
    await signIn(page, tenant.key, `/orders/${id}`)
    await page.getByRole('button', { name: 'Release' }).click()
    expect(await gapOf(page, 'Release')).toBeLessThan(NEAR)
    await page.goto('/dashboard/operators')
    const button = page.getByRole('button', { name: 'Deactivate Dora' })
    await button.evaluate((element) => element.scrollIntoView({ block: 'end' }))
    await button.click()
    expect(await gapOf(page, 'Deactivate Dora')).toBeLessThan(NEAR)
    expect(await layoutProblems(page)).toEqual([])
  })
})

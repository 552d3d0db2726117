import type { Page } from 'playwright-core'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect } from 'vitest'
import { atMost } from '../../support/patience.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { clickSlowly } from '../support/click-slowly.ts'
import { seed, signIn } from '../support/page-server.ts'

/** What happens is on an open screen so soon. */
const LIVE_MS = 4_000
const MINUTE_MS = 60_000

const newOrder = (tenant: TestTenant, order_tenant_id: string) =>
  seed(tenant, '/orders', { order_tenant_id, assembly_date: '2030-01-15', order_detail: [{ barcode: '1', quantity: 1 }] })

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Orders' }).locator('tbody tr')

/** Counts the pulses of a page. */
function pulsesOf(page: Page): { count: number } {
  const pulses = { count: 0 }
  page.on('request', (request) => {
    if (request.url().endsWith('/dashboard/pulse')) pulses.count++
  })
  return pulses
}

describe('an open list', () => {
  it('has an order that is made over the API within 4 s', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await newOrder(tenant, 'SHOP-1')
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor()
    await newOrder(tenant, 'SHOP-2')
    await page.getByRole('link', { name: 'SHOP-2' }).waitFor({ timeout: atMost(LIVE_MS) })
    expect(await rowsOf(page).count()).toBe(2)
  })

  it('has an order that is made between its first reading and the first pulse', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await newOrder(tenant, 'SHOP-1')
    const made = Promise.withResolvers<void>()
    await page.route('**/dashboard/pulse', async (route) => {
      await made.promise
      await route.continue()
    })
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor()
    await newOrder(tenant, 'SHOP-2')
    made.resolve()
    await page.getByRole('link', { name: 'SHOP-2' }).waitFor({ timeout: atMost(LIVE_MS) })
  })

  it('goes on after a pulse that the network has swallowed', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await page.route('**/dashboard/pulse', () => undefined, { times: 1 })
    const pulses = pulsesOf(page)
    await signIn(page, tenant.key, '/orders')
    await expect.poll(() => pulses.count).toBeGreaterThan(1)
    await newOrder(tenant, 'SHOP-1')
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor({ timeout: atMost(LIVE_MS) })
  })

  it('is asked about again only after the wait that the server asked for', async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/429/)
    await page.clock.install()
    const pulses = pulsesOf(page)
    const refused = page.waitForResponse((response) => response.status() === 429)
    const refusal = { status: 429, headers: { 'retry-after': '60' } }
    await page.route('**/dashboard/pulse', (route) => route.fulfill(refusal), { times: 1 })
    await signIn(page, tenant.key, '/orders')
    await refused
    await page.clock.runFor(30_000)
    expect(pulses.count).toBe(1)
    await page.clock.runFor(40_000)
    await expect.poll(() => pulses.count).toBeGreaterThan(1)
  })

  it('tells of it within 4 s and does not move the row under the pointer', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    for (const name of ['SHOP-1', 'SHOP-2', 'SHOP-3']) await newOrder(tenant, name)
    await signIn(page, tenant.key, '/orders')
    const row = rowsOf(page).filter({ hasText: 'SHOP-2' })
    await row.hover()
    const before = await row.boundingBox()
    await newOrder(tenant, 'SHOP-4')
    await page.getByText('1 new order', { exact: true }).waitFor({ timeout: atMost(LIVE_MS) })
    expect(await row.boundingBox()).toEqual(before)
    expect(await rowsOf(page).count()).toBe(3)
    // What has changed of the rows on screen is there.
    const { orders } = (await tenant.request('GET', '/orders?order_tenant_id=SHOP-2')).body.data
    await seed(tenant, `/orders/${orders[0].id}/cancel`, {})
    await row.getByText('Cancelled').waitFor({ timeout: atMost(LIVE_MS) })
    expect(await row.boundingBox()).toEqual(before)
    await clickSlowly(page.getByRole('button', { name: 'Show new' }))
    await expect.poll(() => rowsOf(page).count()).toBe(4)
  })

  it('shows what waits once the pointer has been away for a minute, but not while Show new has the focus', async ({
    window: { page },
    tenant,
  }) => {
    await page.clock.install()
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await newOrder(tenant, 'SHOP-1')
    await signIn(page, tenant.key, '/orders')
    const show = page.getByRole('button', { name: 'Show new' })
    for (const [name, isFocused] of [
      ['SHOP-2', false],
      ['SHOP-3', true],
    ] as const) {
      await rowsOf(page).filter({ hasText: 'SHOP-1' }).hover()
      const before = await rowsOf(page).count()
      await newOrder(tenant, name)
      await show.waitFor()
      if (isFocused) await show.focus()
      await page.getByRole('heading', { level: 1 }).hover()
      await page.clock.runFor(30_000)
      expect([await show.count(), await rowsOf(page).count()]).toEqual([1, before])
      await page.clock.runFor(31_000)
      if (isFocused) {
        expect([await show.count(), await rowsOf(page).count()]).toEqual([1, before])
        await page.getByRole('button', { name: 'Account' }).focus()
      }
      await expect.poll(() => rowsOf(page).count()).toBe(before + 1)
      await show.waitFor({ state: 'detached' })
    }
  })

  it('reads nothing again while nothing has changed', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await newOrder(tenant, 'SHOP-1')
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor()
    const pulses = pulsesOf(page)
    await expect.poll(() => pulses.count, { timeout: atMost(10_000) }).toBeGreaterThan(1)
    const reads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/')) reads.push(request.url())
    })
    const { count } = pulses
    await expect.poll(() => pulses.count, { timeout: atMost(10_000) }).toBeGreaterThan(count + 1)
    expect(reads).toEqual([])
  })
})

/** A list of what calls of its own make, the newest first. */
interface NewestFirst {
  table: string
  path: string
  text: string
  /** What the list needs before its first row. */
  prepare?: (tenant: TestTenant) => Promise<unknown>
  add: (tenant: TestTenant, name: string) => Promise<unknown>
  /** How soon a row is on screen. */
  ms: number
}

const operator_email = 'ada@example.com'

async function completedOrder(tenant: TestTenant, name: string): Promise<number> {
  const { orders } = await newOrder(tenant, name)
  await seed(tenant, `/orders/${orders[0].id}`, { state_id: 5 }, 'PUT')
  return orders[0].id
}

const NEWEST_FIRST: NewestFirst[] = [
  {
    table: 'Shipments',
    path: '/shipments',
    text: '1 new shipment',
    add: async (tenant, reference) =>
      seed(tenant, '/shipments', {
        order_id: await completedOrder(tenant, `order of ${reference}`),
        reference,
        packages: [{ lines: [{ barcode: '1', quantity: 1 }] }],
      }),
    ms: LIVE_MS,
  },
  {
    table: 'Batches',
    path: '/picking',
    text: '1 new batch',
    add: async (tenant, reference) => {
      const order_tenant_ids = [`order of ${reference}`]
      await newOrder(tenant, `order of ${reference}`)
      await seed(tenant, '/flow-batches', { reference, operator_email, order_tenant_ids })
    },
    ms: LIVE_MS,
  },
  {
    table: 'Done today',
    path: '/picking',
    text: '1 new picking flow',
    add: async (tenant, name) => {
      await newOrder(tenant, name)
      const { id } = await seed(tenant, '/flows', { order_tenant_id: name, operator_email })
      await seed(tenant, `/flows/${id}/picks`, { barcode: '1', location_id: 'A', quantity: 1 })
      await seed(tenant, `/flows/${id}/complete`, {})
    },
    ms: LIVE_MS,
  },
  {
    table: 'Holds',
    path: '/reservations?show=holds',
    text: '1 new hold',
    prepare: async (tenant) => {
      await seed(tenant, '/settings', { reservation_policy: 'track' }, 'PUT')
      await expect.poll(async () => (await tenant.request('GET', '/settings')).body.data.reservation_state).toBe('ready')
    },
    add: (tenant, reference) => seed(tenant, '/holds', { reference, lines: [{ barcode: '1', quantity: 1 }] }),
    // Holds send no event.
    ms: 10_000 + LIVE_MS,
  },
]

describe.each(NEWEST_FIRST)('the list $table', ({ table, path, text, prepare, add, ms }) => {
  it('has a new row in time, and does not move the row under the pointer for it', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: await onlyProduct(tenant), location_id: 'A', quantity: 9 }] })
    await prepare?.(tenant)
    await add(tenant, 'one')
    await signIn(page, tenant.key, path)
    const rows = page.getByRole('table', { name: table, exact: true }).locator('tbody tr')
    const first = rows.filter({ hasText: 'one' })
    await first.waitFor()
    await add(tenant, 'two')
    await rows.filter({ hasText: 'two' }).waitFor({ timeout: atMost(ms) })
    // The lists above get it, too, and would move this one away from under the pointer.
    let before = await first.boundingBox()
    await expect.poll(async () => isDeepStrictEqual(before, (before = await first.boundingBox())), { interval: 700 }).toBe(true)
    await first.hover()
    // A list below the edge of the window was scrolled to.
    before = await first.boundingBox()
    await add(tenant, 'three')
    // On a screen with several lists, each has its section.
    const section = page
      .locator('main, section')
      .filter({ has: page.getByRole('table', { name: table, exact: true }) })
      .last()
    await section.getByText(text, { exact: true }).waitFor({ timeout: atMost(ms) })
    expect([await first.boundingBox(), await rows.count()]).toEqual([before, 2])
    await clickSlowly(section.getByRole('button', { name: 'Show new' }))
    await expect.poll(() => rows.count()).toBe(3)
  })
})

it('a list whose rows leave from under the pointer holds up no other list', async ({ window: { page }, tenant }) => {
  await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
  for (const name of ['SHOP-1', 'SHOP-2']) await newOrder(tenant, name)
  const { id } = await seed(tenant, '/flows', { order_tenant_id: 'SHOP-1', operator_email })
  await signIn(page, tenant.key, '/picking')
  const rowsIn = (name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr')
  await rowsIn('Ready').filter({ hasText: 'SHOP-2' }).waitFor()
  await rowsIn('Running').filter({ hasText: 'SHOP-1' }).hover()
  await seed(tenant, `/flows/${id}/cancel`, {})
  await page.getByText('Nobody is picking.').waitFor({ timeout: atMost(LIVE_MS) })
  await newOrder(tenant, 'SHOP-3')
  await rowsIn('Ready')
    .filter({ hasText: 'SHOP-3' })
    .waitFor({ timeout: atMost(LIVE_MS) })
})

async function onlyProduct(tenant: TestTenant): Promise<number> {
  return (await tenant.request('GET', '/products')).body.data.products[0].id
}

describe('a page that nobody uses', () => {
  it('stops after 30 minutes, and goes on when somebody moves', async ({ window: { page }, tenant }) => {
    await page.clock.install()
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await signIn(page, tenant.key, '/orders')
    await page.getByText('No orders yet').waitFor()
    const pulses = pulsesOf(page)
    await page.clock.runFor(10_000)
    await expect.poll(() => pulses.count).toBeGreaterThan(1)
    await page.clock.fastForward(31 * MINUTE_MS)
    await page.getByText('Paused: move to go on').waitFor()
    const reads: string[] = []
    page.on('request', (request) => reads.push(request.url()))
    await page.clock.runFor(5 * MINUTE_MS)
    expect(reads).toEqual([])
    await newOrder(tenant, 'SHOP-1')
    await page.mouse.move(300, 300)
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor()
    expect(await page.getByText('Paused: move to go on').count()).toBe(0)
    const { count } = pulses
    await page.clock.runFor(10_000)
    await expect.poll(() => pulses.count).toBeGreaterThan(count)
  })

  it('stops while it is hidden, and catches up when it is shown', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await signIn(page, tenant.key, '/orders')
    await page.getByText('No orders yet').waitFor()
    const pulses = pulsesOf(page)
    await expect.poll(() => pulses.count, { timeout: atMost(10_000) }).toBeGreaterThan(0)
    const hide = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (hidden ? 'hidden' : 'visible') })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      }, isHidden)
    await hide(true)
    const { count } = pulses
    await newOrder(tenant, 'SHOP-1')
    await page.waitForTimeout(7_000)
    expect(pulses.count).toBe(count)
    expect(await page.getByText('No orders yet').count()).toBe(1)
    await hide(false)
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor({ timeout: atMost(LIVE_MS) })
  })
})

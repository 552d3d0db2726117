import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { atMost } from '../../support/patience.ts'
import type { TestService } from '../../support/service.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { clickSlowly } from '../support/click-slowly.ts'
import { focusedName } from '../support/keyboard.ts'
import { seed, signIn } from '../support/page-server.ts'

const MINUTE_MS = 60_000
/** What happens on a device is on the screen so soon. */
const LIVE_MS = 4_000

/** A product with 5 in stock at A-01 and 2 at B-02, and an order for 3 of it. */
async function newOrder(tenant: TestTenant, order_tenant_id = 'SHOP-1', assembly_date = '2030-01-15'): Promise<number> {
  const { body } = await tenant.request('GET', '/products')
  if (body.data.products.length === 0) {
    const { id } = await seed(tenant, '/products', { name: 'Green tea', barcode: '1' })
    const levels = [
      { product_id: id, location_id: 'A-01', quantity: 5 },
      { product_id: id, location_id: 'B-02', quantity: 2 },
    ]
    await seed(tenant, '/stock/bulk', { updates: levels })
  }
  const order = { order_tenant_id, assembly_date, order_detail: [{ barcode: '1', quantity: 3 }] }
  return (await seed(tenant, '/orders', order)).orders[0].id
}

async function newFlow(tenant: TestTenant, order_id: number): Promise<number> {
  return (await seed(tenant, '/flows', { order_id, operator_email: 'ada@example.com' })).id
}

const pick = (tenant: TestTenant, flowId: number, pick_id: string, quantity: number, location_id = 'A-01') =>
  seed(tenant, `/flows/${flowId}/picks`, { barcode: '1', location_id, quantity, pick_id })

/** Moves the picking of the tenant so far into the past; to the page, no more time passes on the server. The browser's clock is wrong. */
async function passMinutes(minutes: number, page: Page, { db }: TestService, tenant: TestTenant): Promise<void> {
  const now = Date.now()
  for (const column of ['picking_flows set started_at', 'picks set created_at'])
    await db.dedicatedPool.query(`update ${column} = $1 where tenant_id = $2`, [
      new Date(now - (minutes + 0.5) * MINUTE_MS),
      tenant.id,
    ])
  await page.addInitScript((date) => {
    const get = Headers.prototype.get
    Headers.prototype.get = function (name) {
      return name === 'Date' ? date : get.call(this, name)
    }
  }, new Date(now).toUTCString())
  await page.clock.setFixedTime(new Date(now + 60 * MINUTE_MS))
}

const rowOf = (page: Page, table: string, order: string) =>
  page.getByRole('table', { name: table, exact: true }).getByRole('row').filter({ hasText: order })

async function stockOf(tenant: TestTenant): Promise<Record<string, number>> {
  const { body } = await tenant.request('GET', '/products')
  const { stock } = (await tenant.request('GET', `/products/${body.data.products[0].id}`)).body.data
  return Object.fromEntries(
    stock.map(({ location_id, quantity }: { location_id: string; quantity: number }) => [location_id, quantity]),
  )
}

describe('picking', () => {
  it('shows a flow that was started over the API within 4 s; assigns it; cancels it, which puts the stock back', async ({
    window,
    tenant,
  }) => {
    const orderId = await newOrder(tenant)
    const operator = await seed(tenant, '/operators', { name: 'Grace Hopper', email: 'grace@example.com' })
    const { page } = window
    await signIn(page, tenant.key, '/picking')
    await page.getByText('Nobody is picking.').waitFor()
    await rowOf(page, 'Ready', 'SHOP-1').waitFor()
    const flowId = await newFlow(tenant, orderId)
    const running = rowOf(page, 'Running', 'SHOP-1')
    await running.waitFor({ timeout: atMost(LIVE_MS) })
    await rowOf(page, 'Ready', 'SHOP-1').waitFor({ state: 'detached', timeout: atMost(LIVE_MS) })
    await pick(tenant, flowId, 'scan-1', 2)
    await running.getByText('2 of 3').waitFor({ timeout: atMost(LIVE_MS) })
    await running.getByText('0 min ago').waitFor()
    expect(await stockOf(tenant)).toEqual({ 'A-01': 3, 'B-02': 2 })

    await page.getByRole('button', { name: 'Assign SHOP-1' }).click()
    const assign = page.getByRole('dialog', { name: 'Assign' })
    await assign.getByRole('combobox', { name: 'Operator' }).fill('grace')
    await page.getByRole('option', { name: /Grace Hopper/ }).click()
    await assign.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByRole('status').getByText('SHOP-1 is with grace@example.com now').last().waitFor()
    await running.getByText('grace@example.com').waitFor()
    const flow = (await tenant.request('GET', `/flows/${flowId}`)).body.data
    expect([flow.operator_email, flow.operator_id]).toEqual(['grace@example.com', operator.id])
    await expect.poll(() => focusedName(page)).toBe('Assign SHOP-1')

    await page.getByRole('button', { name: 'Cancel flow SHOP-1' }).click()
    const cancel = page.getByRole('dialog', { name: 'Cancel flow SHOP-1' })
    await cancel.getByRole('textbox', { name: 'Reason' }).fill('The shift ended')
    await cancel.getByRole('button', { name: 'Cancel flow SHOP-1' }).click()
    await page.getByRole('status').getByText('Cancelled the picking of SHOP-1').last().waitFor()
    await page.getByText('Nobody is picking.').waitFor()
    await rowOf(page, 'Ready', 'SHOP-1').waitFor()
    expect(await stockOf(tenant)).toEqual({ 'A-01': 5, 'B-02': 2 })
    expect((await tenant.request('GET', `/flows/${flowId}`)).body.data).toMatchObject({
      state: 'cancelled',
      cancellation_reason: 'The shift ended',
    })
  })

  it('assigns to an e-mail address that is typed; the server decides what one is', async ({ window, tenant }) => {
    window.expectComplaint(/400/)
    const flowId = await newFlow(tenant, await newOrder(tenant))
    const { page } = window
    await signIn(page, tenant.key, '/picking')
    await page.getByRole('button', { name: 'Assign SHOP-1' }).click()
    const dialog = page.getByRole('dialog', { name: 'Assign' })
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    const field = dialog.getByRole('combobox', { name: 'Operator' })
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.fill('bo@example.com')
    await field.press('Enter')
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByRole('status').getByText('SHOP-1 is with bo@example.com now').last().waitFor()
    const flow = (await tenant.request('GET', `/flows/${flowId}`)).body.data
    expect([flow.operator_email, flow.operator_id]).toEqual(['bo@example.com', null])
  })

  it('keeps an open dialog when its flow leaves the list, and shows what the server says', async ({ window, tenant }) => {
    window.expectComplaint(/400/)
    const flowId = await newFlow(tenant, await newOrder(tenant))
    const { page } = window
    await signIn(page, tenant.key, '/picking')
    await page.getByRole('button', { name: 'Assign SHOP-1' }).click()
    const dialog = page.getByRole('dialog', { name: 'Assign' })
    const field = dialog.getByRole('combobox', { name: 'Operator' })
    await field.fill('bo@example.com')
    await field.press('Enter')
    await seed(tenant, `/flows/${flowId}/cancel`, {})
    await page
      .locator('main')
      .getByText('Nobody is picking.')
      .waitFor({ timeout: atMost(LIVE_MS) })
    expect(await field.inputValue()).toBe('bo@example.com')
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.getByRole('alert').getByText(/flow/).waitFor()
  })

  it.for([
    [15, false],
    [16, true],
  ] as const)(
    '%d minutes after the last pick a flow is marked as stale: %s',
    async ([minutes, isStale], { window, tenant, service }) => {
      const orderId = await newOrder(tenant)
      await newOrder(tenant, 'SHOP-2')
      const flowId = await newFlow(tenant, orderId)
      await pick(tenant, flowId, 'scan-1', 1)
      const { page } = window
      await passMinutes(minutes, page, service, tenant)
      await signIn(page, tenant.key, '/picking')
      const running = rowOf(page, 'Running', 'SHOP-1')
      await running.getByText(`${minutes} min ago`).waitFor()
      expect(await running.getByText('Stale').count()).toBe(isStale ? 1 : 0)
    },
  )

  it('reads a flow again for its last pick after another one alone, however much changes', async ({
    window: { page },
    tenant,
  }) => {
    const flowId = await newFlow(tenant, await newOrder(tenant))
    await pick(tenant, flowId, 'scan-1', 1)
    let reads = 0
    page.on('request', (request) => (reads += request.url().endsWith(`/api/v1/flows/${flowId}`) ? 1 : 0))
    await signIn(page, tenant.key, '/picking')
    const running = rowOf(page, 'Running', 'SHOP-1')
    await running.getByText('0 min ago').waitFor()
    const { products } = (await tenant.request('GET', '/products')).body.data
    for (const quantity of [7, 8, 9]) {
      const listed = page.waitForResponse(/\/api\/v1\/flows\?/)
      await seed(tenant, '/stock/bulk', { updates: [{ product_id: products[0].id, location_id: 'B-02', quantity }] })
      await listed
      // The first pulse reads again whatever was read before it.
      if (quantity === 7) reads = 0
    }
    expect(reads).toBe(0)
    await pick(tenant, flowId, 'scan-2', 1)
    await running.getByText('2 of 3').waitFor()
    await expect.poll(() => reads).toBe(1)
  })

  it('says of a flow without a pick how long it has run', async ({ window, tenant, service }) => {
    await newFlow(tenant, await newOrder(tenant))
    const { page } = window
    await passMinutes(20, page, service, tenant)
    await signIn(page, tenant.key, '/picking')
    await rowOf(page, 'Running', 'SHOP-1').getByText('None in 20 min').waitFor()
    await rowOf(page, 'Running', 'SHOP-1').getByText('Stale').waitFor()
  })

  it('lists what was completed today, and marks orders that are overdue', async ({ window, tenant }) => {
    const orderId = await newOrder(tenant)
    await newOrder(tenant, 'LATE-1', '2020-01-15')
    const flowId = await newFlow(tenant, orderId)
    const { page } = window
    await signIn(page, tenant.key, '/picking')
    await page.getByText('No order was picked today (UTC).').waitFor()
    const pagesOf = (list: string) => page.getByRole('navigation', { name: `Pages of ${list}` })
    expect([await pagesOf('Ready').count(), await pagesOf('Done today').count()]).toEqual([1, 0])
    await pick(tenant, flowId, 'scan-1', 3)
    await seed(tenant, `/flows/${flowId}/complete`, {})
    await rowOf(page, 'Done today', 'SHOP-1').waitFor({ timeout: atMost(LIVE_MS) })
    expect(await rowOf(page, 'Done today', 'SHOP-1').getByRole('cell').nth(3).textContent()).toBe('3')
    expect(await pagesOf('Done today').count()).toBe(1)
    await page.getByText('1 picking flow since midnight UTC').waitFor()
    await rowOf(page, 'Ready', 'LATE-1').getByText('Overdue').waitFor()
    await page.clock.setFixedTime(new Date(Date.now() + 24 * 60 * MINUTE_MS))
    await page.reload()
    await page.getByText('No order was picked today (UTC).').waitFor()
  })

  it('lists all that was completed today by pages, and nothing of the days before', async ({
    service,
    window: { page },
    tenant,
  }) => {
    const flows: number[] = []
    for (let order = 1; order <= 55; order++) {
      const flow = await newFlow(tenant, await newOrder(tenant, `SHOP-${order}`))
      await seed(tenant, `/flows/${flow}/complete`, {})
      flows.push(flow)
    }
    // The first was completed yesterday, the second after all others.
    await service.db.dedicatedPool.query(
      `update picking_flows set completed_at = completed_at + case id when $2 then interval '-1 day' else interval '1 hour' end
       where tenant_id = $1 and id in ($2, $3)`,
      [tenant.id, flows[0], flows[1]],
    )
    await signIn(page, tenant.key, '/picking')
    await page.getByText('54 picking flows since midnight UTC').waitFor()
    const rows = page.getByRole('table', { name: 'Done today' }).locator('tbody tr')
    expect(await rows.count()).toBe(50)
    expect(await rows.first().getByRole('cell').first().textContent()).toBe('SHOP-2')
    await page.getByRole('navigation', { name: 'Pages of Done today' }).getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => rows.count()).toBe(4)
    expect(new URL(page.url()).search).toBe('?done=2')
    expect(await rows.last().getByRole('cell').first().textContent()).toBe('SHOP-3')
  })

  it('moves no row that is pointed at: new orders wait until they are asked for', async ({ window, tenant }) => {
    await newOrder(tenant, 'SHOP-2', '2030-01-15')
    const { page } = window
    await signIn(page, tenant.key, '/picking')
    await rowOf(page, 'Ready', 'SHOP-2').hover()
    await newOrder(tenant, 'SHOP-1', '2030-01-14')
    await page.getByText('1 new order').waitFor({ timeout: atMost(LIVE_MS) })
    expect(await rowOf(page, 'Ready', 'SHOP').count()).toBe(1)
    await clickSlowly(page.getByRole('button', { name: 'Show new' }))
    await rowOf(page, 'Ready', 'SHOP-1').waitFor()
    expect(await rowOf(page, 'Ready', 'SHOP').getByRole('link').allTextContents()).toEqual(['SHOP-1', 'SHOP-2'])
  })
})

describe('a picking flow', () => {
  it('has its lines, where they lie and its picks in order; a pick is undone, which puts the stock back', async ({
    window,
    tenant,
  }) => {
    const flowId = await newFlow(tenant, await newOrder(tenant))
    const { page } = window
    await signIn(page, tenant.key, '/picking')
    await page.getByRole('table', { name: 'Running' }).getByRole('link', { name: 'SHOP-1' }).click()
    await page.getByRole('heading', { level: 1, name: 'Picking SHOP-1' }).waitFor()
    await page.getByText('Nothing has been picked yet.').waitFor()
    await pick(tenant, flowId, 'scan-1', 1)
    await pick(tenant, flowId, 'scan-2', 2, 'B-02')
    const picks = page.getByRole('table', { name: 'Picks' }).getByRole('row')
    await picks.nth(2).waitFor({ timeout: atMost(LIVE_MS) })
    const cells = await Promise.all([1, 2].map((row) => picks.nth(row).getByRole('cell').allTextContents()))
    expect(cells.map((texts) => texts.slice(1, 4))).toEqual([
      ['Green tea', 'A-01', '1'],
      ['Green tea', 'B-02', '2'],
    ])
    const line = page.getByRole('table', { name: 'Lines' }).getByRole('row').nth(1)
    expect((await line.getByRole('cell').allTextContents()).filter((text) => text !== '')).toEqual([
      'Green tea',
      '1',
      '3',
      '3',
      '0',
      'A-01: 4',
    ])

    await page.getByRole('button', { name: 'Undo Green tea from B-02' }).click()
    await page.getByRole('dialog').getByText('2 × Green tea goes back to B-02').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo pick' }).click()
    await page.getByRole('status').getByText('Undid the pick of Green tea').last().waitFor()
    await expect.poll(() => picks.count()).toBe(2)
    expect(await stockOf(tenant)).toEqual({ 'A-01': 4, 'B-02': 2 })

    await page.getByRole('button', { name: 'Cancel flow SHOP-1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel flow SHOP-1' }).click()
    await page.getByRole('status').getByText('Cancelled the picking of SHOP-1').last().waitFor()
    await page.getByRole('button', { name: 'Assign SHOP-1' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0)
    expect(await stockOf(tenant)).toEqual({ 'A-01': 5, 'B-02': 2 })
  })

  it('says, as its order does, which lines are fulfilled with less than was ordered', async ({ window, tenant }) => {
    const cheese = { name: 'Cheese', barcode: '1', weighable: true, pick_tolerance_percent: 10 }
    const { id } = await seed(tenant, '/products', cheese)
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-01', quantity: 5 }] })
    const lines = [2, 1].map((quantity) => ({ barcode: '1', quantity }))
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-15', order_detail: lines }
    const orderId = (await seed(tenant, '/orders', order)).orders[0].id
    const flowId = await newFlow(tenant, orderId)
    await pick(tenant, flowId, 'scan-1', 1.85)
    const { page } = window
    await signIn(page, tenant.key, `/picking/${flowId}`)
    const textsOf = async (row: number) =>
      (await page.getByRole('table', { name: 'Lines' }).getByRole('row').nth(row).getByRole('cell').allTextContents()).map(
        (text) => text.trim(),
      )
    await expect.poll(() => textsOf(1)).toEqual(['Cheese', '1', '2', '1.85', '0', 'Fulfilled', 'A-01: 3.15'])
    await expect.poll(() => textsOf(2)).toEqual(['Cheese', '1', '1', '0', '1', '', 'A-01: 3.15'])
    await page.getByRole('link', { name: 'SHOP-1' }).click()
    await expect
      .poll(() => textsOf(1))
      .toEqual(['Cheese', '1', '', '2', '1.85', 'Fulfilled'].map((text, index) => (index === 2 ? expect.any(String) : text)))
    expect((await textsOf(2)).at(-1)).toBe('')
  })

  it('that does not exist says so', async ({ window, tenant }) => {
    window.expectComplaint(/404/)
    await signIn(window.page, tenant.key, '/picking/17')
    await window.page.getByRole('alert').getByText('Picking flow 17 does not exist').waitFor()
  })
})

describe('batches', () => {
  it('are started by a rule or by name, show slots and stops, and are completed or cancelled', async ({ window, tenant }) => {
    window.expectComplaint(/400/)
    await newOrder(tenant, 'SHOP-1', '2030-01-15')
    await newOrder(tenant, 'SHOP-2', '2030-01-14')
    await newOrder(tenant, 'SHOP-3', '2030-01-16')
    const { page } = window
    await signIn(page, tenant.key, '/picking')
    await page.getByText('No batch is being picked.').waitFor()
    const start = page.getByRole('dialog', { name: 'Start a batch' })
    await page.getByRole('button', { name: 'Start a batch' }).click()
    await start.getByRole('combobox', { name: 'Operator' }).fill('ada@example.com')
    await page.keyboard.press('Tab')
    await start.getByRole('spinbutton', { name: 'At most' }).fill('51')
    await start.getByRole('button', { name: 'Start a batch' }).click()
    await start.getByText(/50/).first().waitFor()
    await start.getByRole('spinbutton', { name: 'At most' }).fill('2')
    await start.getByRole('button', { name: 'Start a batch' }).click()

    await page.getByRole('heading', { level: 1, name: /^Batch No\. \d+$/ }).waitFor()
    await rowOf(page, 'Slots', 'SHOP-2').getByRole('cell', { name: '1', exact: true }).waitFor()
    await rowOf(page, 'Slots', 'SHOP-1').getByText('0 of 1').waitFor()
    await rowOf(page, 'Stops', 'A-01').getByText('3 into 1, 2 into 2').waitFor()
    await rowOf(page, 'Stops', 'B-02').getByText('1 into 2').waitFor()
    const { flow_batches: started } = (await tenant.request('GET', '/flow-batches?state=started')).body.data
    const [first, second] = started[0].slots.map(({ flow_id }: { flow_id: number }) => flow_id)
    await pick(tenant, first, 'scan-1', 3)
    await rowOf(page, 'Stops', 'A-01')
      .getByText('2 into 2')
      .waitFor({ timeout: atMost(LIVE_MS) })
    await pick(tenant, second, 'scan-2', 2)
    await page.getByRole('button', { name: /^Complete batch/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Complete batch/ })
      .click()
    await page
      .getByRole('status')
      .getByText(/^Completed batch/)
      .waitFor()
    await page.getByText('Ended').waitFor()
    expect((await tenant.request('GET', '/orders?state_id=5')).body.data.pagination.total).toBe(1)

    await page.getByRole('link', { name: 'Picking', exact: true }).first().click()
    await page.getByRole('button', { name: 'Start a batch' }).click()
    await start.getByRole('combobox', { name: 'Operator' }).fill('ada@example.com')
    await page.keyboard.press('Tab')
    await start.getByRole('radio', { name: 'By name' }).check({ force: true })
    await start.getByRole('textbox', { name: 'Orders to pick' }).fill('SHOP-3\nSHOP-1')
    await start.getByRole('button', { name: 'Start a batch' }).click()
    await rowOf(page, 'Slots', 'SHOP-1').getByRole('cell', { name: '2', exact: true }).waitFor()
    await rowOf(page, 'Missing', 'Product').getByText('1 into 1, 1 into 2').waitFor()
    await page.getByRole('link', { name: 'Picking', exact: true }).first().click()
    await page.getByRole('button', { name: /^Cancel batch/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Cancel batch/ })
      .click()
    await page
      .getByRole('status')
      .getByText(/^Cancelled batch/)
      .waitFor()
    await page.getByText('No batch is being picked.').waitFor()
  })
})

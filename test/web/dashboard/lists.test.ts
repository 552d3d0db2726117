import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { reserve } from '../../support/reservations.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { clickSlowly } from '../support/click-slowly.ts'
import { goToScreen, resize } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'
import { answerUnsaved, unsavedQuestion } from '../support/unsaved.ts'

async function newProduct(tenant: TestTenant): Promise<number> {
  return (await seed(tenant, '/products', { name: 'Tea', barcode: '1', sku: 'TEA' })).id
}

async function newOrders(tenant: TestTenant, count: number, name = 'SHOP'): Promise<number[]> {
  const orders = Array.from({ length: count }, (_, index) => ({
    order_tenant_id: `${name}-${index + 1}`,
    assembly_date: '2030-01-15',
    order_detail: [{ barcode: '1', quantity: 1 }],
  }))
  return (await seed(tenant, '/orders', { orders })).orders.map(({ id }: { id: number }) => id)
}

/** The browser's tab comes to the front: what is on screen is read again. */
const readAgain = (page: Page): Promise<boolean> => page.evaluate(() => dispatchEvent(new Event('visibilitychange')))

const firstCells = (page: Page, table: string): Promise<string[]> =>
  page.getByRole('table', { name: table, exact: true }).locator('tbody tr td:first-child').allTextContents()

describe('a page past the end', () => {
  it('says so and leads to the last one, in every list', async ({ window: { page }, tenant }) => {
    await reserve(tenant, 'track')
    const id = await newProduct(tenant)
    await newOrders(tenant, 60)
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 3 }] })
    await seed(tenant, '/operators', { name: 'Ada', email: 'ada@example.com' })
    const flow = await seed(tenant, '/flows', { order_tenant_id: 'SHOP-1', operator_email: 'ada@example.com' })
    await seed(tenant, `/flows/${flow.id}/picks`, { barcode: '1', location_id: 'A', quantity: 1 })
    const webhook = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['*'] })
    await seed(tenant, `/webhooks/${webhook.id}/test`, {})
    for (const path of ['/inbound', '/returns']) await seed(tenant, path, { lines: [{ product_id: id, quantity: 1 }] })
    await seed(tenant, '/counts', { product_ids: [id] })
    await signIn(page, tenant.key)
    const lists: [path: string, parameter?: string, last?: number][] = [
      ['/orders', 'page', 2],
      ['/products'],
      ['/stock'],
      ['/movements'],
      ['/picking', 'running'],
      ['/picking', 'ready', 2],
      ['/locations'],
      ['/locations/labels'],
      ['/keys'],
      ['/operators'],
      ['/reservations', 'page', 2],
      ['/inbound'],
      ['/returns'],
      ['/counts'],
      [`/webhooks/${webhook.id}`],
    ]
    for (const [path, parameter = 'page', last = 1] of lists) {
      await goToScreen(page, `${path}?${parameter}=700`)
      await page.getByText(`There is no page 700. The last one is ${last}.`).waitFor()
      expect([path, await page.getByText(/ yet/).count()]).toEqual([path, 0])
      await page.getByRole('button', { name: 'Go to the last page' }).click()
      await expect.poll(() => new URL(page.url()).search).toBe(last === 1 ? '' : `?${parameter}=${last}`)
      await page.getByText(/There is no page/).waitFor({ state: 'detached' })
    }
  })

  it('leads back with Previous page too; an empty list is empty on any page', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders?page=700')
    await page.getByText('No orders yet').waitFor()
    await newProduct(tenant)
    await newOrders(tenant, 60)
    await page.reload()
    await page.getByText('There is no page 700. The last one is 2.').waitFor()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => firstCells(page, 'Orders')).toHaveLength(10)
    expect(new URL(page.url()).search).toBe('?page=2')
  })

  it('of a feed leads to the first one', async ({ window: { page }, tenant }) => {
    await newProduct(tenant)
    const first = (await tenant.request('GET', '/events')).body.data.events[0].id
    await signIn(page, tenant.key, `/events?cursor=${first}`)
    await page.getByText('There is nothing on this page.').waitFor()
    await page.getByRole('button', { name: 'Go to the first page' }).click()
    await expect.poll(() => firstCells(page, 'Events')).toHaveLength(1)
  })
})

describe('new rows', () => {
  it('never move the row under the pointer: they wait until they are asked for', async ({ window: { page }, tenant }) => {
    const id = await newProduct(tenant)
    await newOrders(tenant, 1)
    await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A', quantity: 3 }] })
    await signIn(page, tenant.key, '/orders')
    for (const [screen, table, add, text] of [
      ['/orders', 'Orders', () => newOrders(tenant, 3, 'NEW'), '3 new orders'],
      ['/products', 'Products', () => seed(tenant, '/products', { name: 'Cup', barcode: '2' }), '1 new product'],
      ['/movements', 'Movements', () => adjust(tenant, id), '1 new movement'],
    ] as const) {
      await goToScreen(page, screen)
      const before = await firstCells(page, table)
      await page.getByRole('table', { name: table }).getByRole('row').nth(1).hover()
      await add()
      await readAgain(page)
      await page.getByText(text, { exact: true }).waitFor()
      expect([screen, await firstCells(page, table)]).toEqual([screen, before])
      await clickSlowly(page.getByRole('button', { name: 'Show new' }))
      await expect.poll(() => firstCells(page, table)).toHaveLength(before.length + Number.parseInt(text, 10))
      await page.getByText(text).waitFor({ state: 'detached' })
    }
  })

  it('wait in a list that was drawn under a resting pointer', async ({ window: { page }, tenant }) => {
    const id = await newProduct(tenant)
    await adjust(tenant, id)
    await signIn(page, tenant.key, '/movements')
    // As browsers tell it: what was under the pointer before is gone, so it comes from an element around both.
    await page
      .getByRole('table', { name: 'Movements' })
      .getByRole('row')
      .nth(1)
      .evaluate((row) => {
        const relatedTarget = document.querySelector('main')
        row.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse', relatedTarget }))
      })
    await adjust(tenant, id)
    await page.getByText('1 new movement', { exact: true }).waitFor()
  })

  it('of the audit log wait until they are asked for', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/audit')
    const rows = page.getByRole('table', { name: 'Audit' }).getByRole('row')
    await rows.nth(1).waitFor()
    const before = await rows.count()
    await newProduct(tenant)
    await readAgain(page)
    await page.getByText('1 new entry', { exact: true }).waitFor()
    expect(await rows.count()).toBe(before)
    await page.getByRole('button', { name: 'Show new' }).click()
    await rows.filter({ hasText: 'products.create' }).waitFor()
  })
})

const adjust = (tenant: TestTenant, product_id: number) =>
  seed(tenant, '/stock/adjustment', { product_id, location_id: 'A', adjustment_quantity: 1 })

describe('a list without rows', () => {
  it('has one way to the first action; with filters it offers to clear them', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders')
    for (const [path, sentence, action] of [
      ['/orders', 'No orders yet', 'New order'],
      ['/products', 'No products yet', 'New product'],
      ['/stock', 'No products yet', 'New product'],
      ['/inbound', 'No deliveries yet.', 'New delivery'],
      ['/returns', 'No returns yet.', 'New return'],
      ['/counts', 'No counts yet.', 'New count'],
      ['/webhooks', 'No webhooks yet.', 'New webhook'],
    ] as const) {
      await goToScreen(page, path)
      await page.getByText(sentence).waitFor()
      await expect.poll(() => page.getByRole('link', { name: action }).count()).toBe(1)
    }
    await goToScreen(page, '/orders?state=5')
    await page.getByText('No orders match').waitFor()
    expect(await page.getByRole('link', { name: 'New order' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('No orders yet').waitFor()
    await newProduct(tenant)
    await newOrders(tenant, 1)
    await readAgain(page)
    await page.getByRole('link', { name: 'SHOP-1' }).waitFor()
    expect(await page.getByRole('link', { name: 'New order' }).count()).toBe(1)
  })
})

it('what is typed into a filter ends with Back and with Clear filters, also just before it is applied', async ({
  window: { page },
  tenant,
}) => {
  await page.clock.install()
  await signIn(page, tenant.key, '/orders')
  await page.getByText('No orders yet').waitFor()
  await page.clock.pauseAt(Date.now() + 60_000)
  const customer = page.getByRole('textbox', { name: 'Customer' })
  const search = (): string => new URL(page.url()).search
  const state = async (): Promise<[string, string]> => [search(), await customer.inputValue()]
  await customer.fill('ab')
  await customer.press('Enter')
  await expect.poll(search).toBe('?customer=ab')
  await customer.press('c')
  await page.evaluate(() => history.back())
  await expect.poll(state).toEqual(['', ''])
  await page.clock.runFor(1_000)
  expect(await state()).toEqual(['', ''])

  await page.getByRole('checkbox', { name: 'Pending' }).check({ force: true })
  await expect.poll(search).toBe('?state=1')
  await customer.press('c')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(search).toBe('')
  await page.clock.runFor(1_000)
  expect(await state()).toEqual(['', ''])
})

it('a filter that was not applied for the sake of a typed quantity is applied with Enter', async ({
  window: { page },
  tenant,
}) => {
  const id = await newProduct(tenant)
  await seed(tenant, '/stock/bulk', {
    updates: [
      { product_id: id, location_id: 'A-01', quantity: 5 },
      { product_id: id, location_id: 'B-01', quantity: 4 },
    ],
  })
  await signIn(page, tenant.key, '/stock')
  const level = page.getByRole('gridcell', { name: '5', exact: true })
  await level.focus()
  for (const key of ['Enter', '7']) await page.keyboard.press(key)
  const filter = page.getByRole('searchbox')
  await filter.fill('Coffee')
  await answerUnsaved(page, 'Stay')
  await unsavedQuestion(page).waitFor({ state: 'detached' })
  expect([new URL(page.url()).search, await filter.inputValue()]).toEqual(['', 'Coffee'])
  await filter.press('Enter')
  await answerUnsaved(page, 'Discard')
  await expect.poll(() => new URL(page.url()).search).toBe('?search=Coffee')
  await level.waitFor({ state: 'detached' })
})

it('nothing below the filters moves when the first of them is set', async ({ window: { page }, tenant }) => {
  await signIn(page, tenant.key)
  const moved: string[] = []
  for (const width of [1280, 1024, 320]) {
    await resize(page, width)
    for (const [path, filter] of [
      ['/orders', '?customer=Ada'],
      ['/products', '?search=tea'],
      ['/stock', '?search=tea'],
      ['/movements', '?movement_type=IN'],
      ['/audit', '?surface=scan'],
      ['/events', '?event=order/created'],
      ['/usage', '?operation=orders.list'],
    ] as const) {
      const heights: (number | undefined)[] = []
      for (const address of [path, path + filter]) {
        await goToScreen(page, address)
        heights.push((await page.getByRole('search', { name: 'Filters' }).boundingBox())?.height)
      }
      if (heights[0] !== heights[1]) moved.push(`${path} at ${width} px: ${heights.join(' and ')}`)
    }
  }
  expect(moved).toEqual([])
})

it('what is on screen is read again after a minute, without a pulse too', async ({ window: { page }, tenant }) => {
  await page.clock.install()
  await page.route('**/dashboard/pulse', (route) => route.fulfill({ status: 304 }))
  await newProduct(tenant)
  await signIn(page, tenant.key, '/orders')
  await page.getByText('No orders yet').waitFor()
  await newOrders(tenant, 1)
  await page.clock.runFor(55_000)
  expect(await page.getByText('No orders yet').count()).toBe(1)
  await page.clock.runFor(6_000)
  await page.getByRole('link', { name: 'SHOP-1' }).waitFor()
})

describe('loading', () => {
  it('shows a skeleton after 150 ms and marks the region as busy; what is there stays while newer data comes', async ({
    window: { page },
    tenant,
  }) => {
    await newProduct(tenant)
    await newOrders(tenant, 60)
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('link', { name: 'SHOP-60' }).waitFor()
    const held = Promise.withResolvers<undefined>()
    await page.route('**/api/v1/orders?*', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?page=2')
    expect(await firstCells(page, 'Orders')).toHaveLength(50)
    await page.reload()
    const skeleton = page.locator('main [aria-busy=true]')
    await skeleton.locator('div').first().waitFor()
    expect(await skeleton.count()).toBe(1)
    held.resolve(undefined)
    await expect.poll(() => firstCells(page, 'Orders')).toHaveLength(10)
    expect(await skeleton.count()).toBe(0)
  })
})

it('the movements of an order are told from the last hundred of more', async ({ window: { page }, tenant, service }) => {
  const product = await newProduct(tenant)
  const [order = 0] = await newOrders(tenant, 1)
  await adjust(tenant, product)
  await service.db.dedicatedPool.query(
    `insert into stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, order_id)
     select $1, $2, 'A', 'OUT', 1, 200 - g, 199 - g, $3 from generate_series(1, 120) g`,
    [tenant.id, product, order],
  )
  await signIn(page, tenant.key, `/orders/${order}`)
  await page.getByText('The last 100 of 120 movements').waitFor()
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.getByText('120 movements', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe(`?order_id=${order}`)
})

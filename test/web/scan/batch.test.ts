import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { startBatch } from '../../support/batches.ts'
import { newOrder } from '../../support/orders.ts'
import { expectConsistentPicking, type PickableProduct, stockedProduct, stockOf } from '../../support/picking.ts'
import { it as base, type TestTenant } from '../support/browser.ts'
import { type Fault, type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts'
import { type Device, enrolledDevice, newOperator } from '../support/scan-device.ts'
import { windowBehind } from '../support/window-behind.ts'

/** The service behind a network that loses what the test says. */
const it = base.extend('proxy', async ({ service }, { onCleanup }): Promise<FaultyProxy> => {
  const proxy = await startFaultyProxy(service.url)
  onCleanup(() => proxy.close())
  return proxy
})

const LOST = /ERR_INTERNET_DISCONNECTED|Failed to fetch|ERR_EMPTY_RESPONSE|ERR_CONNECTION|400/

const connection = (page: Page): Promise<string | null> => page.getByRole('status', { name: 'Connection' }).textContent()
const whenSent = (page: Page) => expect.poll(() => connection(page)).toBe('Online')
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const text = (page: Page, what: string) => page.getByText(what, { exact: true }).waitFor()
const shares = (page: Page) => page.getByRole('list', { name: 'Slots at this stop' }).getByRole('listitem').allInnerTexts()

/** Three orders: tea for all of them, a cup for the second. */
async function shop(tenant: TestTenant) {
  const tea = await stockedProduct(tenant, { 'A-1': 4, 'B-1': 9 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'A-2': 5 }, { name: 'Cup' })
  const order = (number: number, lines: [PickableProduct, number][]) =>
    newOrder(tenant, {
      order_tenant_id: `SHOP-${number}`,
      assembly_date: `2026-12-0${number}`,
      order_detail: lines.map(([{ barcode }, quantity]) => ({ barcode, quantity })),
    })
  const orders = [
    await order(1, [[tea, 2]]),
    await order(2, [
      [tea, 1],
      [cup, 2],
    ]),
    await order(3, [[tea, 3]]),
  ]
  const states = () =>
    Promise.all(orders.map(async ({ id }) => (await tenant.request('GET', `/orders/${id}`)).body.data.state_id as number))
  return { tea, cup, orders, states }
}

/** Starts a batch on the tile. */
async function start({ page }: Device, slots: number): Promise<void> {
  await press(page, 'Batch')
  await heading(page, 'Pick a batch')
  await page.getByRole('textbox', { name: 'Slots on the cart' }).fill(String(slots))
  await press(page, 'Start a batch')
}

it('a batch is picked slot by slot, without a connection and over reloads, and completed', async ({
  openWindow,
  tenant,
  service,
  proxy,
}) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(LOST)
  const { page, context } = window
  const { tea, cup, states } = await shop(tenant)
  const ada = await newOperator(tenant, 'Ada')
  const device = await enrolledDevice(page, tenant, ada)
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
  // The answer is lost after the server has started the batch: it is not started twice.
  proxy.fault = (method, path): Fault => (method === 'POST' && path.endsWith('/flow-batches') ? 'lost after' : 'none')
  await start(device, 3)
  await text(page, 'No response from the server. Try again: nothing is done twice.')
  proxy.fault = () => 'none'
  await device.scanner.scan('FC-OK')
  const again = page.getByRole('button', { name: /^Start a batch$|^Go on with batch \d+$/ })
  await again.first().click()
  await heading(page, 'A-1')
  await heading(page, 'Slot 1')
  await text(page, 'Take 4')
  await text(page, 'Put 2 in slot 1')
  expect(await shares(page)).toEqual(['Slot 1: 2', 'Slot 2: 1', 'Slot 3: 1'])
  expect((await tenant.request('GET', '/flow-batches')).body.data.pagination.total).toBe(1)

  await device.scan('A-1')
  await device.scan('SHOP-1', 'problem')
  await text(page, 'Scan the product first')
  await device.scanner.scan('FC-OK')
  await device.scan(tea.barcode)
  await device.scan('SHOP-2', 'problem')
  await text(page, 'This goes into slot 1')
  await device.scanner.scan('FC-OK')
  // The order on the box: all that the screen asks for is in it.
  await device.scan('SHOP-1', 'line')
  await heading(page, 'Slot 2')
  await whenSent(page)
  await context.setOffline(true)
  await device.scan(tea.barcode, 'line')
  await heading(page, 'Slot 3')
  await device.scan('FC-ALL', 'line')
  await heading(page, 'A-2')
  await device.scan('A-2')
  await device.scan(cup.barcode)
  await page.reload()
  await heading(page, 'A-2')
  await heading(page, 'Slot 2')
  await text(page, 'Taken here: 1')
  expect(await connection(page)).toBe('Offline, 2 to send')
  await device.scan(cup.barcode, 'line')
  await heading(page, 'B-1')
  // What waits is taken back, and put again.
  await device.scan('FC-UNDO')
  await heading(page, 'A-2')
  await device.scan('FC-ALL', 'line')
  await device.scan('B-1')
  await device.scan(tea.barcode)
  await device.scan('FC-CONFIRM', 'line')
  await press(page, 'Short')
  await page.getByRole('dialog', { name: 'Short' }).getByRole('button', { name: 'Too few' }).click()
  await page.getByRole('heading', { name: /^Finish batch \d+$/ }).waitFor()
  await text(page, 'Slot 3: SHOP-3')
  await press(page, 'Release the rest')
  await heading(page, 'Orders to pick')
  expect(await page.getByRole('button', { name: /^Go on/ }).count()).toBe(0)
  expect(await connection(page)).toBe('Offline, 7 to send')
  await page.reload()
  expect(await states()).toEqual([3, 3, 3])
  // Every other answer is lost after the server has done it.
  let sent = 0
  proxy.fault = (method, path): Fault =>
    method === 'POST' && /\/(picks|complete)$/.test(path) && sent++ % 2 === 0 ? 'lost after' : 'none'
  await context.setOffline(false)
  await whenSent(page)
  expect(sent).toBe(14)
  expect(await states()).toEqual([5, 5, 2])
  expect([await stockOf(tenant, tea), await stockOf(tenant, cup)]).toEqual([{ 'A-1': 0, 'B-1': 8 }, { 'A-2': 3 }])
  const { entries } = (await tenant.request('GET', '/audit-log?operation=flowBatches.create')).body.data
  expect(entries).toMatchObject([{ surface: 'scan', operator_email: ada.email }])
  await expectConsistentPicking(service.db, tenant)
})

it('an order that is cancelled meanwhile leaves the batch: its slot and its refused pick are named, and the others go on', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(LOST)
  const { page, context } = window
  const { tea, orders, states } = await shop(tenant)
  const ada = await newOperator(tenant, 'Ada')
  const device = await enrolledDevice(page, tenant, ada)
  // Begun by the office for this operator: it comes to the device as a whole.
  const { id } = await startBatch(tenant, { rule: { max_orders: 3 }, operator_email: ada.email })
  await press(page, 'Batch')
  await press(page, `Go on with batch ${id}`)
  await device.scan('A-1')
  await device.scan(tea.barcode)
  await device.scan('FC-ALL', 'line')
  await whenSent(page)
  await context.setOffline(true)
  await device.scan('FC-ALL', 'line')
  await heading(page, 'Slot 3')
  await tenant.request('POST', `/orders/${orders[1]?.id}/cancel`)
  // Somebody else has taken what is for slot 3.
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A-1', quantity: 0 })
  await device.scan('FC-ALL', 'line')
  await heading(page, 'A-2')
  await context.setOffline(false)
  await press(page, 'Problems (2)')
  await text(page, 'SHOP-2 was cancelled. Put 1 × Tea back to A-1')
  await text(page, 'Slot 2: SHOP-2')
  await text(page, 'The system has 0 at A-1')
  await text(page, 'Slot 3: SHOP-3')
  await page.reload()
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  await problems.filter({ hasText: 'SHOP-2' }).getByRole('button', { name: 'I put it back' }).click()
  await page.goBack()
  await page.getByRole('alert').getByText('Slot 2: SHOP-2 was ended').waitFor()
  // The way leads on: slot 2 is left out.
  await heading(page, 'B-1')
  await press(page, 'I took SHOP-2 off')
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  await device.scan('B-1')
  await device.scan('FC-ALL', 'order')
  await page.getByRole('heading', { name: /^Finish batch/ }).waitFor()
  await press(page, 'Complete')
  // Slot 1 is completed; slot 3 waits for its pick.
  await expect.poll(states).toEqual([5, 7, 3])
  await press(page, 'Problems (1)')
  await press(page, 'Take from elsewhere')
  await page.getByRole('dialog').getByRole('button', { name: /^B-1/ }).click()
  await whenSent(page)
  expect(await states()).toEqual([5, 7, 5])
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 0, 'B-1': 6 })
  await expectConsistentPicking(service.db, tenant)
})

it('Put everything back cancels the batch; a slot that must be scanned is; without ready orders there is no batch', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(LOST)
  const { page } = window
  const { tea, states } = await shop(tenant)
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await page.goto('/scan#/diagnostics')
  await page.getByRole('checkbox', { name: 'Batches: scan the order of each slot' }).check()
  await page.goto('/scan#/queue')
  await start(device, 2)
  await heading(page, 'Slot 1')
  await press(page, 'Orders on the cart')
  expect(await page.getByRole('list', { name: 'Orders on the cart' }).getByRole('listitem').allInnerTexts()).toEqual([
    'Slot 1: SHOP-1\n0 of 1 line',
    'Slot 2: SHOP-2\n0 of 2 lines',
  ])
  await device.scan('A-1')
  await device.scan(tea.barcode)
  await device.scan(tea.barcode)
  await text(page, 'Scan SHOP-1')
  await device.scan(tea.barcode, 'problem')
  await text(page, 'Scan the order in slot 1 first')
  await device.scanner.scan('FC-OK')
  await device.scan('SHOP-1', 'line')
  await whenSent(page)
  // One cart, one batch; an order in it leads to it.
  await page.goto('/scan#/batch')
  await text(page, 'End this batch before you start another one.')
  expect(await page.getByRole('button', { name: 'Start a batch' }).count()).toBe(0)
  await device.scanner.scan('SHOP-2')
  await heading(page, 'Slot 2')
  await device.scan(tea.barcode)
  await device.scanner.scan('FC-FINISH')
  await press(page, 'Put everything back')
  await page.getByRole('dialog').getByRole('button', { name: 'Put everything back' }).click()
  await heading(page, 'Orders to pick')
  await whenSent(page)
  expect([await states(), await stockOf(tenant, tea)]).toEqual([[2, 2, 1], { 'A-1': 4, 'B-1': 9 }])
  expect(await page.getByRole('button', { name: /^Problems/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Pick SHOP-1' }).waitFor()
  for (const number of [1, 2, 3]) await tenant.request('POST', `/orders/SHOP-${number}/cancel`)
  await press(page, 'Batch')
  await press(page, 'Start a batch')
  await text(page, 'No order is ready to be picked')
  await expectConsistentPicking(service.db, tenant)
})

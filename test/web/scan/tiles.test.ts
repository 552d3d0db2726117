import type { Page, Response } from 'playwright-core'
import { expect } from 'vitest'
import { begin, expectConsistentCounting, transition, levelAt, readCount } from '../../support/counts.ts'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct, stockOf } from '../../support/picking.ts'
import { expectConsistentReceiving, INBOUND, RETURNS } from '../../support/receiving.ts'
import { it as base, type TestTenant } from '../support/browser.ts'
import { type Fault, type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts'
import { seed } from '../support/page-server.ts'
import { type Device, enrolledDevice, newOperator } from '../support/scan-device.ts'
import { windowBehind } from '../support/window-behind.ts'

/** The service behind a network that loses what the test says. */
const it = base.extend('proxy', async ({ service }, { onCleanup }): Promise<FaultyProxy> => {
  const proxy = await startFaultyProxy(service.url)
  onCleanup(() => proxy.close())
  return proxy
})

/** After so long, what was typed is stored. */
const STORED_MS = 300

const connection = (page: Page): Promise<string | null> => page.getByRole('status', { name: 'Connection' }).textContent()
const whenSent = (page: Page) => expect.poll(() => connection(page)).toBe('Online')
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
const inHand = (page: Page) => page.getByRole('region', { name: 'In hand' })
const said = (page: Page, text: string): Promise<void> =>
  page.getByRole('status', { name: 'Last scan' }).getByText(text).waitFor()

async function whenInstalled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
}

/** Opens a tile, and in it the record with this reference by a scan. */
async function openTile({ page, scan }: Device, tile: string, title: string, reference: string): Promise<void> {
  await press(page, tile)
  await page.getByRole('heading', { name: title }).waitFor()
  await scan(reference)
  await page.getByRole('heading', { name: reference }).waitFor()
}

/** Types into the dialog or field for quantities. */
async function typeQuantity(page: Page, digits: string): Promise<void> {
  for (const digit of digits) await page.getByRole('button', { name: digit, exact: true }).click()
}

async function announced(tenant: TestTenant, fields: object = {}) {
  const tea = await stockedProduct(tenant, { 'DOCK-1': 1, 'A-1': 1 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'A-1': 1 }, { name: 'Cup' })
  const lines = [
    { product_id: tea.id, quantity: 12 },
    { product_id: cup.id, quantity: 3 },
  ]
  const { id } = await seed(tenant, '/inbound', { reference: 'PO-1', supplier: 'Tea Trade', lines, ...fields })
  const read = async () => (await tenant.request('GET', `/inbound/${id}`)).body.data
  const received = async (): Promise<number[]> =>
    (await read()).lines.map((line: { received_quantity: number }) => line.received_quantity)
  return { id: id as number, tea, cup, read, received }
}

it('Receive: a delivery is received, also without a connection and over a reload in the middle of a receipt', async ({
  openWindow,
  tenant,
  service,
  proxy,
}) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|Failed to fetch|ERR_EMPTY_RESPONSE|ERR_CONNECTION/)
  const { page, context } = window
  const { id, tea, cup, received } = await announced(tenant)
  const ada = await newOperator(tenant, 'Ada')
  const device = await enrolledDevice(page, tenant, ada)
  await whenInstalled(page)
  await openTile(device, 'Receive', 'Deliveries to receive', 'PO-1')
  await device.scan(tea.barcode, 'problem')
  await page.getByText('Scan the location first').waitFor()
  await device.scanner.scan('FC-OK')
  await device.scan('DOCK-1')
  await device.scan(tea.barcode)
  await device.scan(tea.barcode)
  await inHand(page).getByText('2 of 12').waitFor()
  // Another product ends the receipt of the first.
  await device.scan(cup.barcode)
  await whenSent(page)
  await expect.poll(received).toEqual([2, 0])

  await context.setOffline(true)
  await device.scan(cup.barcode)
  await page.reload()
  await page.getByRole('heading', { name: 'PO-1' }).waitFor()
  await inHand(page).getByText('2 of 3').waitFor()
  await inHand(page).getByText('To DOCK-1').waitFor()
  await device.scan(cup.barcode, 'line')
  await press(page, 'Tea')
  await inHand(page).getByText('1 of 10').waitFor()
  await press(page, 'Quantity')
  const dialog = page.getByRole('dialog', { name: 'Quantity' })
  await typeQuantity(page, '4')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await inHand(page).getByText('4 of 10').waitFor()
  await device.scan('FC-CONFIRM')
  await expect.poll(() => connection(page)).toBe('Offline, 2 to send')
  // What waits in the queue is taken back without a trace.
  await device.scan('FC-UNDO')
  await expect.poll(() => connection(page)).toBe('Offline, 1 to send')
  await page.reload()
  await expect.poll(() => connection(page)).toBe('Offline, 1 to send')

  // The response to the receipt is lost after the server has done it.
  let lost = 0
  proxy.fault = (method, path): Fault => (method === 'POST' && path.endsWith('/receipts') && lost++ === 0 ? 'lost after' : 'none')
  await context.setOffline(false)
  await whenSent(page)
  expect(lost).toBeGreaterThan(1)
  expect(await received()).toEqual([2, 3])
  await press(page, 'Tea')
  await page.getByRole('button', { name: 'Receive all 10' }).click()
  await said(page, 'All of PO-1 is received')
  expect((await device.outcomes()).at(-1)).toBe('order')
  await whenSent(page)
  expect(await received()).toEqual([12, 3])
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 1, 'DOCK-1': 13 })
  // Beyond what was announced.
  await device.scan(tea.barcode, 'problem')
  await page.getByText('All of Tea is received').waitFor()
  await device.scanner.scan('FC-OK')
  // The server has it: the undo is sent.
  await device.scan('FC-UNDO')
  await whenSent(page)
  await expect.poll(received).toEqual([2, 3])
  const { receipts } = (await tenant.request('GET', `/inbound/${id}/receipts`)).body.data
  expect(
    receipts.map(({ quantity, undone_at }: { quantity: number; undone_at: string | null }) => [quantity, undone_at === null]),
  ).toEqual([
    [10, false],
    [3, true],
    [2, true],
  ])
  const { movements } = (await tenant.request('GET', `/stock/movements?product_id=${cup.id}&movement_type=IN`)).body.data
  expect(movements[0]).toMatchObject({ quantity: 3, reason: 'stock_receipt', user_id: ada.id })
  const { entries } = (await tenant.request('GET', '/audit-log?operation=inbound.receive&surface=scan')).body.data
  expect(entries[0]).toMatchObject({ operator_email: 'ada@example.com' })
  await expectConsistentReceiving(service.db, tenant, INBOUND)
})

it('Receive: the locations of a tenant are there without a connection, also right after those of another one were read', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED/)
  const { page, context } = window
  const isRead = (response: Response): boolean => /\/locations\?/.test(response.url())
  let reads = 0
  page.on('response', (response) => void (isRead(response) && reads++))
  let device: Device | undefined
  const tenants = [tenant, await service.newTenant()]
  for (const [index, one] of tenants.entries()) {
    await announced(one)
    // The address of an enrolment loads no page anew.
    device = await enrolledDevice(page, one, await newOperator(one, 'Ada'))
    await openTile(device, 'Receive', 'Deliveries to receive', 'PO-1')
    await expect.poll(() => reads, { timeout: 10_000 }).toBe(index + 1)
    await page.waitForTimeout(STORED_MS)
    if (index > 0) break
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: 'Diagnostics' }).click()
    await press(page, 'Remove this device')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove this device' }).click()
    await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
  }
  await context.setOffline(true)
  await expect.poll(() => connection(page)).toBe('Offline')
  await device?.scan('DOCK-1')
})

it('Receive, Count list: a code that the server must look up is meant for the location that was scanned before it', async ({
  window: { page },
  tenant,
}) => {
  const { tea } = await announced(tenant)
  const pack = '14006381333938'
  await seed(tenant, `/products/${tea.id}/barcodes`, { barcode: pack, quantity: 6 })
  await begin(tenant, { reference: 'CC-1', location_ids: ['DOCK-1', 'A-1'] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  let answer = (): void => undefined
  const lookUp = `**/scan/api/v1/scan?code=${pack}`
  await page.route(lookUp, async (route) => {
    await new Promise<void>((resolve) => (answer = resolve))
    await route.continue()
  })
  /** Scans a pack, and something else before the server has said what the pack is. */
  const scanPackAndGoOn = async (next: string): Promise<string[]> => {
    await device.scan('DOCK-1')
    const before = (await device.outcomes()).length
    const isAsked = page.waitForRequest(lookUp)
    await device.scanner.scan(pack)
    await isAsked
    await device.scanner.scan(next)
    answer()
    await expect.poll(async () => (await device.outcomes()).length).toBe(before + 2)
    return (await device.outcomes()).slice(before)
  }
  await openTile(device, 'Receive', 'Deliveries to receive', 'PO-1')
  expect(await scanPackAndGoOn('A-1')).toEqual(['taken', 'taken'])
  await inHand(page).getByText('To A-1').waitFor()
  await expect.poll(() => stockOf(tenant, tea)).toEqual({ 'A-1': 1, 'DOCK-1': 7 })
  await press(page, 'Finish')
  await page.goto('/scan#/queue')
  await openTile(device, 'Count list', 'Counts to do', 'CC-1')
  // The command confirms the pack, too.
  expect(await scanPackAndGoOn('FC-CONFIRM')).toEqual(['taken', 'line'])
  // What was counted at the first location must be confirmed there.
  expect(await scanPackAndGoOn('A-1')).toEqual(['taken', 'problem'])
  const confirmFirst = page.getByText('Confirm the count of Tea first')
  await confirmFirst.waitFor()
  await device.scanner.scan('FC-OK')
  await device.scan('FC-UNDO')
  // The server says what the pack is while the question of Submit is open.
  const before = (await device.outcomes()).length
  const isAsked = page.waitForRequest(lookUp)
  await device.scanner.scan(pack)
  await isAsked
  await press(page, 'Submit')
  answer()
  await expect.poll(async () => (await device.outcomes()).slice(before)).toEqual(['taken'])
  await page.getByRole('dialog', { name: 'Submit' }).getByRole('button', { name: 'Submit' }).click()
  await confirmFirst.waitFor()
})

it('Receive: what the server refuses becomes a Problem, survives a reload, and is set aside or sent again', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|400/)
  const { page, context } = window
  const { id, tea, cup, received } = await announced(tenant)
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openTile(device, 'Receive', 'Deliveries to receive', 'PO-1')
  await device.scan('DOCK-1')
  await context.setOffline(true)
  await device.scan(tea.barcode)
  await page.getByRole('button', { name: 'Receive all 12' }).click()
  await expect.poll(() => connection(page)).toBe('Offline, 1 to send')
  // Another dock has received most of it meanwhile.
  await seed(tenant, `/inbound/${id}/receipts`, { product_id: tea.id, quantity: 9, location_id: 'A-1' })
  await context.setOffline(false)
  await press(page, 'Problems (1)')
  await page.getByText('Only 3 still expected. Set 9 × Tea aside').waitFor()
  await tenant.request('PUT', `/inbound/${id}`, { allow_over: true })
  await press(page, 'Send again')
  await page.getByText('No problems').waitFor()
  await expect.poll(received).toEqual([21, 0])

  await page.goBack()
  await page.getByRole('heading', { name: 'PO-1' }).waitFor()
  await context.setOffline(true)
  await device.scan(cup.barcode)
  await device.scan('FC-CONFIRM')
  await tenant.request('POST', `/inbound/${id}/close`, {})
  await context.setOffline(false)
  await press(page, 'Problems (1)')
  await page.getByText('PO-1 was closed. Set 1 × Cup aside').waitFor()
  await page.reload()
  await press(page, 'I set it aside')
  await page.getByText('No problems').waitFor()
  await page.goBack()
  await page.getByText('PO-1 was closed.').waitFor()
  expect(await received()).toEqual([21, 0])
  await press(page, 'Finish')
  await page.getByText('No deliveries to receive').waitFor()
  await expectConsistentReceiving(service.db, tenant, INBOUND)
})

it('Return: goods go back to stock, to quarantine, or are scrapped', async ({ window, tenant, service }) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|400|404/)
  const { page, context } = window
  const tea = await stockedProduct(tenant, { 'A-1': 5 }, { name: 'Tea' })
  await seed(tenant, '/locations', { id: 'HOLD', sellable: false, pickable: false })
  const { id } = await seed(tenant, '/returns', { reference: 'RMA-7', lines: [{ product_id: tea.id, quantity: 6 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const areRead = page.waitForResponse(/\/locations\?/)
  await openTile(device, 'Return', 'Returns to receive', 'RMA-7')
  await areRead
  // The locations are not read again for a code that the server does not know, but for one that was made since.
  await seed(tenant, '/locations', { id: 'NEW' })
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await device.scan('XX-404', 'problem')
  await page.getByText('This code is not known here').waitFor()
  await device.scanner.scan('FC-OK')
  expect(asked.filter((path) => path.endsWith('/locations'))).toEqual([])
  await device.scan('NEW')
  await inHand(page).getByText('To NEW').waitFor()
  const choose = async (name: string): Promise<void> => {
    await page.getByRole('radio', { name }).check()
    await said(page, name)
  }
  await device.scan('HOLD', 'problem')
  await page.getByText('HOLD is not for goods that are sold').waitFor()
  await device.scanner.scan('FC-OK')
  await device.scan('A-1')
  await device.scan(tea.barcode)
  await device.scan(tea.barcode)
  await device.scan('FC-CONFIRM')
  // It does not fit the location any more.
  await choose('Quarantine')
  await inHand(page).getByText('No location yet').waitFor()
  await device.scan('A-1', 'problem')
  await page.getByText('A-1 is for goods that are sold, not for quarantine').waitFor()
  await device.scanner.scan('FC-OK')
  await device.scan('HOLD')
  await context.setOffline(true)
  await device.scan(tea.barcode)
  await device.scan('FC-CONFIRM')
  await choose('Scrap')
  await device.scan(tea.barcode)
  await device.scan('FC-CONFIRM')
  await expect.poll(() => connection(page)).toBe('Offline, 2 to send')
  await context.setOffline(false)
  await whenSent(page)
  const read = async () => (await tenant.request('GET', `/returns/${id}`)).body.data
  expect((await read()).lines).toMatchObject([{ restocked_quantity: 2, quarantined_quantity: 1, scrapped_quantity: 1 }])
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 7, HOLD: 1 })
  await device.scan('FC-UNDO')
  await whenSent(page)
  await expect.poll(async () => (await read()).total_received).toBe(3)
  // The location is made sellable meanwhile: what was scanned there is refused.
  await choose('Quarantine')
  await device.scan('HOLD')
  await context.setOffline(true)
  await device.scan(tea.barcode)
  await device.scan('FC-CONFIRM')
  await tenant.request('PUT', '/locations/HOLD', { sellable: true })
  await context.setOffline(false)
  await press(page, 'Problems (1)')
  const problem = page.getByRole('listitem')
  await problem.getByText('Receiving 1 × Tea was refused').waitFor()
  expect(await problem.innerText()).toMatch(/The location must be an existing location that is not sellable.* Request \S+/)
  expect(await problem.getByRole('button').allTextContents()).toEqual(['Send again', 'I set it aside'])
  await press(page, 'I set it aside')
  await page.getByText('No problems').waitFor()
  expect((await read()).total_received).toBe(3)
  await expectConsistentReceiving(service.db, tenant, RETURNS)
})

it('Return: with Scrap, no hint asks for a location, and elsewhere they do', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 5 }, { name: 'Tea' })
  await seed(tenant, '/returns', { reference: 'RMA-7', lines: [{ product_id: tea.id, quantity: 6 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openTile(device, 'Return', 'Returns to receive', 'RMA-7')
  const hint = async (text: string): Promise<void> => await inHand(page).getByText(text, { exact: true }).waitFor()
  await hint('Scan the location')
  await page.getByRole('radio', { name: 'Scrap' }).check()
  await hint('Scan a product')
  await device.scan(tea.barcode)
  await hint('Scan the next piece, or press Confirm')
  await device.scan('FC-CONFIRM')
  await hint('Scan a product')
  await page.getByRole('radio', { name: 'Restock' }).check()
  await hint('Scan the location')
  await device.scan('A-1')
  await hint('Scan a product, or another location')
})

it('Receive: what the server says of a code when the operator has left the delivery is dropped', async ({
  window: { page },
  tenant,
}) => {
  const { tea } = await announced(tenant)
  const pack = '14006381333938'
  await seed(tenant, `/products/${tea.id}/barcodes`, { barcode: pack, quantity: 6 })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openTile(device, 'Receive', 'Deliveries to receive', 'PO-1')
  await device.scan('DOCK-1')
  let answer = (): void => undefined
  const lookUp = `**/scan/api/v1/scan?code=${pack}`
  await page.route(lookUp, async (route) => {
    await new Promise<void>((resolve) => (answer = resolve))
    await route.continue()
  })
  const before = (await device.outcomes()).length
  const isAsked = page.waitForRequest(lookUp)
  await device.scanner.scan(pack)
  await isAsked
  await press(page, 'Finish')
  await page.getByRole('heading', { name: 'Deliveries to receive' }).waitFor()
  const isAnswered = page.waitForResponse(lookUp)
  answer()
  await isAnswered
  await device.scanner.scan('PO-1')
  await inHand(page).getByText('Nothing in hand').waitFor()
  expect((await device.outcomes()).slice(before)).toEqual(['taken'])
})

/** Two products at two locations, to be counted. */
async function counted(tenant: TestTenant, fields: object = {}) {
  const tea = await stockedProduct(tenant, { 'A-1': 4, 'B-1': 2 }, { name: 'Tea', barcode: '4006381333931' })
  const cup = await stockedProduct(tenant, { 'A-1': 7 }, { name: 'Cup' })
  const count = await begin(tenant, { reference: 'CC-1', location_ids: ['A-1', 'B-1'], ...fields })
  return { tea, cup, count, read: () => readCount(tenant, count) }
}

const levels = (page: Page) => page.getByRole('list', { name: 'At this location' }).getByRole('listitem').allInnerTexts()

it('Count list: levels are counted in pick order and submitted', async ({ openWindow, tenant, service, proxy }) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|Failed to fetch|ERR_INTERNET_DISCONNECTED/)
  const { page, context } = window
  const { tea, cup, read } = await counted(tenant)
  const ada = await newOperator(tenant, 'Ada')
  const device = await enrolledDevice(page, tenant, ada)
  await whenInstalled(page)
  await openTile(device, 'Count list', 'Counts to do', 'CC-1')
  await page.getByText('Scan A-1', { exact: true }).waitFor()
  await device.scan(tea.barcode, 'problem')
  await page.getByText('Expected: A-1').waitFor()
  await device.scanner.scan('FC-OK')
  await device.scan('A-1')
  expect((await levels(page)).join()).toContain('The system has 4')
  // As a GTIN-14.
  await device.scan('04006381333931')
  await device.scan(tea.barcode)
  await device.scan('B-1', 'problem')
  await page.getByText('Confirm the count of Tea first').waitFor()
  await device.scanner.scan('FC-OK')
  await page.reload()
  await page.getByRole('textbox', { name: 'Counted' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Counted' }).inputValue()).toBe('2')
  // The response is lost after the server has done it.
  let lost = 0
  proxy.fault = (method, path): Fault => (method === 'POST' && path.endsWith('/entries') && lost++ === 0 ? 'lost after' : 'none')
  await device.scan('FC-CONFIRM')
  await whenSent(page)
  expect(lost).toBeGreaterThan(1)
  expect((await read()).lines).toMatchObject([{ counted_quantity: 2, expected_quantity: 4, operator_id: ada.id }, {}, {}])
  // An empty location has nothing to scan. A scan into the field of the quantity is none.
  await press(page, 'Count Cup')
  await page.getByRole('textbox', { name: 'Counted' }).focus()
  await device.scan('A-1')
  await press(page, 'Count Cup')
  await typeQuantity(page, '0')
  // What was typed is to be confirmed, too, before the count ends.
  expect(await page.getByRole('button', { name: 'Submit' }).isDisabled()).toBe(true)
  // And before anything else is counted.
  for (const code of ['B-1', tea.barcode]) {
    await device.scan(code, 'problem')
    await page.getByText('Confirm the count of Cup first').waitFor()
    await device.scanner.scan('FC-OK')
  }
  expect(await page.getByRole('textbox', { name: 'Counted' }).inputValue()).toBe('0')
  await context.setOffline(true)
  await expect.poll(() => connection(page)).toBe('Offline')
  await device.scan('FC-CONFIRM', 'problem')
  await page.getByText('Counting needs a connection').waitFor()
  await context.setOffline(false)
  await expect.poll(() => connection(page)).toBe('Online')
  await device.scanner.scan('FC-OK')
  await device.scan('FC-CONFIRM', 'line')
  await page.getByText('Scan B-1', { exact: true }).waitFor()
  await whenSent(page)
  await press(page, 'Submit')
  const dialog = page.getByRole('dialog', { name: 'Submit' })
  await dialog.getByText('1 line is not counted').waitFor()
  await dialog.getByRole('button', { name: 'Back' }).click()
  await device.scan('B-1')
  await press(page, 'Submit')
  // What is scanned instead of an answer is not lost: it is to be confirmed.
  await device.scan(tea.barcode)
  await device.scan('FC-FINISH', 'problem')
  await device.scanner.scan('FC-OK')
  await device.scan('FC-CONFIRM', 'order')
  await whenSent(page)
  await device.scan('FC-FINISH', 'order')
  await page.getByText('No counts to do').waitFor()
  expect(await read()).toMatchObject({ state: 'review', lines_counted: 3, lines_different: 3 })
  expect(await levelAt(tenant, cup.sku, 'A-1')).toBe(7)
  await expectConsistentCounting(service.db, tenant)
})

it('Count list: a quantity that was typed is there after a reload, and when the operator has been elsewhere', async ({
  window: { page },
  tenant,
}) => {
  const { tea, cup, read } = await counted(tenant)
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openTile(device, 'Count list', 'Counts to do', 'CC-1')
  const field = page.getByRole('textbox', { name: 'Counted' })
  /** Not in the same instant: what was typed is stored a moment later. */
  const reload = async (): Promise<void> => {
    await page.waitForTimeout(STORED_MS)
    await page.reload()
  }
  await device.scan('A-1')
  await device.scan(tea.barcode)
  expect(await field.inputValue()).toBe('1')
  await field.fill('97')
  await reload()
  await expect.poll(() => field.inputValue()).toBe('97')
  await field.fill('98')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Queue' }).click()
  await press(page, 'Count list')
  await press(page, 'Go on with CC-1')
  await expect.poll(() => field.inputValue()).toBe('98')
  // A field that was emptied does not become the number of scans again.
  await field.fill('')
  await reload()
  await expect.poll(() => field.inputValue()).toBe('')
  expect(await page.getByRole('button', { name: 'Confirm' }).isDisabled()).toBe(true)
  await device.scan(tea.barcode)
  expect(await field.inputValue()).toBe('1')
  await field.fill('97')
  await device.scan('FC-CONFIRM')
  await whenSent(page)
  // What was typed of a product that nobody scanned is to be confirmed, too.
  await press(page, 'Count Cup')
  await field.fill('7')
  await reload()
  await expect.poll(() => field.inputValue()).toBe('7')
  await device.scan('B-1', 'problem')
  await page.getByText('Confirm the count of Cup first').waitFor()
  await device.scanner.scan('FC-OK')
  await device.scan('FC-CONFIRM', 'line')
  await whenSent(page)
  expect((await read()).lines).toMatchObject([
    { product_id: tea.id, counted_quantity: 97 },
    { product_id: cup.id, counted_quantity: 7 },
    { counted_quantity: null },
  ])
})

it('Count list: a further scan adds to what was typed; what is no quantity is a problem, and stays', async ({
  window: { page },
  tenant,
}) => {
  const { tea, read } = await counted(tenant)
  await seed(tenant, `/products/${tea.id}/barcodes`, { barcode: 'TEA-6', quantity: 6 })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openTile(device, 'Count list', 'Counts to do', 'CC-1')
  const field = page.getByRole('textbox', { name: 'Counted' })
  const shown = (text: string) => expect.poll(() => field.inputValue()).toBe(text)
  await device.scan('A-1')
  await device.scan(tea.barcode)
  await field.fill('140')
  await device.scan(tea.barcode)
  await shown('141')
  // The sum is the number that was there before: it is shown, and not what was typed instead.
  await field.fill('140')
  await device.scan(tea.barcode)
  await shown('141')
  await device.scan('TEA-6')
  await shown('147')
  await field.fill('1,234')
  await device.scan(tea.barcode, 'problem')
  await page.getByText('Correct the quantity of Tea first').waitFor()
  await device.scanner.scan('FC-OK')
  await shown('1,234')
  await page.getByText('Each further scan adds to it').waitFor()
  await field.fill('140')
  await device.scan(tea.barcode)
  await device.scan('FC-CONFIRM')
  await whenSent(page)
  expect((await read()).lines[0]).toMatchObject({ product_id: tea.id, counted_quantity: 141 })
})

it('Count list: a blind count shows no stock; a count that was submitted elsewhere becomes a Problem', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(/400/)
  const { page } = window
  const { tea, count, read } = await counted(tenant, { blind: true })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openTile(device, 'Count list', 'Counts to do', 'CC-1')
  await device.scan('A-1')
  await device.scan(tea.barcode)
  await device.scan('FC-CONFIRM')
  await whenSent(page)
  expect(await page.getByRole('main').innerText()).not.toMatch(/The system has|expected/i)
  await device.scan(tea.barcode)
  await transition(tenant, count, 'submit')
  await device.scan('FC-CONFIRM')
  await press(page, 'Problems (1)')
  await page.getByText('CC-1 was submitted. This count came too late').waitFor()
  await press(page, 'Leave it uncounted')
  await page.getByText('No problems').waitFor()
  expect((await read()).lines).toMatchObject([{ counted_quantity: 1 }, {}, {}])
  await expectConsistentCounting(service.db, tenant)
})

it('Count list: of two counts that are opened in a row, the last one stays open, also when another one is submitted late', async ({
  window: { page },
  tenant,
}) => {
  const { count: first } = await counted(tenant)
  const second = await begin(tenant, { reference: 'CC-2', location_ids: ['B-1'] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const path = (url: string): string => new URL(url).pathname.replace('/scan/api/v1', '')
  const answers = new Map<string, () => void>()
  // Holds the first question of each kind.
  await page.route(/\/counts\/\d+(\/submit)?$/, async (route) => {
    const asked = path(route.request().url())
    if (!answers.has(asked)) await new Promise<void>((resolve) => answers.set(asked, resolve))
    await route.continue()
  })
  const whenAsked = (asked: string) => expect.poll(() => answers.has(asked)).toBe(true)
  const answer = async (asked: string): Promise<void> => {
    const isAnswered = page.waitForResponse((response) => path(response.url()) === asked)
    answers.get(asked)?.()
    await isAnswered
  }
  const title = () => page.getByRole('heading', { level: 1 }).textContent()
  await press(page, 'Count list')
  for (const { id, reference } of [first, second]) {
    await press(page, `Count ${reference}`)
    await whenAsked(`/counts/${id}`)
  }
  await answer(`/counts/${second.id}`)
  await expect.poll(title).toBe('CC-2')
  await answer(`/counts/${first.id}`)
  await device.scan('B-1')
  expect(await title()).toBe('CC-2')

  await press(page, 'Submit')
  await page.getByRole('dialog', { name: 'Submit' }).getByRole('button', { name: 'Submit' }).click()
  await whenAsked(`/counts/${second.id}/submit`)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Queue' }).click()
  await press(page, 'Count list')
  await press(page, 'Count CC-1')
  await expect.poll(title).toBe('CC-1')
  await answer(`/counts/${second.id}/submit`)
  await said(page, 'CC-2 is submitted')
  expect(await title()).toBe('CC-1')

  // Of two that are tapped in a row, the first one is shown already. What is scanned then is for the second one.
  const later = [
    await begin(tenant, { reference: 'CC-3', location_ids: ['A-1'] }),
    await begin(tenant, { reference: 'CC-4', location_ids: ['A-1'] }),
  ]
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Queue' }).click()
  await press(page, 'Count list')
  for (const { id, reference } of later) {
    await press(page, `Count ${reference}`)
    await whenAsked(`/counts/${id}`)
  }
  await answer(`/counts/${later[0]!.id}`)
  await expect.poll(title).toBe('CC-3')
  await device.scanner.scan('A-1')
  await answer(`/counts/${later[1]!.id}`)
  await said(page, 'At A-1')
  expect(await title()).toBe('CC-4')
})

/** Makes the database of the device what a build without tiles has left: version 1, with what is in its tables. */
function downgrade(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const tables = ['meta', 'flows', 'drafts', 'queue', 'operators', 'log']
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(new Error('the database is in use')))
      })
    const before = await done(indexedDB.open('scan'))
    const rows: [table: string, key: IDBValidKey, row: unknown][] = []
    for (const table of tables.filter((name) => name !== 'log')) {
      const store = before.transaction(table).objectStore(table)
      const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())])
      keys.forEach((key, index) => rows.push([table, key, values[index]]))
    }
    before.close()
    await done(indexedDB.deleteDatabase('scan'))
    const request = indexedDB.open('scan', 1)
    request.addEventListener('upgradeneeded', () => {
      for (const table of tables) request.result.createObjectStore(table, { autoIncrement: table === 'log' })
    })
    const after = await done(request)
    for (const [table, key, row] of rows) await done(after.transaction(table, 'readwrite').objectStore(table).put(row, key))
    after.close()
  })
}

it('without the code of a tile, which an update has replaced, the app loads itself anew once, and then says so', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/404|Failed to fetch/)
  const { page } = window
  // As over plain HTTP: nothing keeps the files of the build.
  await page.addInitScript(() => delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker)
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  let isGone = true
  await page.route(/\/assets\/receive-/, (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()))
  let loads = 0
  page.on('load', () => loads++)
  await press(page, 'Receive')
  await page.getByText('This screen is not on the device yet').waitFor()
  expect([loads, new URL(page.url()).hash]).toEqual([1, '#/receive'])
  isGone = false
  await press(page, 'Try again')
  await page.getByRole('heading', { name: 'Deliveries to receive' }).waitFor()
})

it('a queue that an older build has left is sent', async ({ openWindow, tenant, proxy }) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|Failed to fetch|401/)
  const { page } = window
  const tea = await stockedProduct(tenant, { 'A-1': 5 }, { name: 'Tea' })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  proxy.fault = (_, path) => (path.endsWith('/picks') ? 'lost before' : 'none')
  await press(page, 'Take all 2')
  await page.getByRole('heading', { name: /^Finish/ }).waitFor()
  // Another page of the origin: the database is closed.
  await page.goto('/dashboard/sign-in')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await downgrade(page)
  await page.goto('/scan')
  await expect.poll(() => connection(page)).toContain('1 to send')
  proxy.fault = () => 'none'
  await whenSent(page)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 3 })
  await press(page, 'Receive')
  await page.getByText('No deliveries to receive').waitFor()
})

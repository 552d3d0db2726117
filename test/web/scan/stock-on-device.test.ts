import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct, stockOf } from '../../support/picking.ts'
import { abandonCall } from '../support/abandoned-call.ts'
import { it } from '../support/browser.ts'
import { layoutProblems } from '../support/layout.ts'
import { resize } from '../support/open-screen.ts'
import { seed } from '../support/page-server.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

async function type(page: Page, digits: string): Promise<void> {
  for (const digit of digits) await page.getByRole('button', { name: digit, exact: true }).click()
}

it('looks up products, locations and orders, by every code that the server reads', async ({ window, tenant }) => {
  window.expectComplaint(/404/)
  const { page } = window
  const { id, sku } = await stockedProduct(tenant, { 'A-1': 4, 'B-1': 2 }, { name: 'Tea', barcode: '4006381333931' })
  await seed(tenant, `/products/${id}/barcodes`, { barcode: '14006381333938', quantity: 12 })
  const order = await newOrder(tenant, {
    customer_name: 'Ada Lovelace',
    order_detail: [{ barcode: '4006381333931', quantity: 3 }],
  })
  await stockedProduct(tenant, { 'A-1': 7 }, { name: 'Cup' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await open(page, 'Look up')
  // As a GTIN-14.
  await device.scan('04006381333931')
  const tea = page.getByRole('region', { name: 'Tea' })
  expect(await tea.getByRole('listitem').allTextContents()).toEqual(['A-1: 4', 'B-1: 2'])
  await device.scan('A-1')
  const location = page.getByRole('region', { name: 'A-1' })
  await expect.poll(async () => (await location.getByRole('listitem').allTextContents()).toSorted()).toEqual(['Cup: 7', 'Tea: 4'])
  // The identifier of the symbology is on a pack of a lot, and on a label of a location.
  await device.scan(']C101140063813339381727033110L-7')
  await tea.getByText('This code stands for 12').waitFor()
  expect(await tea.getByRole('paragraph').allTextContents()).toEqual([
    'This code stands for 12',
    'Lot L-7',
    'Expires Mar 31, 2027',
  ])
  await device.scan(']C1B-1')
  await page.getByRole('region', { name: 'B-1' }).getByText('Tea: 2').waitFor()
  await device.scan(order.order_tenant_id)
  const lines = page.getByRole('region', { name: order.order_tenant_id })
  expect(await lines.innerText()).toMatch(/Pending\s+Ada Lovelace\s+Tea: 3/)
  await device.scan(sku)
  await tea.getByText('A-1: 4').waitFor()
  await device.scan('Z-9', 'problem')
})

it('looks up what lies at a location, page by page, without what lies there no more', async ({ window: { page }, tenant }) => {
  const codes = Array.from({ length: 102 }, (_, index) => `P-${index + 1}`)
  const at = (sku: string, quantity: number) => ({ sku, location_id: 'A-1', quantity })
  await seed(tenant, '/products/bulk', { products: codes.map((code) => ({ name: code, barcode: code, sku: code })) })
  // The oldest and the newest one are gone again.
  await seed(tenant, '/stock/bulk', { updates: [...codes.map((code) => at(code, 1)), at('P-1', 0), at('P-102', 0)] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await open(page, 'Look up')
  await device.scan('A-1')
  const listed = page.getByRole('region', { name: 'A-1' }).getByRole('listitem')
  expect(await listed.count()).toBe(99)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => listed.count()).toBe(100)
  expect(await listed.last().textContent()).toBe('P-2: 1')
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
})

it('answers several look-ups in turn, however long the first one takes', async ({ window, tenant }) => {
  window.expectComplaint(/404/)
  const { page } = window
  const tea = await stockedProduct(tenant, { 'A-1': 4 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'B-1': 7 }, { name: 'Cup' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await open(page, 'Look up')
  const asked: (string | null)[] = []
  const isAsked = Promise.withResolvers<undefined>()
  const isReleased = Promise.withResolvers<undefined>()
  await page.route('**/scan/api/v1/scan?*', async (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('code'))
    isAsked.resolve(undefined)
    if (asked.length === 1) await isReleased.promise
    await route.continue()
  })
  const before = (await device.outcomes()).length
  await device.scanner.scan(tea.barcode)
  await isAsked.promise
  // By its location, typed while the first one is still looked up; then scanned.
  await page.getByRole('textbox', { name: 'Code' }).fill('A-1')
  await page.getByRole('button', { name: 'Find' }).click()
  await device.scanner.scan(cup.sku)
  await page.waitForTimeout(500)
  expect(asked).toEqual([tea.barcode])
  isReleased.resolve(undefined)
  await expect.poll(async () => (await device.outcomes()).slice(before)).toEqual(['taken', 'taken', 'taken'])
  // What was asked for last is on the screen.
  await page.getByRole('region', { name: 'Cup' }).getByText('B-1: 7').waitFor()
  expect(asked).toEqual([tea.barcode, 'A-1', cup.sku])
})

it('moves and counts stock', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 4, 'B-1': 2 }, { name: 'Tea' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  const problem = page.getByRole('alertdialog', { name: 'Problem' })
  await open(page, 'Move')
  for (const code of [tea.barcode, 'A-1']) await device.scan(code)
  await device.scan('A-1', 'problem')
  await problem.getByText('From and To are the same location. Scan another one.').waitFor()
  await device.scanner.scan('FC-OK')
  await device.scan('B-1')
  await type(page, '0')
  await device.scan('FC-CONFIRM', 'problem')
  await problem.getByText('Enter more than 0.').waitFor()
  await device.scanner.scan('FC-OK')
  await page.getByRole('button', { name: 'Delete' }).click()
  await type(page, '3')
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 1, 'B-1': 5 })
  await open(page, 'Count')
  await seed(tenant, `/products/${tea.id}/barcodes`, { barcode: '14006381333938', quantity: 12 })
  for (const code of ['14006381333938', 'A-1']) await device.scan(code)
  await page.getByText('Enter the quantity in single units. The scanned code stands for 12.').waitFor()
  await type(page, '10')
  await device.scanner.scan('FC-CONFIRM')
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 10, 'B-1': 5 })
  const { body } = await tenant.request('GET', '/audit-log?surface=scan&operation=stock.setLevel')
  expect(body.data.entries).toMatchObject([{ operator_email: 'ada@example.com' }])
})

it('moves and counts tell which location it is when its code is not its id: another warehouse may have the same code', async ({
  window: { page },
  tenant,
}) => {
  const north = await seed(tenant, '/warehouses', { name: 'North' })
  const id = `N-${'1234567890'.repeat(5)}`
  await seed(tenant, '/locations', { id, code: 'A-1', warehouse_id: north.id })
  await seed(tenant, '/locations', { id: 'S-A-1', code: 'A-1' })
  const tea = await stockedProduct(tenant, { [id]: 4, 'S-A-1': 3, 'B-1': 2 }, { name: 'Tea' })
  await resize(page, 360, 640)
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  const facts = () => page.getByRole('definition').allTextContents()
  await open(page, 'Move')
  for (const code of [tea.barcode, 'B-1', 'A-1']) await device.scan(code)
  await expect.poll(facts).toEqual(['Tea', 'B-1', `A-1 · ${id}`])
  expect(await layoutProblems(page)).toEqual([])
  await open(page, 'Count')
  for (const code of [tea.barcode, 'S-A-1']) await device.scan(code)
  await expect.poll(facts).toEqual(['Tea', 'A-1 · S-A-1'])
})

it('counts with what was taken there and is not sent, once it is known what became of what was sent', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/503/)
  const { page } = window
  const cup = await stockedProduct(tenant, { 'A-1': 5 }, { name: 'Cup' })
  const tea = await stockedProduct(tenant, { 'B-1': 9 }, { name: 'Tea' })
  const lines = [
    { barcode: cup.barcode, quantity: 3 },
    { barcode: tea.barcode, quantity: 5 },
  ]
  const order = await newOrder(tenant, { order_detail: lines })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  await device.scan(order.order_tenant_id)
  const body = { success: false, error: { code: 'service_unavailable', message: 'Busy', details: [] } }
  await page.route('**/picks', (route) => route.fulfill({ status: 503, headers: { 'Retry-After': '600' }, json: body }))
  await page.getByRole('button', { name: 'Take all 3' }).click()
  await page.getByRole('heading', { name: 'B-1' }).waitFor()
  // Two that wait, and one that is not confirmed.
  await device.scan('B-1')
  for (let scan = 0; scan < 2; scan++) await device.scan(tea.barcode)
  await device.scan('FC-CONFIRM', 'line')
  await device.scan(tea.barcode)
  await open(page, 'Count')
  for (const code of [tea.barcode, 'B-1']) await device.scan(code)
  await page.getByRole('textbox', { name: 'Counted, without what you hold' }).waitFor()
  await type(page, '4')
  await page.getByRole('button', { name: 'Save the count' }).click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'B-1': 7 })
  for (const code of [cup.barcode, 'A-1']) await device.scan(code)
  await type(page, '6')
  await page.unroute('**/picks')
  await page.getByRole('button', { name: 'Save the count' }).click()
  await page.getByRole('alertdialog').getByText('Scans at A-1 are not sent yet.').waitFor()
  await page.getByRole('button', { name: 'OK' }).click()
  // They are sent at once, and the count was not.
  await expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Online')
  expect([await stockOf(tenant, cup), await stockOf(tenant, tea)]).toEqual([{ 'A-1': 2 }, { 'B-1': 5 }])
  await page.getByRole('button', { name: 'Save the count' }).click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, cup)).toEqual({ 'A-1': 6 })
})

it('counts without what was not confirmed of an order that is over, once the operator has decided on it', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/400/)
  const { page } = window
  const tea = await stockedProduct(tenant, { 'B-1': 9 }, { name: 'Tea' })
  const [first, second] = [
    await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 5 }] }),
    await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] }),
  ]
  const bob = await newOperator(tenant, 'Bob', { may_change_stock: true })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const putBack = async (order: string, quantity: number): Promise<void> => {
    await page.getByRole('button', { name: 'Problems (1)' }).click()
    await page.getByText(`${order} was cancelled. Put ${quantity} × Tea back to B-1`, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'I put it back' }).click()
    await page.getByText('No problems').waitFor()
  }
  for (const code of [first.order_tenant_id, 'B-1', tea.barcode]) await device.scan(code)
  // Ada is called away, and the office lays the goods back.
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Change operator' }).click()
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await tenant.request('POST', `/orders/${first.id}/cancel`, {})
  await device.scan(bob.badge)
  await putBack(first.order_tenant_id, 1)
  await page.goto('/scan#/queue')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  for (const code of [second.order_tenant_id, 'B-1', tea.barcode]) await device.scan(code)
  const count = async (): Promise<void> => {
    await open(page, 'Count')
    for (const code of [tea.barcode, 'B-1']) await device.scan(code)
    await type(page, '8')
  }
  await count()
  await tenant.request('POST', `/orders/${second.id}/cancel`, {})
  await page.getByRole('button', { name: 'Save the count' }).click()
  await page.getByRole('alertdialog').getByText('Scans at B-1 are not sent yet.').waitFor()
  await page.getByRole('button', { name: 'OK' }).click()
  await putBack(second.order_tenant_id, 1)
  await count()
  await page.getByRole('button', { name: 'Save the count' }).click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'B-1': 8 })
})

it('moves without a scanner: codes are typed', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 4, 'B-1': 2 }, { name: 'Tea' })
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  await open(page, 'Move')
  for (const [code, next] of [
    [tea.barcode, 'Scan the location it comes from.'],
    ['A-1', 'Scan the location it goes to.'],
    ['B-1', 'Enter the quantity.'],
  ] as const) {
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByText(next).waitFor()
  }
  await type(page, '3')
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 1, 'B-1': 5 })
})

it('moves once when the answer is lost and the button is pressed again; scans that come fast are taken in turn', async ({
  window,
  tenant,
}) => {
  const { page } = window
  window.expectComplaint(/ERR_FAILED/)
  const tea = await stockedProduct(tenant, { 'A-1': 4, 'B-1': 2 }, { name: 'Tea' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  await open(page, 'Move')
  await page.route('**/scan/api/v1/scan?*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  })
  const before = (await device.outcomes()).length
  for (const code of [tea.barcode, 'A-1', 'B-1']) await device.scanner.scan(code)
  await expect.poll(async () => (await device.outcomes()).slice(before)).toEqual(['taken', 'taken', 'taken'])
  await type(page, '3')
  await page.route(
    '**/scan/api/v1/stock/transfer',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByRole('alertdialog').getByText('No response from the server. Try again: nothing is done twice.').waitFor()
  await page.getByRole('button', { name: 'OK' }).click()
  // Also after a look elsewhere.
  await open(page, 'Look up')
  await open(page, 'Move')
  expect(await page.getByRole('definition').allTextContents()).toEqual(['Tea', 'A-1', 'B-1'])
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 1, 'B-1': 5 })
})

it('moves once when a proxy gives up while the server is at it, however often the button is pressed', async ({
  window,
  tenant,
  service,
}) => {
  const { page } = window
  window.expectComplaint(/504|409/)
  const tea = await stockedProduct(tenant, { 'A-1': 9, 'B-1': 2 }, { name: 'Tea' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  await open(page, 'Move')
  for (const code of [tea.barcode, 'A-1', 'B-1']) await device.scan(code)
  await type(page, '3')
  const endCall = await abandonCall(page, service.db, tenant, '**/scan/api/v1/stock/transfer')
  const move = page.getByRole('button', { name: 'Move', exact: true })
  const problem = page.getByRole('alertdialog')
  await move.click()
  await problem.getByRole('button', { name: 'OK' }).click()
  await move.click()
  await problem.getByText('No response from the server. Try again: nothing is done twice.').waitFor()
  await problem.getByRole('button', { name: 'OK' }).click()
  await endCall()
  await move.click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 6, 'B-1': 5 })
})

it('is for operators who may change stock', async ({ window: { page }, tenant }) => {
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await open(page, 'Count')
  await page.getByText('You may not change stock on this device.').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
})

it('what is scanned after Start over stays when the move before it is saved', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 4, 'B-1': 1 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'A-1': 7 }, { name: 'Cup' })
  const ada = await newOperator(tenant, 'Ada', { may_change_stock: true })
  const device = await enrolledDevice(page, tenant, ada)
  await open(page, 'Move')
  for (const code of [tea.barcode, 'A-1', 'B-1']) await device.scan(code)
  await type(page, '3')
  const isReleased = Promise.withResolvers<undefined>()
  await page.route('**/stock/transfer', async (route) => {
    await isReleased.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('button', { name: 'Start over' }).click()
  await device.scan(cup.barcode)
  const before = (await device.outcomes()).length
  isReleased.resolve(undefined)
  await expect.poll(async () => (await device.outcomes()).length).toBe(before + 1)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 1, 'B-1': 4 })
  for (const code of ['A-1', 'B-1']) await device.scan(code)
  await type(page, '1')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await expect.poll(() => stockOf(tenant, cup)).toEqual({ 'A-1': 6, 'B-1': 1 })
})

it('what was scanned before Start over and is answered after it is dropped; what is scanned after it is not', async ({
  window: { page },
  tenant,
}) => {
  const tea = await stockedProduct(tenant, { 'A-1': 4 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'A-1': 7 }, { name: 'Cup' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  await open(page, 'Move')
  const isReleased = Promise.withResolvers<undefined>()
  const asked: (string | null)[] = []
  await page.route('**/scan/api/v1/scan?*', async (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('code'))
    await isReleased.promise
    await route.continue()
  })
  const before = (await device.outcomes()).length
  await device.scanner.scan(tea.barcode)
  await device.scanner.scan('A-1')
  await page.getByRole('button', { name: 'Start over' }).click()
  await device.scanner.scan(cup.barcode)
  isReleased.resolve(undefined)
  await page.getByText('Scan the location it comes from.').waitFor()
  await expect.poll(async () => (await device.outcomes()).slice(before)).toEqual(['taken'])
  expect(await page.getByRole('definition').allTextContents()).toEqual(['Cup', '', ''])
  expect(asked).toEqual([tea.barcode, cup.barcode])
})

it('what is answered after the operator has left the screen is dropped', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 4 }, { name: 'Tea', barcode: '4006381333931' })
  const cup = await stockedProduct(tenant, { 'A-1': 7 }, { name: 'Cup' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  const lookUp = `**/scan/api/v1/scan?code=${tea.barcode}`
  let answer = (): void => undefined
  await page.route(lookUp, async (route) => {
    await new Promise<void>((resolve) => (answer = resolve))
    await route.continue()
  })
  const before = (await device.outcomes()).length
  /** Scans tea, and opens another screen before the server has said what it is. */
  const scanAndLeave = async (screen: string): Promise<void> => {
    const isAsked = page.waitForRequest(lookUp)
    await device.scanner.scan(tea.barcode)
    await isAsked
    await open(page, screen)
    const isAnswered = page.waitForResponse(lookUp)
    answer()
    await isAnswered
  }
  await open(page, 'Look up')
  await scanAndLeave('Move')
  await device.scanner.scan(cup.barcode)
  await page.getByText('Scan the location it comes from.').waitFor()
  await open(page, 'Count')
  await scanAndLeave('Look up')
  await device.scanner.scan(cup.barcode)
  await page.getByRole('region', { name: 'Cup' }).waitFor()
  expect((await device.outcomes()).slice(before)).toEqual(['taken', 'taken'])
})

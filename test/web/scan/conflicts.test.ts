import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { expectConsistentPicking, pick, stockedProduct, stockOf } from '../../support/picking.ts'
import { it as base, type TestTenant } from '../support/browser.ts'
import { type Device, enrolledDevice, newOperator } from '../support/scan-device.ts'

const ORDERED = 3

/** A device in the middle of an order of 3 × Tea at A-01, whose picks do not reach the server until `connect`. */
const it = base.extend('cut', async ({ window, tenant }) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|400|401|403|404/)
  const { page, context } = window
  const tea = await stockedProduct(tenant, { 'A-01': 5, 'B-01': 4 }, { name: 'Tea' })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: ORDERED }] })
  const ada = await newOperator(tenant, 'Ada', { may_change_stock: true })
  const device = await enrolledDevice(page, tenant, ada)
  await device.scan(order.order_tenant_id)
  await device.scan('A-01')
  const { body } = await tenant.request('GET', `/flows?order_id=${order.id}`)
  const flow: number = body.data.flows[0].id
  await context.setOffline(true)
  return { ...device, ada, tea, order, flow, connect: () => context.setOffline(false) }
})

const takeAll = (page: Page): Promise<void> => page.getByRole('button', { name: /^Take all/ }).click()

async function openProblems({ page }: Pick<Device, 'page'>): Promise<void> {
  await page.getByRole('button', { name: 'Problems (1)' }).click()
  await page.getByRole('heading', { name: 'Problems' }).waitFor()
}

/** Until the device has heard that everything is on the server. */
const whenSent = (page: Page): Promise<void> =>
  expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Online')

async function whenResolved({ page }: Pick<Device, 'page'>): Promise<void> {
  await page.getByText('No problems').waitFor()
  await whenSent(page)
}

const pickedOf = async (tenant: TestTenant, flow: number): Promise<number> =>
  (await tenant.request('GET', `/flows/${flow}`)).body.data.total_quantity_picked

it('a pick for an order that was cancelled is put back', async ({ cut, tenant, service }) => {
  const { page, order, tea } = cut
  await takeAll(page)
  await tenant.request('POST', `/orders/${order.id}/cancel`, {})
  await cut.connect()
  await openProblems(cut)
  await page.getByText(`${order.order_tenant_id} was cancelled. Put 3 × Tea back to A-01`).waitFor()
  // It survives a reload.
  await page.reload()
  await page.getByRole('heading', { name: 'Problems' }).waitFor()
  await page.getByRole('button', { name: 'I put it back' }).click()
  await whenResolved(cut)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 5, 'B-01': 4 })
  await expectConsistentPicking(service.db, tenant)
})

it("Diagnostics shows what was put back, of the device's tenant alone; of the log only the latest 200 rows stay", async ({
  cut,
  tenant,
}) => {
  const { page, order, ada } = cut
  await takeAll(page)
  await tenant.request('POST', `/orders/${order.id}/cancel`, {})
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('scan')
        opening.addEventListener('success', () => {
          const transaction = opening.result.transaction('log', 'readwrite')
          const log = transaction.objectStore('log')
          for (let row = 0; row < 250; row++)
            log.add({ at: new Date().toISOString(), what: 'dropped', entry: {}, binding: 'other' })
          transaction.addEventListener('complete', resolve)
        })
      }),
  )
  await cut.connect()
  await openProblems(cut)
  await page.getByRole('button', { name: 'I put it back' }).click()
  await whenResolved(cut)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Diagnostics' }).click()
  const dropped = page.getByRole('list', { name: 'Dropped on this device' }).getByRole('listitem')
  await expect
    .poll(() => dropped.allTextContents())
    .toEqual([expect.stringMatching(new RegExp(`Put back: .*${order.order_tenant_id}.* 3 .*Tea.*A-01.* \\(${ada.email}\\)$`))])
  const isKept = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open('scan')
        opening.addEventListener('success', () => {
          const counting = opening.result.transaction('log').objectStore('log').count()
          counting.addEventListener('success', () => resolve(counting.result))
        })
      }),
  )
  expect(isKept).toBe(200)
})

it('a pick beyond what is left says how much goes back', async ({ cut, tenant, service }) => {
  const { page, flow, tea } = cut
  await takeAll(page)
  await pick(tenant, flow, { barcode: tea.barcode, location_id: 'B-01', quantity: 2, pick_id: 'other' })
  await cut.connect()
  await openProblems(cut)
  await page.getByText('Only 1 left to pick. Put 2 back', { exact: true }).waitFor()
  await page.getByText(`${cut.order.order_tenant_id}: 3 × Tea from A-01`, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'I put it back' }).click()
  await whenResolved(cut)
  // The line is open again, for the one that is left.
  await page.goBack()
  await page.getByRole('button', { name: 'Back to picking' }).click()
  await page.getByText('Take 1', { exact: true }).waitFor()
  expect(await pickedOf(tenant, flow)).toBe(2)
  await expectConsistentPicking(service.db, tenant)
})

it('a flow that another operator has now leaves the device', async ({ cut, tenant }) => {
  const { page, flow, order, tea } = cut
  await takeAll(page)
  await tenant.request('POST', `/flows/${flow}/assign`, { operator_email: 'grace@example.com' })
  await cut.connect()
  await openProblems(cut)
  await page.getByText(`${order.order_tenant_id} is with grace@example.com now`).waitFor()
  await page.getByRole('button', { name: 'I put it back' }).click()
  await whenResolved(cut)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 5, 'B-01': 4 })
  await page.goto('/scan#/queue')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  expect(await page.getByRole('button', { name: /^Go on with/ }).count()).toBe(0)
})

it('an order that others end or give away is told; goods that were sent go back, or with their order', async ({
  window,
  tenant,
  service,
}) => {
  // What is read by itself while the operator changes.
  window.expectComplaint(/403/)
  const { page } = window
  const tea = await stockedProduct(tenant, { 'A-01': 5 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'B-01': 4 }, { name: 'Cup' })
  const grace = await newOperator(tenant, 'Grace')
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const picked = async (order: { id: number; order_tenant_id: string }, quantity: number): Promise<number> => {
    await device.scan(order.order_tenant_id)
    await takeAll(page)
    const { body } = await tenant.request('GET', `/flows?order_id=${order.id}`)
    const { id } = body.data.flows[0]
    await expect.poll(() => pickedOf(tenant, id)).toBe(quantity)
    await whenSent(page)
    return id
  }
  const order_detail = [
    { barcode: tea.barcode, quantity: 2 },
    { barcode: cup.barcode, quantity: 1 },
  ]
  // As when the device is back at the network.
  const readAgain = (): Promise<boolean> => page.evaluate(() => dispatchEvent(new Event('online')))
  const ways = page.getByRole('main').getByRole('listitem').getByRole('button')
  // Nothing of it was picked yet.
  const untouched = await newOrder(tenant, { order_detail })
  await device.scan(untouched.order_tenant_id)
  await tenant.request('POST', `/orders/${untouched.id}/cancel`, {})
  await readAgain()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await openProblems(device)
  await page.getByText(`${untouched.order_tenant_id} was cancelled`, { exact: true }).waitFor()
  expect(await ways.allTextContents()).toEqual(['OK'])
  await ways.click()
  await whenResolved(device)
  await page.goto('/scan#/queue')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  const cancelled = await newOrder(tenant, { order_detail })
  await picked(cancelled, 2)
  await tenant.request('POST', `/orders/${cancelled.id}/cancel`, {})
  await readAgain()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await openProblems(device)
  await page.reload()
  await page.getByText(`${cancelled.order_tenant_id} was cancelled. Put 2 × Tea back to A-01`, { exact: true }).waitFor()
  expect(await ways.allTextContents()).toEqual(['I put it back'])
  await ways.click()
  await whenResolved(device)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 5 })

  await page.goto('/scan#/queue')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  const given = await newOrder(tenant, { order_detail: order_detail.slice(0, 1) })
  const flow = await picked(given, 2)
  await tenant.request('POST', `/flows/${flow}/assign`, { operator_email: grace.email })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Change operator' }).click()
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await device.scan(grace.badge)
  // It was this device's under another name.
  await page.getByRole('button', { name: `Go on with ${given.order_tenant_id}` }).waitFor()
  await openProblems(device)
  await page.getByText(`${given.order_tenant_id} is with Grace now`, { exact: true }).waitFor()
  await page.getByText('Hand over what was taken for it: 2 × Tea', { exact: true }).waitFor()
  expect(await ways.allTextContents()).toEqual(['I handed it over'])
  await ways.click()
  await whenResolved(device)
  expect([await pickedOf(tenant, flow), await stockOf(tenant, tea)]).toEqual([2, { 'A-01': 3 }])
  await expectConsistentPicking(service.db, tenant)
})

it('of an order that was given away, only what was taken here is handed over, put back or added to a count', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|Failed to fetch|403/)
  const { page, context } = window
  const tea = await stockedProduct(tenant, { 'A-01': 5 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'B-01': 9 }, { name: 'Cup' })
  const order_detail = [
    { barcode: tea.barcode, quantity: 2 },
    { barcode: cup.barcode, quantity: 3 },
  ]
  const orders = [await newOrder(tenant, { order_detail }), await newOrder(tenant, { order_detail })] as const
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  /** While Ada's device sleeps, Bob picks the cups on his own one. */
  const giveAway = async ({ id, order_tenant_id }: (typeof orders)[number]): Promise<number> => {
    await device.scan(order_tenant_id)
    await takeAll(page)
    const flow: number = (await tenant.request('GET', `/flows?order_id=${id}`)).body.data.flows[0].id
    await expect.poll(() => pickedOf(tenant, flow)).toBe(2)
    await whenSent(page)
    await context.setOffline(true)
    await tenant.request('POST', `/flows/${flow}/assign`, { operator_email: 'bob@example.com' })
    const { status } = await pick(tenant, flow, {
      barcode: cup.barcode,
      location_id: 'B-01',
      quantity: 3,
      pick_id: `bob-${flow}`,
    })
    expect(status).toBe(200)
    return flow
  }
  await giveAway(orders[0])
  await context.setOffline(false)
  await openProblems(device)
  await page.getByText('Hand over what was taken for it: 2 × Tea', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'I handed it over' }).click()
  await whenResolved(device)

  await page.goto('/scan#/queue')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  const flow = await giveAway(orders[1])
  await tenant.request('POST', `/flows/${flow}/cancel`, {})
  await context.setOffline(false)
  await openProblems(device)
  await page.getByText(`${orders[1].order_tenant_id} was cancelled. Put 2 × Tea back to A-01`, { exact: true }).waitFor()
  expect(await page.getByRole('main').innerText()).not.toContain('Cup')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Count' }).click()
  for (const code of [cup.barcode, 'B-01']) await device.scan(code)
  await page.getByRole('button', { name: '6', exact: true }).click()
  await page.getByRole('button', { name: 'Save the count' }).click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, cup)).toEqual({ 'B-01': 6 })
})

it('an order that is gone is no unsent scan of a device that is removed', async ({ cut, tenant }) => {
  const { page, order } = cut
  await tenant.request('POST', `/orders/${order.id}/cancel`, {})
  await cut.connect()
  await page.getByRole('button', { name: 'Problems (1)' }).waitFor()
  await page.goto('/scan#/diagnostics')
  await page.getByRole('button', { name: 'Remove this device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this device' })
  const text = await dialog.getByRole('paragraph').allTextContents()
  expect(text).toEqual(['The device must be enrolled again before it can be used.'])
  await dialog.getByRole('button', { name: 'Remove this device' }).click()
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
})

it('a pick of stock that is gone is taken from elsewhere', async ({ cut, tenant, service }) => {
  const { page, flow, tea } = cut
  await takeAll(page)
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A-01', quantity: 1 })
  await cut.connect()
  await openProblems(cut)
  await page.getByText('The system has 1 at A-01', { exact: true }).waitFor()
  await page.getByText(`${cut.order.order_tenant_id}: 3 × Tea from A-01`, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Take from elsewhere' }).click()
  await page.getByRole('button', { name: 'B-01: 4' }).click()
  await whenResolved(cut)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 1, 'B-01': 1 })
  expect(await pickedOf(tenant, flow)).toBe(ORDERED)
  await expectConsistentPicking(service.db, tenant)
})

it('a pick at a location that was closed is taken from elsewhere', async ({ cut, tenant, service }) => {
  const { page, flow, tea } = cut
  await takeAll(page)
  await tenant.request('PUT', '/locations/A-01', { pickable: false })
  await cut.connect()
  await openProblems(cut)
  await page.getByText('Nothing may be picked at A-01 now. Put 3 × Tea back').waitFor()
  const problem = page.getByRole('listitem')
  expect(await problem.getByRole('button').allTextContents()).toEqual(['Take from elsewhere', 'Send again', 'I put it back'])
  await problem.getByRole('button', { name: 'Take from elsewhere' }).click()
  await page.getByRole('button', { name: 'B-01: 4' }).click()
  await whenResolved(cut)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 5, 'B-01': 1 })
  expect(await pickedOf(tenant, flow)).toBe(ORDERED)
  await expectConsistentPicking(service.db, tenant)
})

it('a pick at the only location of a product, which was closed, is sent again once it is open', async ({ cut, tenant }) => {
  const { page, flow, tea } = cut
  await takeAll(page)
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'B-01', quantity: 0 })
  await tenant.request('PUT', '/locations/A-01', { pickable: false })
  await cut.connect()
  await openProblems(cut)
  const problem = page.getByRole('listitem')
  await problem.getByRole('button', { name: 'Send again' }).waitFor()
  expect(await problem.getByRole('button').allTextContents()).toEqual(['Send again', 'I put it back'])
  await tenant.request('PUT', '/locations/A-01', { pickable: true })
  await problem.getByRole('button', { name: 'Send again' }).click()
  await whenResolved(cut)
  expect(await pickedOf(tenant, flow)).toBe(ORDERED)
})

it('a count corrects the stock, with what the operator holds, and sends the pick again', async ({ cut, tenant, service }) => {
  const { page, flow, tea } = cut
  await cut.scan(tea.barcode)
  await cut.scan('FC-CONFIRM', 'line')
  // Not confirmed yet.
  for (const code of ['A-01', tea.barcode]) await cut.scan(code)
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A-01', quantity: 0 })
  await cut.connect()
  await openProblems(cut)
  await page.getByRole('button', { name: 'Count A-01' }).click()
  const dialog = page.getByRole('dialog', { name: 'Count A-01' })
  for (const key of ['1', '2']) await dialog.getByRole('button', { name: key, exact: true }).click()
  await dialog.getByRole('button', { name: 'Save the count' }).click()
  await whenResolved(cut)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 13, 'B-01': 4 })
  await page.goBack()
  await cut.scan('FC-CONFIRM', 'line')
  await expect.poll(() => pickedOf(tenant, flow)).toBe(2)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 12, 'B-01': 4 })
  await expectConsistentPicking(service.db, tenant)
})

it('a count corrects the stock also when the flow has left the device; a colleague of this device is named', async ({
  cut,
  tenant,
}) => {
  const { page, ada, order, tea } = cut
  const grace = await newOperator(tenant, 'Grace', { may_change_stock: true })
  await takeAll(page)
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A-01', quantity: 1 })
  await cut.connect()
  await page.getByRole('button', { name: 'Problems (1)' }).waitFor()
  await tenant.request('POST', `/flows/${cut.flow}/assign`, { operator_email: grace.email })
  // The Problems wait until somebody has signed in.
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Change operator' }).click()
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  expect(await page.getByRole('button', { name: 'Problems (1)' }).isDisabled()).toBe(true)
  await cut.scan(grace.badge)
  await cut.scan(ada.badge)
  await page.goto('/scan#/diagnostics')
  await page.getByText('0 to send', { exact: true }).waitFor()
  await openProblems(cut)
  await page.getByRole('button', { name: 'Count A-01' }).click()
  const dialog = page.getByRole('dialog', { name: 'Count A-01' })
  await dialog.getByRole('button', { name: '7', exact: true }).click()
  await dialog.getByRole('button', { name: 'Save the count' }).click()
  await page.getByText(`${order.order_tenant_id} is with Grace now`).waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 7 + ORDERED, 'B-01': 4 })
  await page.getByRole('button', { name: 'I put it back' }).click()
  await whenResolved(cut)
})

it('a pick of stock that is gone is put back', async ({ cut, tenant, service }) => {
  const { page, flow, tea } = cut
  await takeAll(page)
  await tenant.request('PUT', `/stock/product/${tea.id}`, { location_id: 'A-01', quantity: 1 })
  await cut.connect()
  await openProblems(cut)
  await page.getByRole('button', { name: 'I put it back' }).click()
  await whenResolved(cut)
  expect(await stockOf(tenant, tea)).toEqual({ 'A-01': 1, 'B-01': 4 })
  expect(await pickedOf(tenant, flow)).toBe(0)
  await expectConsistentPicking(service.db, tenant)
  // The line is open again, where the rest of it lies.
  await page.goBack()
  await page.getByRole('button', { name: 'Back to picking' }).click()
  await page.getByRole('heading', { name: 'B-01' }).waitFor()
})

it('an order that another one completed takes no more picks; completing it again is no problem', async ({ cut, tenant }) => {
  const { page, flow, order, scanner } = cut
  await takeAll(page)
  await page.getByRole('heading', { name: /^Finish/ }).waitFor()
  await scanner.scan('FC-FINISH')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await tenant.request('POST', `/flows/${flow}/complete`, {})
  await cut.connect()
  await openProblems(cut)
  await page.getByText(`${order.order_tenant_id} was completed. Put 3 × Tea back to A-01`).waitFor()
  await page.getByRole('button', { name: 'I put it back' }).click()
  await whenResolved(cut)
  expect(await pickedOf(tenant, flow)).toBe(0)
})

it('anything else is refused with message and request, and can be sent again', async ({ window, tenant }) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|400/)
  const { page, context } = window
  const rice = await stockedProduct(tenant, { 'A-01': 5 }, { name: 'Rice', weighable: true })
  const order = await newOrder(tenant, { order_detail: [{ barcode: rice.barcode, quantity: 2 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  await device.scan('A-01')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Quantity' }).click()
  const dialog = page.getByRole('dialog', { name: 'Quantity' })
  for (const key of ['0', '.', '5']) await dialog.getByRole('button', { name: key, exact: true }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Taken here: 0.5', { exact: true }).waitFor()
  await device.scan('FC-CONFIRM', 'line')
  await tenant.request('PUT', `/products/${rice.id}`, { weighable: false })
  await context.setOffline(false)
  await openProblems(device)
  const problem = page.getByRole('listitem')
  await problem.getByText('The server refused this').waitFor()
  expect(await problem.innerText()).toMatch(/The quantity must be an integer.* Request \S+/)
  await tenant.request('PUT', `/products/${rice.id}`, { weighable: true })
  await page.getByRole('button', { name: 'Send again' }).click()
  await whenResolved(device)
  expect(await stockOf(tenant, rice)).toEqual({ 'A-01': 4.5 })
})

it('a device whose session ended keeps its scans, and goes on when it is enrolled again', async ({ cut, tenant }) => {
  const { page, flow } = cut
  await takeAll(page)
  const { body } = await tenant.request('GET', '/sessions')
  const { id } = body.data.sessions.find(({ kind }: { kind: string }) => kind === 'device')
  await tenant.request('DELETE', `/sessions/${id}`)
  await cut.connect()
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
  await page.getByText('1 scan is kept.').waitFor()
  const code = await tenant.request('POST', '/devices/codes', { device_name: 'Handheld 3' })
  await cut.scanner.scan(code.body.data.url)
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  expect(await pickedOf(tenant, flow)).toBe(0)
  await cut.scanner.scan(cut.ada.badge)
  await expect.poll(() => pickedOf(tenant, flow)).toBe(ORDERED)
})

it('entries of an operator who is no longer active are sent when another one has signed in', async ({ cut, tenant }) => {
  const { page, flow, ada } = cut
  await takeAll(page)
  await tenant.request('PUT', `/operators/${ada.id}`, { is_active: false })
  const grace = await newOperator(tenant, 'Grace')
  await cut.connect()
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await page.getByText('1 scan is kept.').waitFor()
  await cut.scanner.scan(grace.badge)
  await expect.poll(() => pickedOf(tenant, flow)).toBe(ORDERED)
  const { body } = await tenant.request('GET', '/audit-log?operation=flows.pick&surface=scan')
  expect(body.data.entries).toMatchObject([{ operator_email: ada.email, error: null }])
  // Nobody but Ada goes on with it.
  expect(await page.getByRole('button', { name: /^Go on with/ }).count()).toBe(0)
})

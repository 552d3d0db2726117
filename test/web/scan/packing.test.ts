import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { pick, type PickableProduct, startedFlow, stockedProduct } from '../../support/picking.ts'
import {
  change,
  completedOrder,
  expectConsistentShipments,
  transition,
  pack,
  packageOf,
  pickedOrder,
  pickMore,
  readShipment,
  statusOf,
} from '../../support/shipments.ts'
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

/** After so long, the app reads again what others may have packed. */
const FRESH_MS = 1_000

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
const packed = (page: Page, number: number) =>
  page
    .getByRole('list', { name: `Package ${number}` })
    .getByRole('listitem')
    .allTextContents()
const problem = (page: Page) => page.getByRole('alertdialog', { name: 'Problem' })
const said = (page: Page, text: string): Promise<void> =>
  page.getByRole('status', { name: 'Last scan' }).getByText(text, { exact: true }).waitFor()
const toPack = (page: Page): Promise<string[]> =>
  page.getByRole('list', { name: 'To pack' }).getByRole('listitem').allInnerTexts()

const productOf = (tenant: TestTenant, name: string, fields: object = {}): Promise<PickableProduct> =>
  stockedProduct(tenant, { A: 100 }, { name, ...fields })

const shipmentsOf = async (tenant: TestTenant, { id }: { id: number }) =>
  (await tenant.request('GET', `/shipments?order_id=${id}`)).body.data.shipments

async function openOrder({ page, scan }: Device, order: { order_tenant_id: string }): Promise<void> {
  await press(page, 'Pack')
  await page.getByRole('heading', { name: 'Orders to pack' }).waitFor()
  await scan(order.order_tenant_id)
  await page.getByRole('heading', { name: order.order_tenant_id }).waitFor()
}

it('an order is packed by scans, packs and weights, into two packages, weighed and shipped', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(/404/)
  const { page } = window
  await tenant.request('PUT', '/settings', { weight_barcodes: [{ pattern: '21IIIIIWWWWWC', decimals: 3 }] })
  const tea = await productOf(tenant, 'Tea', { barcode: '4006381333931' })
  await seed(tenant, `/products/${tea.id}/barcodes`, { barcode: '14006381333938', quantity: 12 })
  const cheese = await productOf(tenant, 'Cheese', { barcode: '2112345', weighable: true, pick_tolerance_percent: 10 })
  const cup = await productOf(tenant, 'Cup')
  const order = await pickedOrder(
    tenant,
    [
      [tea, 20],
      [cheese, 1],
      [cup, 2],
    ],
    [15, 1.05, 0],
  )
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await press(page, 'Pack')
  // A product is no order.
  await device.scan(tea.barcode, 'problem')
  await problem(page).getByText('Scan the order of Tea first').waitFor()
  await press(page, 'OK')
  await device.scan(`]C1${order.order_tenant_id}`)
  await page.getByRole('heading', { name: order.order_tenant_id }).waitFor()
  // Nothing was taken of the cup.
  await expect
    .poll(() => toPack(page))
    .toEqual([expect.stringMatching(/^Tea\s+15 of 15 to pack/), expect.stringMatching(/^Cheese\s+1.05 of 1.05 to pack/)])
  expect(await shipmentsOf(tenant, order)).toEqual([])
  await device.scan(tea.barcode)
  await device.scan('14006381333938')
  await said(page, '13 × Tea in package 1')
  // A case is not opened unseen; what is left of it is packed when the operator says so.
  await device.scan('14006381333938', 'problem')
  await problem(page).getByText('Only 2 × Tea left to pack').waitFor()
  await press(page, 'Pack 2')
  await said(page, '15 × Tea in package 1')
  await press(page, 'Weight')
  const dialog = page.getByRole('dialog', { name: 'Weight' })
  for (const key of ['2', '.', '5']) await dialog.getByRole('button', { name: key, exact: true }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await said(page, 'Package 1: 2.5 kg')
  await press(page, 'New package')
  await device.scan('2112345010502', 'order')
  await said(page, `All of ${order.order_tenant_id} is packed`)
  expect(await packed(page, 2)).toEqual(['1.05 × Cheese'])
  // The command presses Ship, then the button in the dialog.
  await device.scanner.scan('FC-FINISH')
  await page.getByRole('dialog', { name: 'Ship' }).waitFor()
  await device.scan('FC-FINISH', 'order')
  await page.getByRole('heading', { name: 'Orders to pack' }).waitFor()

  const [shipment] = await shipmentsOf(tenant, order)
  const [teaLine, cheeseLine] = order.lines
  const sums = shipment.packages.map(({ weight, lines }: { weight: number | null; lines: PackedLine[] }) => [
    weight,
    sumsOf(lines),
  ])
  expect([shipment.state, sums]).toEqual([
    'shipped',
    [
      [2.5, { [teaLine!]: 15 }],
      [null, { [cheeseLine!]: 1.05 }],
    ],
  ])
  expect(await statusOf(tenant, order)).toBe('partial')
  const { entries } = (await tenant.request('GET', '/audit-log?operation=shipments.ship&surface=scan')).body.data
  expect(entries).toMatchObject([{ operator_email: 'ada@example.com' }])
  await expectConsistentShipments(service.db, tenant)

  // The rest, picked later, goes in another shipment.
  await pickMore(
    tenant,
    order,
    [
      [tea, 0],
      [cheese, 0],
      [cup, 2],
    ],
    [0, 0, 2],
  )
  await device.scan(order.order_tenant_id)
  await page.getByText(`Shipment ${shipment.id}: shipped, 2 packages`).waitFor()
  await page.getByRole('button', { name: 'Cup' }).click()
  await said(page, '1 × Cup in package 1')
  await device.scan('FC-ALL', 'order')
  expect((await shipmentsOf(tenant, order)).map(({ total_quantity: total }: { total_quantity: number }) => total)).toEqual([
    2, 16.05,
  ])
  await expectConsistentShipments(service.db, tenant)
})

interface PackedLine {
  order_detail_id: number
  quantity: number
}

function sumsOf(lines: readonly PackedLine[]): Record<number, number> {
  const sums: Record<number, number> = {}
  for (const { order_detail_id: id, quantity } of lines) sums[id] = (sums[id] ?? 0) + quantity
  return sums
}

it('goes on with an open shipment; what others do meanwhile becomes a Problem with ways on', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(/400|404/)
  const { page } = window
  const [tea, cup] = [await productOf(tenant, 'Tea'), await productOf(tenant, 'Cup')]
  const order = await completedOrder(tenant, [
    [tea, 5],
    [cup, 3],
  ])
  const first = await pack(tenant, order, [packageOf({ product_id: tea.id }, 1, { weight: 1.4, carrier: 'DHL' })], {
    reference: 'SHP-1',
  })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await press(page, 'Pack')
  await press(page, `Go on with ${order.order_tenant_id}`)
  await page.getByText('SHP-1: open, 1 package').waitFor()
  await device.scan(tea.barcode)
  await said(page, '2 × Tea in package 1')
  // What the office has set stays.
  expect((await readShipment(tenant, first)).packages).toMatchObject([{ weight: 1.4, carrier: 'DHL' }])
  // What it sets meanwhile stays, too.
  await change(tenant, first, { tracking: [{ number: 1, tracking_number: '1Z999' }] })
  await page.waitForTimeout(FRESH_MS)
  await device.scan(cup.barcode)
  await said(page, '1 × Cup in package 1')
  expect((await readShipment(tenant, first)).packages).toMatchObject([{ weight: 1.4, carrier: 'DHL', tracking_number: '1Z999' }])
  await device.scan('FC-UNDO')
  await expect.poll(() => packed(page, 1)).toEqual(['2 × Tea'])
  // Not by the read that is made every 15 seconds, but by the refusal.
  const second = await pack(tenant, order, [packageOf({ product_id: tea.id }, 3)], { reference: 'SHP-2' })
  await device.scan(tea.barcode, 'problem')
  await problem(page).getByText('All of Tea that was picked is packed').waitFor()
  await transition(tenant, second, 'cancel')
  await press(page, 'Try again')
  await said(page, '3 × Tea in package 1')
  // The quantity in the package is set; Undo takes that back, then the scan before.
  await press(page, '3 × Tea')
  const dialog = page.getByRole('dialog', { name: 'Quantity' })
  await dialog.getByRole('button', { name: '9', exact: true }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await problem(page).getByText('Only 2 × Tea left to pack').waitFor()
  await press(page, 'OK')
  await press(page, '3 × Tea')
  await dialog.getByRole('button', { name: '0', exact: true }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect.poll(() => packed(page, 1)).toEqual([])
  await device.scan('FC-UNDO')
  await expect.poll(() => packed(page, 1)).toEqual(['3 × Tea'])
  await device.scan('FC-UNDO')
  await expect.poll(() => packed(page, 1)).toEqual(['2 × Tea'])
  // The shipment leaves elsewhere: what follows goes in a new one.
  await transition(tenant, first, 'ship')
  await device.scan(cup.barcode, 'problem')
  await problem(page).getByText('SHP-1 was shipped').waitFor()
  await press(page, 'Try again')
  await said(page, '1 × Cup in package 1')
  const all = await shipmentsOf(tenant, order)
  expect(all.map(({ state, total_quantity: total }: { state: string; total_quantity: number }) => [state, total])).toEqual([
    ['open', 1],
    ['cancelled', 3],
    ['shipped', 2],
  ])
  // Ship, and what is set in a package, is for the shipment that the operator saw, and for no other one.
  const third = await pack(tenant, order, [packageOf({ product_id: cup.id }, 1)], { reference: 'SHP-3' })
  const shipDialog = page.getByRole('dialog', { name: 'Ship' })
  await press(page, 'Ship')
  await shipDialog.getByText(`The packages of Shipment ${all[0].id} cannot be changed afterwards.`).waitFor()
  for (const call of ['ship', 'deliver']) await transition(tenant, all[0], call)
  await shipDialog.getByRole('button', { name: 'Ship' }).click()
  await problem(page).getByText(`Shipment ${all[0].id} was delivered. SHP-3 is next`, { exact: true }).waitFor()
  expect(await problem(page).getByRole('button').allTextContents()).toEqual(['OK'])
  await press(page, 'OK')
  await expect.poll(() => packed(page, 1)).toEqual(['1 × Cup'])
  await press(page, '1 × Cup')
  await transition(tenant, third, 'cancel')
  for (const key of ['2', 'Confirm']) await dialog.getByRole('button', { name: key, exact: true }).click()
  await problem(page).getByText('SHP-3 was cancelled', { exact: true }).waitFor()
  expect(await problem(page).getByRole('button').allTextContents()).toEqual(['OK'])
  await press(page, 'OK')
  // Of another product nothing was ordered.
  const mate = await productOf(tenant, 'Mate')
  await device.scan(mate.barcode, 'problem')
  await problem(page).getByText(`Mate is not in ${order.order_tenant_id}`).waitFor()
  await press(page, 'OK')
  await expectConsistentShipments(service.db, tenant)

  // An order that is being picked: what its flow has picked is not taken yet. Then it is cancelled.
  const lines: [PickableProduct, number][] = [[tea, 2]]
  const running = await startedFlow(tenant, lines)
  await pick(tenant, running.flow, { product_id: tea.id, location_id: 'A', quantity: 2 })
  await device.scan(running.order.order_tenant_id)
  await page.getByText(`${running.order.order_tenant_id} is being picked.`, { exact: false }).waitFor()
  await device.scan(tea.barcode, 'problem')
  await problem(page).getByText('Nothing of Tea is picked yet').waitFor()
  await tenant.request('POST', `/flows/${running.flow}/complete`)
  await press(page, 'Try again')
  await said(page, '1 × Tea in package 1')
  await expectConsistentShipments(service.db, tenant)
  const open = await pickedOrder(tenant, [[cup, 3]], [2])
  await device.scan(open.order_tenant_id)
  await device.scan(cup.barcode)
  await tenant.request('POST', `/orders/${open.id}/cancel`, {})
  await device.scan(cup.barcode, 'problem')
  await problem(page).getByText(`${open.order_tenant_id} was cancelled. Take its goods out of the packages`).waitFor()
})

it('a shipment whose creation had no response keeps what is packed in it when another one is begun', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(/ERR_FAILED/)
  const { page } = window
  const [tea, cup] = [await productOf(tenant, 'Tea'), await productOf(tenant, 'Cup')]
  const order = await completedOrder(tenant, [
    [tea, 4],
    [cup, 2],
  ])
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openOrder(device, order)
  const loseResponse = async (route: Route): Promise<void> => {
    await route.fetch()
    await route.abort()
  }
  await page.route('**/shipments', loseResponse, { times: 1 })
  await device.scan(tea.barcode, 'problem')
  await press(page, 'OK')
  // The app reads that there is one.
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await page.getByRole('button', { name: 'New shipment' }).waitFor()
  for (let scans = 0; scans < 3; scans++) await device.scan(tea.barcode)
  await press(page, 'New shipment')
  await device.scan(cup.barcode)
  await said(page, '1 × Cup in package 1')
  expect(await shipmentsOf(tenant, order)).toMatchObject([{ total_quantity: 1 }, { total_quantity: 3 }])
  await expectConsistentShipments(service.db, tenant)
})

it('a shipment whose creation had no response is read again before goods are added to what others have packed in it', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/ERR_FAILED/)
  const { page } = window
  const [tea, cup] = [await productOf(tenant, 'Tea'), await productOf(tenant, 'Cup')]
  const order = await completedOrder(tenant, [
    [tea, 3],
    [cup, 3],
  ])
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openOrder(device, order)
  await device.scan(cup.barcode)
  await press(page, 'New shipment')
  const packedByOthers = async (route: Route): Promise<void> => {
    const { data } = await (await route.fetch()).json()
    await tenant.request('PUT', `/shipments/${data.id}`, { packages: [packageOf({ product_id: tea.id }, 3)] })
    await route.abort()
  }
  await page.route('**/shipments', packedByOthers, { times: 1 })
  await device.scan(cup.barcode, 'problem')
  await press(page, 'OK')
  await device.scan(cup.barcode)
  await expect.poll(async () => await shipmentsOf(tenant, order)).toMatchObject([{ total_quantity: 4 }, { total_quantity: 1 }])
})

it('needs the connection and says so at once; a step whose response is lost is not done twice', async ({
  openWindow,
  tenant,
  service,
  proxy,
}) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|Failed to fetch|ERR_EMPTY_RESPONSE|ERR_CONNECTION|404/)
  const { page, context } = window
  const tea = await productOf(tenant, 'Tea')
  const order = await completedOrder(tenant, [[tea, 5]])
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openOrder(device, order)
  await context.setOffline(true)
  await page.getByText('Offline: packing needs the connection.').waitFor()
  await device.scan(tea.barcode, 'problem')
  await problem(page).getByText('No connection. Nothing was sent.').waitFor()
  await press(page, 'OK')
  await context.setOffline(false)
  await page.getByText('Offline: packing needs the connection.').waitFor({ state: 'hidden' })
  // The creation of the shipment, then a step, are done, but their responses are lost.
  for (const method of ['POST', 'PUT']) {
    proxy.fault = (called, path): Fault => (called === method && path.includes('/shipments') ? 'lost after' : 'none')
    await device.scan(tea.barcode, 'problem')
    proxy.fault = () => 'none'
    await press(page, 'OK')
    await device.scan(tea.barcode)
  }
  await expect.poll(() => packed(page, 1)).toEqual(['2 × Tea'])
  const shipments = await shipmentsOf(tenant, order)
  expect(shipments).toMatchObject([{ state: 'open', total_quantity: 2 }])
  await device.scan(tea.barcode)
  await page.reload()
  await page.getByRole('heading', { name: order.order_tenant_id }).waitFor()
  await expect.poll(() => packed(page, 1)).toEqual(['3 × Tea'])
  // A search that fails ends the step only when what is read beside it has come: later, it would replace what is packed next.
  const shipment = /\/shipments\/\d+$/
  let isRead = false
  await page.route(shipment, async (route) => {
    await page.waitForTimeout(FRESH_MS)
    isRead = true
    await route.continue()
  })
  await page.route(/[?&]code=/, (route) => route.abort('connectionreset'), { times: 1 })
  await page.waitForTimeout(FRESH_MS)
  await device.scan(tea.barcode, 'problem')
  expect(isRead).toBe(true)
  await page.unroute(shipment)
  await press(page, 'OK')
  // Packed, but the response is not the server's: the operator was told that it is not, so it is taken back before the next step.
  await page.route(shipment, async (route) => {
    if (route.request().method() !== 'PUT') return await route.continue()
    await route.fetch()
    await route.fulfill({ contentType: 'text/html', body: '<h1>Log in to the network</h1>' })
  })
  await device.scan(tea.barcode, 'problem')
  await problem(page).getByText('No response from the server').waitFor()
  await page.unroute(shipment)
  await press(page, 'OK')
  // Shipped, but the device does not hear of it.
  proxy.fault = (method, path): Fault => (method === 'POST' && path.endsWith('/ship') ? 'lost after' : 'none')
  await press(page, 'Ship')
  await page.getByRole('dialog', { name: 'Ship' }).getByRole('button', { name: 'Ship' }).click()
  await problem(page).getByText('No response from the server').waitFor()
  proxy.fault = () => 'none'
  await press(page, 'OK')
  await page.getByText(`Shipment ${shipments[0].id}: shipped, 1 package`).waitFor()
  expect(await shipmentsOf(tenant, order)).toMatchObject([{ state: 'shipped', total_quantity: 3 }])
  // The device has read so by itself: it shows that, and stops the operator before anything goes in another shipment.
  await page.getByText(`Shipment ${shipments[0].id} was shipped`, { exact: true }).waitFor()
  await device.scan(tea.barcode, 'problem')
  await problem(page).getByText(`Shipment ${shipments[0].id} was shipped`).waitFor()
  await press(page, 'OK')
  await device.scan(tea.barcode)
  await said(page, '1 × Tea in package 1')
  await expectConsistentShipments(service.db, tenant)
})

it('Undo takes back what was done to the shipment that is packed, also when it was chosen during a step of another one', async ({
  window: { page },
  tenant,
  service,
}) => {
  const [tea, cup] = [await productOf(tenant, 'Tea'), await productOf(tenant, 'Cup')]
  const order = await completedOrder(tenant, [
    [tea, 5],
    [cup, 3],
  ])
  const other = await pack(tenant, order, [packageOf({ product_id: cup.id }, 2)], { reference: 'SHP-1' })
  const newest = await pack(tenant, order, [packageOf({ product_id: tea.id }, 1)], { reference: 'SHP-2' })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openOrder(device, order)
  await expect.poll(() => packed(page, 1)).toEqual(['1 × Tea'])
  const isAsked = Promise.withResolvers<void>()
  const isAnswered = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname.endsWith(`/shipments/${newest.id}`),
    async (route) => {
      if (route.request().method() === 'PUT') {
        isAsked.resolve()
        await isAnswered.promise
      }
      await route.continue()
    },
  )
  await page.getByRole('button', { name: 'Tea', exact: true }).click()
  await isAsked.promise
  await press(page, 'Go on with SHP-1')
  isAnswered.resolve()
  await expect.poll(async () => (await readShipment(tenant, newest)).total_quantity).toBe(2)
  await expect.poll(() => packed(page, 1)).toEqual(['2 × Cup'])
  await device.scan('FC-UNDO', 'problem')
  await problem(page).getByText('There is nothing to undo').waitFor()
  expect((await readShipment(tenant, other)).packages).toEqual(other.packages)
  expect((await readShipment(tenant, newest)).total_quantity).toBe(2)
  await expectConsistentShipments(service.db, tenant)
})

it('a step whose response is lost is taken back once that is possible, and not what others have packed since', async ({
  window: { page },
  tenant,
  service,
}) => {
  const [tea, cup] = [await productOf(tenant, 'Tea'), await productOf(tenant, 'Cup')]
  const order = await completedOrder(tenant, [
    [tea, 5],
    [cup, 3],
  ])
  const shipment = await pack(tenant, order, [packageOf({ product_id: tea.id }, 1, { weight: 1.4 })])
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openOrder(device, order)
  await expect.poll(() => packed(page, 1)).toEqual(['1 × Tea'])
  /** What becomes of calls of the shipment, from its next change on. */
  let lost: 'nothing' | 'requests' | 'responses' = 'nothing'
  let isChanged = false
  await page.route(/\/shipments\/\d+$/, async (route) => {
    isChanged ||= route.request().method() === 'PUT'
    if (lost === 'nothing' || !isChanged) return await route.continue()
    if (lost === 'responses') await route.fetch()
    await route.fulfill({ contentType: 'text/html', body: '<h1>Log in to the network</h1>' })
  })
  const scanUnanswered = async (code: string, what: 'requests' | 'responses'): Promise<void> => {
    lost = what
    isChanged = false
    await device.scan(code, 'problem')
    await problem(page).getByText('No response from the server').waitFor()
    await press(page, 'OK')
  }
  const [teaLine, cupLine] = order.lines as [number, number]
  const packedNow = async (): Promise<object[]> =>
    (await readShipment(tenant, shipment)).packages.map(({ lines }: { lines: PackedLine[] }) => sumsOf(lines))
  // It is done, and to take it back does not come through.
  await scanUnanswered(tea.barcode, 'responses')
  await scanUnanswered(tea.barcode, 'requests')
  lost = 'nothing'
  await device.scan(tea.barcode)
  await said(page, '2 × Tea in package 1')
  expect(await packedNow()).toEqual([{ [teaLine]: 2 }])

  await scanUnanswered(tea.barcode, 'responses')
  const colleagues = [packageOf({ product_id: tea.id }, 3), packageOf({ product_id: cup.id }, 1)]
  expect((await change(tenant, shipment, { packages: colleagues })).status).toBe(200)
  lost = 'nothing'
  await device.scan(cup.barcode)
  await said(page, '1 × Cup in package 1')
  expect(await packedNow()).toEqual([{ [teaLine]: 3, [cupLine]: 1 }, { [cupLine]: 1 }])
  await expectConsistentShipments(service.db, tenant)
})

it('a step whose response is lost is taken back also when the order was left, and after a reload', async ({
  window,
  tenant,
  service,
}) => {
  window.expectComplaint(/404/)
  const { page } = window
  const tea = await productOf(tenant, 'Tea')
  const order = await completedOrder(tenant, [[tea, 9]])
  const shipment = await pack(tenant, order, [packageOf({ product_id: tea.id }, 1)])
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openOrder(device, order)
  await expect.poll(() => packed(page, 1)).toEqual(['1 × Tea'])
  let isLost = false
  await page.route(/\/shipments\/\d+$/, async (route) => {
    if (!isLost) return await route.continue()
    if (route.request().method() === 'PUT') await route.fetch()
    await route.fulfill({ contentType: 'text/html', body: '<h1>Log in to the network</h1>' })
  })
  const scanUnanswered = async (): Promise<void> => {
    isLost = true
    await device.scan(tea.barcode, 'problem')
    await problem(page).getByText('No response from the server').waitFor()
    await press(page, 'OK')
  }
  const leave = async (): Promise<void> => {
    await press(page, 'Menu')
    await page.getByRole('menuitem', { name: 'Queue' }).click()
    await page.getByRole('button', { name: 'Pack', exact: true }).waitFor()
  }
  await scanUnanswered()
  await leave()
  isLost = false
  await openOrder(device, order)
  await device.scan(tea.barcode)
  await said(page, '2 × Tea in package 1')

  await scanUnanswered()
  await leave()
  expect((await readShipment(tenant, shipment)).total_quantity).toBe(3)
  await page.reload()
  await page.getByRole('button', { name: 'Pack', exact: true }).waitFor()
  isLost = false
  await openOrder(device, order)
  await device.scan(tea.barcode)
  await said(page, '3 × Tea in package 1')
  // What was packed since is not taken back.
  await page.reload()
  await expect.poll(() => packed(page, 1)).toEqual(['3 × Tea'])
  expect((await readShipment(tenant, shipment)).total_quantity).toBe(3)
  await expectConsistentShipments(service.db, tenant)
})

it('on a slow network, what was scanned before New package goes into the package before', async ({
  window: { page },
  tenant,
}) => {
  const [tea, cup] = [await productOf(tenant, 'Tea'), await productOf(tenant, 'Cup')]
  const order = await completedOrder(tenant, [
    [tea, 5],
    [cup, 3],
  ])
  const shipment = await pack(tenant, order, [packageOf({ product_id: tea.id }, 1)])
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await openOrder(device, order)
  let answer: (() => void) | undefined
  await page.route(/\/shipments\/\d+$/, async (route) => {
    const isFirst = route.request().method() === 'PUT' && answer === undefined
    if (isFirst) await new Promise<void>((resolve) => (answer = resolve))
    await route.continue()
  })
  const isSent = page.waitForRequest((one) => one.method() === 'PUT')
  await device.scanner.scan(tea.barcode)
  await isSent
  await device.scanner.scan(cup.barcode)
  await press(page, 'New package')
  await device.scanner.scan(cup.barcode)
  answer?.()
  await said(page, '1 × Cup in package 2')
  const [teaLine, cupLine] = order.lines as [number, number]
  expect((await readShipment(tenant, shipment)).packages.map(({ lines }: { lines: PackedLine[] }) => sumsOf(lines))).toEqual([
    { [teaLine]: 2, [cupLine]: 1 },
    { [cupLine]: 1 },
  ])
})

it('of two orders that are called in a row on a slow network, the last one is packed', async ({ window, tenant }) => {
  const { page } = window
  const tea = await productOf(tenant, 'Tea')
  const [slow, quick] = [await completedOrder(tenant, [[tea, 5]]), await completedOrder(tenant, [[tea, 5]])]
  const shipment = await pack(tenant, quick, [packageOf({ product_id: tea.id }, 1)])
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const asksFor = ({ order_tenant_id }: { order_tenant_id: string }, url: string): boolean =>
    new URL(url).searchParams.get('code') === order_tenant_id
  let answer = (): void => undefined
  await page.route(
    (url) => asksFor(slow, url.href),
    async (route) => {
      await new Promise<void>((resolve) => (answer = resolve))
      await route.continue()
    },
  )
  const whenAnswered = (order: { order_tenant_id: string }) => page.waitForResponse((one) => asksFor(order, one.url()))
  /** Scans the slow order, and waits until the server is asked for it. */
  const callSlow = async (): Promise<void> => {
    const isAsked = page.waitForRequest((one) => asksFor(slow, one.url()))
    await device.scanner.scan(slow.order_tenant_id)
    await isAsked
  }
  const title = () => page.getByRole('heading', { level: 1 }).textContent()

  // One is scanned, then another one is tapped.
  await press(page, 'Pack')
  await page.getByRole('heading', { name: 'Orders to pack' }).waitFor()
  await callSlow()
  await press(page, `Go on with ${quick.order_tenant_id}`)
  await expect.poll(title).toBe(quick.order_tenant_id)
  const isAnswered = whenAnswered(slow)
  answer()
  await isAnswered
  await device.scan(tea.barcode)
  await said(page, '2 × Tea in package 1')
  expect(await title()).toBe(quick.order_tenant_id)
  expect(await shipmentsOf(tenant, slow)).toEqual([])

  // Both are scanned, and a product after them, which is for the last one.
  await page.goBack()
  await page.getByRole('heading', { name: 'Orders to pack' }).waitFor()
  let answerQuick = (): void => undefined
  await page.route(
    (url) => asksFor(quick, url.href),
    async (route) => {
      await new Promise<void>((resolve) => (answerQuick = resolve))
      await route.continue()
    },
    { times: 1 },
  )
  await callSlow()
  const isQuickAsked = page.waitForRequest((one) => asksFor(quick, one.url()))
  await device.scanner.scan(quick.order_tenant_id)
  answer()
  await isQuickAsked
  await expect.poll(title).toBe(slow.order_tenant_id)
  await device.scanner.scan(tea.barcode)
  // A button that is pressed by its code waits, too.
  await device.scanner.scan('FC-UNDO')
  await device.scanner.scan(tea.barcode)
  answerQuick()
  await said(page, '3 × Tea in package 1')
  expect(await title()).toBe(quick.order_tenant_id)
  expect(await shipmentsOf(tenant, slow)).toEqual([])

  // What is scanned after another order is packed for that one.
  await callSlow()
  await device.scanner.scan(tea.barcode)
  answer()
  await said(page, '1 × Tea in package 1')
  expect(await title()).toBe(slow.order_tenant_id)
  expect(await readShipment(tenant, shipment)).toMatchObject({ total_quantity: 3 })

  // Codes that wait for their turn lead nowhere once the operator has gone elsewhere.
  await press(page, 'Menu')
  await page.getByRole('menuitem', { name: 'Queue' }).click()
  await press(page, 'Pack')
  await page.getByRole('heading', { name: 'Orders to pack' }).waitFor()
  await callSlow()
  await device.scanner.scan(quick.order_tenant_id)
  await press(page, 'Menu')
  await page.getByRole('menuitem', { name: 'Look up' }).click()
  const isSlowAnswered = whenAnswered(slow)
  answer()
  await isSlowAnswered
  await device.scan(tea.barcode)
  expect(await title()).toBe('Look up')
})

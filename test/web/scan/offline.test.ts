import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { expectConsistentPicking, type PickableProduct, stockedProduct, stockOf } from '../../support/picking.ts'
import { it as base } from '../support/browser.ts'
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

const LINES = 5
const PER_LINE = 2
const codeOf = (line: number): string => `A-${line + 1}`

/** A device on the Pick screen of an order of five lines, one location each. */
async function picking(page: Page, tenant: Parameters<typeof enrolledDevice>[1]) {
  const products: PickableProduct[] = []
  for (let line = 0; line < LINES; line++) products.push(await stockedProduct(tenant, { [codeOf(line)]: 10 }))
  const order = await newOrder(tenant, { order_detail: products.map(({ barcode }) => ({ barcode, quantity: PER_LINE })) })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  const pickLine = async (line: number): Promise<void> => {
    await device.scan(codeOf(line))
    await device.scan(products[line]?.barcode ?? '')
    await device.scan(products[line]?.barcode ?? '', line === LINES - 1 ? 'order' : 'line')
  }
  return { device, order, products, pickLine }
}

const connection = (page: Page): Promise<string | null> => page.getByRole('status', { name: 'Connection' }).textContent()

async function whenInstalled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
}

async function finish({ page }: Device): Promise<void> {
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
}

it('cut off after the third line, finished, reloaded and back: the server has all of it', async ({
  openWindow,
  tenant,
  service,
  proxy,
}) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|Failed to fetch/)
  const { page, context } = window
  const { device, order, products, pickLine } = await picking(page, tenant)
  await whenInstalled(page)
  for (const line of [0, 1, 2]) await pickLine(line)
  await expect.poll(() => connection(page)).toBe('Online')
  await context.setOffline(true)
  await pickLine(3)
  await device.scan(codeOf(4))
  await device.scan(products[4]?.barcode ?? '')
  // The same screen, draft and queue.
  await page.reload()
  await page.getByRole('heading', { name: codeOf(4), exact: true }).waitFor()
  await page.getByText('Taken here: 1', { exact: true }).waitFor()
  expect(await connection(page)).toBe('Offline, 1 to send')
  await device.scan(products[4]?.barcode ?? '', 'order')
  await finish(device)
  expect(await connection(page)).toBe('Offline, 3 to send')
  expect((await tenant.request('GET', `/orders/${order.id}`)).body.data.state_id).toBe(3)
  await context.setOffline(false)
  await expect.poll(() => connection(page)).toBe('Online')
  expect((await tenant.request('GET', `/orders/${order.id}`)).body.data.state_id).toBe(5)
  for (const [line, product] of products.entries()) expect(await stockOf(tenant, product)).toEqual({ [codeOf(line)]: 8 })
  await expectConsistentPicking(service.db, tenant)
})

it('responses that are lost after the server has done it are sent again, and change nothing', async ({
  openWindow,
  tenant,
  service,
  proxy,
}) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|Failed to fetch|400/)
  const { page } = window
  const { device, order, products, pickLine } = await picking(page, tenant)
  // Each of them is lost once.
  const lost = new Set<string>()
  proxy.fault = (method, path): Fault => {
    if (!/\/(picks|complete)/.test(path) || method === 'GET' || lost.size > LINES) return 'none'
    const number = proxy.passed.filter((passed) => /\/(picks|complete)/.test(passed)).length
    if (number % 2 === 1) return 'none'
    lost.add(`${number}`)
    return 'lost after'
  }
  for (let line = 0; line < LINES; line++) await pickLine(line)
  await finish(device)
  await expect.poll(() => connection(page)).toBe('Online')
  expect(lost.size).toBe(LINES + 1)
  expect((await tenant.request('GET', `/orders/${order.id}`)).body.data.state_id).toBe(5)
  for (const [line, product] of products.entries()) expect(await stockOf(tenant, product)).toEqual({ [codeOf(line)]: 8 })
  await expectConsistentPicking(service.db, tenant)
  expect(await page.getByRole('button', { name: /^Problems/ }).count()).toBe(0)
})

const MAX_REFUSED = 3

it.for([
  ['a gateway that is busy', { status: 503, headers: { 'retry-after': '2' } }],
  ['a limit', { status: 429, headers: { 'retry-after': '2' } }],
  ['a time-out', { status: 408, headers: {} }],
] as const)('after %s, picks stay in the queue and are sent later', async ([, fault], { openWindow, tenant, service, proxy }) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/408|429|503/)
  const { page } = window
  const { order, products, pickLine } = await picking(page, tenant)
  const refusedAt: number[] = []
  proxy.fault = (_, path) => {
    if (!path.endsWith('/picks') || refusedAt.length === MAX_REFUSED) return 'none'
    refusedAt.push(performance.now())
    return { status: fault.status, headers: { ...fault.headers } }
  }
  await pickLine(0)
  await expect.poll(() => connection(page)).toBe('1 to send')
  await expect.poll(() => connection(page)).toBe('Online')
  // Not earlier than the response says. Browsers themselves repeat a request after 408.
  const [first = 0, second = 0] = refusedAt
  if ('retry-after' in fault.headers) expect(second - first).toBeGreaterThan(1_900)
  expect(await page.getByRole('button', { name: /^Problems/ }).count()).toBe(0)
  expect(await stockOf(tenant, products[0] as PickableProduct)).toEqual({ [codeOf(0)]: 8 })
  expect((await tenant.request('GET', `/orders/${order.id}`)).body.data.state_id).toBe(3)
  await expectConsistentPicking(service.db, tenant)
})

it('without a connection, packs, weights and GS1 codes stand for what they say, also after a reload', async ({
  openWindow,
  tenant,
  service,
  proxy,
}) => {
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|Failed to fetch/)
  const { page, context } = window
  await tenant.request('PUT', '/settings', { weight_barcodes: [{ pattern: '21IIIIIWWWWWC', decimals: 3 }] })
  const tea = await stockedProduct(tenant, { 'A-1': 30 }, { barcode: '4006381333931' })
  await seed(tenant, `/products/${tea.id}/barcodes`, { barcode: '14006381333938', quantity: 12 })
  const tolerance = { weighable: true, pick_tolerance_percent: 10 }
  const cheese = await stockedProduct(tenant, { 'A-2': 5 }, { barcode: '2112345', ...tolerance })
  const ham = await stockedProduct(tenant, { 'A-3': 5 }, { barcode: '99501101530006', ...tolerance })
  const order = await newOrder(tenant, {
    order_detail: [
      { barcode: tea.barcode, quantity: 25 },
      { barcode: cheese.barcode, quantity: 1 },
      { barcode: ham.barcode, quantity: 2 },
    ],
  })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await whenInstalled(page)
  const settings = page.waitForResponse(/\/settings$/)
  // The last of the products that the device reads with the flow.
  const details = page.waitForResponse(new RegExp(`/products/${ham.id}$`))
  await device.scan(order.order_tenant_id)
  await Promise.all([settings, details])
  await context.setOffline(true)
  await page.reload()
  await page.getByRole('heading', { name: 'A-1', exact: true }).waitFor()
  await device.scan('A-1')
  // A case of 12, which the identifier of its symbology makes an element string; a Digital Link of it; a GTIN-14 of the piece.
  await device.scan(']C10114006381333938')
  await device.scan('https://id.example.com/01/14006381333938/10/L-7')
  await page.getByText('Taken here: 24', { exact: true }).waitFor()
  await device.scan('14006381333938', 'problem')
  await device.scanner.scan('FC-OK')
  await device.scan('04006381333931', 'line')
  await device.scan('A-2')
  await device.scan('2112345010502', 'line')
  await device.scan(']C1A-3')
  await device.scan(']C101995011015300063103001800', 'order')
  await page.getByRole('heading', { name: /^Finish/ }).waitFor()
  expect((await device.outcomes()).at(-1)).toBe('order')
  await context.setOffline(false)
  await expect.poll(() => connection(page)).toBe('Online')
  const { order_detail: lines } = (await tenant.request('GET', `/orders/${order.id}`)).body.data
  expect(lines.map((line: { picked_quantity: number }) => line.picked_quantity)).toEqual([25, 1.05, 1.8])
  await finish(device)
  await expect.poll(async () => (await tenant.request('GET', `/orders/${order.id}`)).body.data.state_id).toBe(5)
  await expectConsistentPicking(service.db, tenant)
})

import { readFile } from 'node:fs/promises'
import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { begin, readCount } from '../../support/counts.ts'
import { newOrder } from '../../support/orders.ts'
import { expectConsistentPicking, stockedProduct, stockOf } from '../../support/picking.ts'
import { it as base, type TestTenant } from '../support/browser.ts'
import { completedOrder, pack, packageOf } from '../../support/shipments.ts'
import { failStorage } from '../support/fail-storage.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { seed } from '../support/page-server.ts'
import { newDeviceCode } from '../support/scan-client.ts'
import { type Device, deviceOn, enrol, enrolledDevice, newOperator, type TestOperator } from '../support/scan-device.ts'
import { windowBehind } from '../support/window-behind.ts'

const QUOTA = 5_000_000
const DAY_MS = 24 * 3_600_000
/** Longer than a quick second scan takes. */
const LATE_MS = 3_000

async function readyDevice(page: Page, tenant: TestTenant) {
  const tea = await stockedProduct(tenant, { 'A-1': 9 }, { name: 'Tea' })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 5 }] })
  const ada = await newOperator(tenant, 'Ada')
  const device: Device = await enrolledDevice(page, tenant, ada)
  return { ...device, tea, order, ada }
}

/** `ready` is a device that is enrolled, with an order of 5 × Tea at A-1; `proxied` the same, behind a network whose faults the test chooses. */
const it = base
  .extend('ready', ({ window: { page }, tenant }) => readyDevice(page, tenant))
  .extend('proxied', async ({ openWindow, service, tenant, onTestFinished }) => {
    const proxy = await startFaultyProxy(service.url)
    onTestFinished(() => proxy.close())
    const window = await windowBehind(proxy, openWindow)
    return { ...(await readyDevice(window.page, tenant)), proxy, window }
  })

async function menu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name }).click()
}

const connection = (page: Page): Promise<string | null> => page.getByRole('status', { name: 'Connection' }).textContent()

const taken = (page: Page, quantity: number): Promise<void> =>
  page.getByText(`Taken here: ${quantity}`, { exact: true }).waitFor()

it('when the storage is full, picking stops with a problem, and nothing is lost', async ({ window, tenant, service }) => {
  const { page, context } = window
  // Before the browser looks: it believes what it knows of the space for half a minute.
  const cdp = await context.newCDPSession(page)
  await cdp.send('Storage.overrideQuotaForOrigin', { origin: service.url, quotaSize: QUOTA })
  const tea = await stockedProduct(tenant, { 'A-1': 9 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 5 }] })
  const { scan, scanner } = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await scan(order.order_tenant_id)
  await scan('A-1')
  await scan(tea.barcode)
  await fillStorage(page)
  await scan(tea.barcode, 'problem')
  const isFull = page.getByRole('alertdialog', { name: 'Problem' }).getByText('The storage of this device is full')
  await isFull.waitFor()
  await scanner.scan('FC-OK')
  await taken(page, 1)
  // An end that is not stored is none.
  await page.getByRole('button', { name: 'Finish' }).click()
  await page.getByRole('button', { name: 'Release the rest' }).click()
  await isFull.waitFor()
  await scanner.scan('FC-OK')
  await page.getByRole('button', { name: 'Back to picking' }).click()
  await taken(page, 1)
  await page.reload()
  await page.getByText('Its storage is full. What was confirmed before is kept').waitFor()
  await page.evaluate(() => indexedDB.deleteDatabase('ballast'))
  await page.reload()
  await taken(page, 1)
  await scan(tea.barcode)
  await taken(page, 2)
  await page.reload()
  await taken(page, 2)
  await scan('FC-CONFIRM', 'line')
  await expect.poll(() => stockOf(tenant, tea)).toEqual({ 'A-1': 7 })
  await expectConsistentPicking(service.db, tenant)
})

it('a connection to the storage that the browser closes is opened again, and nothing is confirmed that it did not store', async ({
  ready: { page, tea, order, scan, scanner },
}) => {
  await scan(order.order_tenant_id)
  await scan('A-1')
  await failStorage(page, 'put', 'drafts')
  await scan(tea.barcode, 'problem')
  await page.getByRole('alertdialog', { name: 'Problem' }).getByText('This device could not store it').waitFor()
  await scanner.scan('FC-OK')
  await taken(page, 0)
  await scan(tea.barcode)
  await taken(page, 1)
  await page.reload()
  await taken(page, 1)
  // The keys of a scanner turn sound on.
  const isSilent = page.getByText('Sound is off')
  await isSilent.waitFor()
  await scan(tea.barcode)
  await taken(page, 2)
  await isSilent.waitFor({ state: 'detached' })
})

it('an end that the device could not store is told as a problem alone, and can be made again', async ({
  ready: { page, order, scan, scanner, outcomes },
  tenant,
}) => {
  const problem = page.getByRole('alertdialog', { name: 'Problem' })
  const press = async (name: string): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog', { name }).getByRole('button', { name, exact: true }).click()
  }
  /** `heard` is what the operator hears when the end is stored. */
  const endTwice = async (name: string, table: string, heard: string): Promise<void> => {
    await failStorage(page, 'delete', table)
    const before = (await outcomes()).length
    await press(name)
    await problem.getByText('This device could not store it').waitFor()
    expect((await outcomes()).slice(before)).toEqual(['problem'])
    await scanner.scan('FC-OK')
    await press(name)
    await expect.poll(async () => (await outcomes()).slice(before)).toEqual(['problem', heard])
  }
  await scan(order.order_tenant_id)
  await page.getByRole('button', { name: 'Finish' }).click()
  await endTwice('Put everything back', 'flows', 'taken')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()

  const { id } = await begin(tenant, { reference: 'CC-1', location_ids: ['A-1'] })
  await page.getByRole('button', { name: 'Count list' }).click()
  await page.getByRole('button', { name: 'Count CC-1' }).click()
  await page.getByRole('heading', { name: 'CC-1' }).waitFor()
  await endTwice('Submit', 'records', 'order')
  expect((await readCount(tenant, { id })).state).toBe('review')
})

it('where one call fails and others get through, the app sends it again now and then, and not as fast as it can', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/ERR_CONNECTION_RESET/)
  const { page } = window
  const tea = await stockedProduct(tenant, { A: 9 }, { name: 'Tea' })
  const order = await completedOrder(tenant, [[tea, 5]])
  await pack(tenant, order, [packageOf({ product_id: tea.id }, 1)])
  const { scan } = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  let lost = 0
  const lose = (method: string) => async (route: Route) => {
    if (route.request().method() !== method) return await route.continue()
    lost++
    await route.abort('connectionreset')
  }
  /** How often a call is lost in two seconds. */
  const lostNow = async (): Promise<number> => {
    lost = 0
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return lost
  }
  await page.route(/\/flows\/queue/, lose('GET'))
  await page.reload()
  await expect.poll(() => lost).toBeGreaterThan(0)
  expect(await lostNow()).toBeLessThan(20)

  await page.getByRole('button', { name: 'Pack', exact: true }).click()
  await page.getByRole('heading', { name: 'Orders to pack' }).waitFor()
  await scan(order.order_tenant_id)
  await page.getByRole('list', { name: 'Package 1' }).waitFor()
  await page.route(/\/shipments\/\d+$/, lose('PUT'))
  await scan(tea.barcode, 'problem')
  expect(await lostNow()).toBeLessThan(20)
})

it('without a connection, operators of the last 30 days sign in by their badge, and others do not', async ({
  ready,
  window,
  tenant,
}) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|Failed to fetch|403/)
  const { page, tea, order, ada, scan } = ready
  const [grace, alan] = [await newOperator(tenant, 'Grace'), await newOperator(tenant, 'Alan')]
  await scan(order.order_tenant_id)
  await scan(grace.badge)
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await window.context.setOffline(true)
  await menu(page, 'Change operator')
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await scan(alan.badge, 'problem')
  await ready.scanner.scan('FC-OK')
  await scan(ada.badge)
  await page.getByRole('button', { name: `Go on with ${order.order_tenant_id}` }).click()
  await scan('A-1')
  await page.getByRole('button', { name: 'Take all 5' }).click()
  await expect.poll(() => connection(page)).toBe('Offline, 1 to send')
  await window.context.setOffline(false)
  await expect.poll(() => connection(page)).toBe('Online')
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 4 })
  const { body } = await tenant.request('GET', '/audit-log?operation=flows.pick&surface=scan')
  expect(body.data.entries).toMatchObject([{ operator_email: ada.email, error: null }])
  // Signed in without a connection, whom the server still knows: the badge is shown to it no more, whoever works later.
  await window.context.setOffline(true)
  await menu(page, 'Change operator')
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await scan(ada.badge)
  await window.context.setOffline(false)
  await expect.poll(() => connection(page)).toBe('Online')
  await scan(grace.badge)
  const headers = { 'sec-fetch-site': 'same-origin', 'x-page': 'scan' }
  expect((await page.context().request.delete('/scan/session/operator', { headers })).status()).toBe(200)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await expect.poll(() => page.title()).toBe('Scan your badge · Scan')
  await scan(ada.badge)
  // Who was here more than a month ago does not.
  await window.context.setOffline(true)
  await menu(page, 'Change operator')
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await page.evaluate((ms) => {
    const now = Date.now.bind(Date)
    Date.now = () => now() + ms
  }, 31 * DAY_MS)
  await scan(ada.badge, 'problem')
})

it('while a proxy answers for the server, operators of the last 30 days sign in by their badge, which the server sees later', async ({
  proxied: { window, proxy, ada, scan, scanner, outcomes },
  tenant,
}) => {
  // The second one, until the server has seen the badge.
  window.expectComplaint(/502|403/)
  const { page } = window
  const grace = await newOperator(tenant, 'Grace')
  await scan(grace.badge)
  proxy.fault = () => ({ status: 502, headers: {} })
  const readAgain = async (): Promise<void> => {
    await menu(page, 'Diagnostics')
    await menu(page, 'Queue')
  }
  await readAgain()
  const alert = page.getByRole('alert')
  await alert.getByText('No response from the server').waitFor()
  await menu(page, 'Change operator')
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await scan(ada.badge)
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  expect(await operatorOnServer(tenant)).toBe('Grace')
  proxy.fault = () => 'none'
  await readAgain()
  await expect.poll(() => operatorOnServer(tenant)).toBe('Ada')
  await page.getByRole('button', { name: /^Pick / }).waitFor()
  expect(await alert.count()).toBe(0)
  // The server knows the next operator, and the device, which has not heard of it yet, asks who is signed in.
  proxy.fault = () => ({ status: 502, headers: {} })
  await menu(page, 'Change operator')
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await scan(ada.badge)
  // The server must hear nothing of Ada's badge before it hears of Grace's.
  proxy.fault = (_, path) => (path === '/scan/session/operator' ? 'none' : { status: 502, headers: {} })
  const isHeard = Promise.withResolvers<void>()
  const hold = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    await isHeard.promise
    await route.fulfill({ response })
  }
  await page.route(/\/session\/operator$/, hold, { times: 1 })
  const before = (await outcomes()).length
  await scanner.scan(grace.badge)
  await expect.poll(() => operatorOnServer(tenant)).toBe('Grace')
  const isRead = page.waitForResponse((response) => new URL(response.url()).pathname === '/scan/session' && response.ok())
  proxy.fault = () => 'none'
  await readAgain()
  await isRead
  isHeard.resolve()
  await expect.poll(async () => (await outcomes()).slice(before)).toEqual(['taken'])
  await menu(page, 'Diagnostics')
  await expect.poll(() => page.getByText('Operator', { exact: true }).locator('..').textContent()).toBe('OperatorGrace')
  expect(await operatorOnServer(tenant)).toBe('Grace')
})

it('a badge that was replaced before the server saw it is dropped, and its operator hears so', async ({
  proxied: { window, proxy, ada, scan, scanner },
  tenant,
}) => {
  window.expectComplaint(/502|401|403/)
  const { page } = window
  const grace = await newOperator(tenant, 'Grace')
  await scan(grace.badge)
  await scan(ada.badge)
  proxy.fault = () => ({ status: 502, headers: {} })
  const badge = page.getByRole('heading', { name: 'Scan your badge' })
  await menu(page, 'Change operator')
  await badge.waitFor()
  await seed(tenant, `/operators/${grace.id}/badge`, {})
  await scan(grace.badge)
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  proxy.fault = () => 'none'
  await menu(page, 'Diagnostics')
  await menu(page, 'Queue')
  await page.getByRole('alertdialog', { name: 'Problem' }).getByText('This badge is not valid').waitFor()
  await scanner.scan('FC-OK')
  await badge.waitFor()
  await page.reload()
  await badge.waitFor()
  expect(await operatorOnServer(tenant)).toBe('Ada')
  await scan(ada.badge)
  await page.getByRole('button', { name: /^Pick / }).waitFor()
})

it('the queue says why the server refuses it, and a device that was removed asks to be enrolled', async ({ window, tenant }) => {
  window.expectComplaint(/401|403/)
  const { page } = window
  const ada = await newOperator(tenant, 'Ada')
  const { id: key_id } = await seed(tenant, '/api-keys', { name: 'Handhelds', scopes: ['read:stock', 'write:stock'] })
  await page.goto(`/scan#code=${await newDeviceCode(tenant, { key_id })}`)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  const { scan } = await deviceOn(page)
  await scan(ada.badge)
  await page.getByRole('alert').getByText('This device may not do this: its key lacks read:orders. Ask the office.').waitFor()
  const { id } = await deviceOnServer(tenant)
  await tenant.request('DELETE', `/sessions/${id}`)
  await menu(page, 'Diagnostics')
  await menu(page, 'Queue')
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
})

it('where the network swallows every request, an operator signs out, and the device says that it is offline', async ({
  proxied: { window, proxy, tea, order, ada, ...device },
  tenant,
}) => {
  const { page } = window
  await device.scan(order.order_tenant_id)
  proxy.fault = () => 'swallowed'
  await page.getByRole('button', { name: 'Take all 5' }).click()
  await expect.poll(() => connection(page)).toBe('1 to send')
  await menu(page, 'Change operator')
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await expect.poll(() => connection(page)).toBe('Offline, 1 to send')
  proxy.fault = () => 'none'
  await device.scan(ada.badge)
  await expect.poll(() => connection(page)).toBe('Online')
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 4 })
})

it('of two badges on a slow network, the operator of the last one works, on the device and on the server', async ({
  openWindow,
  tenant,
}) => {
  const window = await openWindow()
  // What is read by itself between the two answers.
  window.expectComplaint(/403/)
  const { page } = window
  const operators = [await newOperator(tenant, 'Ada'), await newOperator(tenant, 'Grace'), await newOperator(tenant, 'Alan')]
  const [ada, grace, alan] = operators as [TestOperator, TestOperator, TestOperator]
  const { scanner, outcomes } = await enrolledDevice(page, tenant, ada)
  // The response to the first badge comes last, if the second one does not wait for it.
  await page.route(
    /\/session\/operator$/,
    async (route) => {
      const response = await route.fetch()
      await page.waitForTimeout(LATE_MS)
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  const before = (await outcomes()).length
  await scanner.scan(grace.badge)
  await scanner.scan(alan.badge)
  // Until then, each leads to the queue.
  await expect.poll(async () => (await outcomes()).slice(before)).toEqual(['taken', 'taken'])
  await menu(page, 'Diagnostics')
  await expect.poll(() => page.getByText('Operator', { exact: true }).locator('..').textContent()).toBe('OperatorAlan')
  await page.waitForTimeout(LATE_MS)
  await menu(page, 'Diagnostics')
  expect(await page.getByText('Operator', { exact: true }).locator('..').textContent()).toBe('OperatorAlan')
  expect(await operatorOnServer(tenant)).toBe('Alan')
})

it('a badge that is scanned while a sign-out waits counts, and late answers about the session change nothing any more', async ({
  openWindow,
  tenant,
}) => {
  const window = await openWindow()
  // The sign-out of a device that was removed meanwhile.
  window.expectComplaint(/401|403/)
  const { page } = window
  const [ada, grace] = [await newOperator(tenant, 'Ada'), await newOperator(tenant, 'Grace')]
  const { scanner, scan } = await enrolledDevice(page, tenant, ada)
  const calls: string[] = []
  const isOfOperator = (url: string): boolean => url.endsWith('/session/operator')
  page.on('request', (request) => isOfOperator(request.url()) && calls.push(request.method()))
  page.on('response', (response) => isOfOperator(response.url()) && calls.push(`${response.request().method()} answered`))
  let answer = (): void => undefined
  await page.route(/\/session\/operator$/, async (route) => {
    if (route.request().method() === 'DELETE') await new Promise<void>((resolve) => (answer = resolve))
    await route.continue()
  })
  const changeOperator = async (): Promise<void> => {
    const isAsked = page.waitForRequest((request) => request.method() === 'DELETE')
    await menu(page, 'Change operator')
    // It names who leaves, so that it signs nobody else out when it comes late.
    expect((await isAsked).headers()['x-page-operator']).toBe(String(ada.id))
  }
  await changeOperator()
  await scanner.scan(grace.badge)
  // Who has seen nothing happen chooses it again: it is Ada who leaves.
  await menu(page, 'Change operator')
  // The operator sees what the badge waits for.
  await page.getByRole('progressbar', { name: 'Waiting for the server' }).waitFor()
  answer()
  await expect.poll(() => calls).toEqual(['DELETE', 'DELETE answered', 'PUT', 'PUT answered'])
  expect(await operatorOnServer(tenant)).toBe('Grace')
  await menu(page, 'Diagnostics')
  await expect.poll(() => page.getByText('Operator', { exact: true }).locator('..').textContent()).toBe('OperatorGrace')

  // What the server said before a badge says nothing of who works now.
  const isSigned = Promise.withResolvers<undefined>()
  const isRead = Promise.withResolvers<undefined>()
  await page.route(
    /\/scan\/session$/,
    async (route) => {
      const response = await route.fetch()
      isRead.resolve(undefined)
      await isSigned.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await isRead.promise
  await scan(ada.badge)
  const isTold = page.waitForResponse(/\/scan\/session$/)
  isSigned.resolve(undefined)
  await isTold
  await menu(page, 'Diagnostics')
  await expect.poll(() => page.getByText('Operator', { exact: true }).locator('..').textContent()).toBe('OperatorAda')

  // Neither if it comes while the device still stores who works now.
  const isSignedAgain = Promise.withResolvers<undefined>()
  const isReadAgain = Promise.withResolvers<undefined>()
  await page.route(
    /\/scan\/session$/,
    async (route) => {
      const response = await route.fetch()
      isReadAgain.resolve(undefined)
      await isSignedAgain.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await isReadAgain.promise
  const release = await holdStore(page)
  const isSignedIn = page.waitForResponse(/\/session\/operator$/)
  await scanner.scan(grace.badge)
  await isSignedIn
  const isToldAgain = page.waitForResponse(/\/scan\/session$/)
  isSignedAgain.resolve(undefined)
  await isToldAgain
  await release()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await menu(page, 'Diagnostics')
  await expect.poll(() => page.getByText('Operator', { exact: true }).locator('..').textContent()).toBe('OperatorGrace')
  await scan(ada.badge)
  await menu(page, 'Diagnostics')

  // The device is removed while the sign-out waits.
  await changeOperator()
  await page.getByRole('button', { name: 'Remove this device' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove this device' }).click()
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
  const isAnswered = page.waitForResponse((response) => isOfOperator(response.url()))
  answer()
  await isAnswered
  // A badge is no use now, and nothing of the sign-out is left to come before its problem.
  await scan(ada.badge, 'problem')
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
})

it('the screen stays on while a flow is open, and only then', async ({ openWindow, tenant }) => {
  const { page, context } = await openWindow({ permissions: ['screen-wake-lock'] })
  await context.addInitScript(() => {
    const sentinels: WakeLockSentinel[] = []
    const request = navigator.wakeLock.request.bind(navigator.wakeLock)
    navigator.wakeLock.request = async (type) => {
      const sentinel = await request(type)
      sentinels.push(sentinel)
      return sentinel
    }
    Object.assign(globalThis, { sentinels })
  })
  const held = (): Promise<number> =>
    page.evaluate(
      () => (globalThis as unknown as { sentinels: WakeLockSentinel[] }).sentinels.filter(({ released }) => !released).length,
    )
  const tea = await stockedProduct(tenant, { 'A-1': 9 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 1 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  expect(await held()).toBe(0)
  await device.scan(order.order_tenant_id)
  await expect.poll(held).toBe(1)
  await page.getByRole('button', { name: 'Take all 1' }).click()
  await page.getByRole('heading', { name: /^Finish/ }).waitFor()
  await expect.poll(held).toBe(1)
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await expect.poll(held).toBe(0)
})

it('says when the clock of the device is wrong', async ({ ready: { page } }) => {
  expect(await page.getByText(/clock is wrong/).count()).toBe(0)
  await page.clock.setFixedTime(Date.now() + 3 * 3_600_000)
  await page.reload()
  await page.getByText("This device's clock is wrong by 3 h").waitFor()
})

it('signs the operator out after an hour without use, also asleep, and not when the clock is set', async ({ ready, window }) => {
  // What is read by itself when nobody is signed in any more.
  window.expectComplaint(/403/)
  const { page } = ready
  const HOUR_MS = 3_600_000
  const CHECKED_MS = 31_000
  let signOuts = 0
  page.on('request', (request) => void (request.method() === 'DELETE' && signOuts++))
  await page.clock.install()
  await page.reload()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await page.clock.setSystemTime(Date.now() + 3 * HOUR_MS)
  await page.clock.runFor(CHECKED_MS)
  const title = await page.title()
  expect([title, signOuts]).toEqual(['Orders to pick · Scan', 0])
  const becomes = (state: string): Promise<void> =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    }, state)
  await becomes('hidden')
  await page.clock.setSystemTime(Date.now() + 5 * HOUR_MS)
  await becomes('visible')
  // At once: what is scanned now is not theirs.
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  await page.clock.runFor(CHECKED_MS)
  expect(signOuts).toBe(1)
})

it('the app can be installed from its own address, where enrolment links lead: its manifest and icons are found', async ({
  window: { page, context },
  service,
}) => {
  const cdp = await context.newCDPSession(page)
  for (const address of ['/scan', '/scan/#code=1', '/scan/queue']) {
    await page.goto(address)
    const { url, errors, data } = await cdp.send('Page.getAppManifest')
    expect([url, errors], address).toEqual([`${service.url}/scan/app.webmanifest`, []])
    const { id, start_url, scope, icons } = JSON.parse(data ?? '')
    expect([id, start_url, scope]).toEqual(['/scan', '/scan', '/scan'])
    for (const { src, sizes } of icons) {
      const size = await page.evaluate(async (icon) => {
        const { width, height } = await createImageBitmap(await (await fetch(icon)).blob())
        return `${width}x${height}`
      }, new URL(src, url).href)
      expect(size, src).toBe(sizes)
    }
  }
})

it('a restart of the app is no use of it: after an hour the operator is signed out all the same', async ({ ready: { page } }) => {
  const MINUTE_MS = 60_000
  const lastUsedAt = Date.now()
  const restartAfter = async (minutes: number, title: string): Promise<void> => {
    await page.goto('about:blank')
    await page.clock.setSystemTime(lastUsedAt + minutes * MINUTE_MS)
    await page.goto('/scan')
    await page.getByRole('heading', { name: title }).waitFor()
  }
  await restartAfter(40, 'Orders to pick')
  await restartAfter(80, 'Scan your badge')
})

it('an operator who has just signed in on a device that nobody used for hours stays when the app crashes', async ({
  ready: { page, order, ada, scan },
}) => {
  await page.evaluate((usedAt) => localStorage.setItem('scan-used-at', String(usedAt)), Date.now() - DAY_MS / 2)
  await scan(ada.badge)
  // A crash stores nothing.
  await page.evaluate(() => {
    Storage.prototype.setItem = () => undefined
  })
  await page.reload()
  await page.getByRole('button', { name: `Pick ${order.order_tenant_id}` }).waitFor()
})

it('a device with unsent scans is removed after asking twice, offers them as a file, and sends them when it is back', async ({
  proxied: { window, proxy, tea, order, ada, ...device },
  tenant,
  service,
}) => {
  window.expectComplaint(/ERR_FAILED|403/)
  const { page } = window
  await device.scan(order.order_tenant_id)
  // It is on its way until the device is removed.
  const [sent, removed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const loseLate = async (route: Route): Promise<void> => {
    sent.resolve()
    await removed.promise
    await route.abort()
  }
  await page.route(/\/picks$/, loseLate, { times: 1 })
  await page.getByRole('button', { name: 'Take all 5' }).click()
  await sent.promise
  await menu(page, 'Diagnostics')
  expect(await savedBy(page, 'Save the unsent queue')).toMatchObject([
    { kind: 'pick', body: { quantity: 5, location_id: 'A-1' } },
  ])
  await page.getByRole('button', { name: 'Remove this device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this device' })
  await dialog.getByText('1 scan has not been sent. Save the queue first.').waitFor()
  await dialog.getByRole('button', { name: 'Remove this device' }).click()
  const sure = dialog.getByRole('button', { name: 'Remove it although scans are unsent' })
  await sure.waitFor()
  expect(await devicesOf(tenant)).toBe(1)
  await sure.click()
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
  expect(await devicesOf(tenant)).toBe(0)
  removed.resolve()
  // Another tenant sees nothing of it.
  const other = await service.newTenant()
  await enrolledDevice(page, other, await newOperator(other, 'Alan'), proxy.url)
  await menu(page, 'Diagnostics')
  expect(await savedBy(page, 'Save the unsent queue')).toEqual([])
  // It is sent when nobody has signed in yet, and the refusal arrives when somebody has.
  const refused = Promise.withResolvers<number>()
  const signedIn = Promise.withResolvers<void>()
  const answerLate = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    refused.resolve(response.status())
    await signedIn.promise
    await route.fulfill({ response })
  }
  await page.route(/\/picks$/, answerLate, { times: 1 })
  const again = await enrol(page, tenant, proxy.url)
  expect(await refused.promise).toBe(403)
  await again.scan(ada.badge)
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  signedIn.resolve()
  await expect.poll(() => stockOf(tenant, tea)).toEqual({ 'A-1': 4 })
})

/** Writes until not even a hundred bytes find a place. */
async function fillStorage(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('ballast')
      opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('rows', { autoIncrement: true }))
      opening.addEventListener('success', () => resolve(opening.result))
      opening.addEventListener('error', () => reject(opening.error ?? new Error('no database')))
    })
    const write = (bytes: number): Promise<boolean> =>
      new Promise((resolve) => {
        const transaction = database.transaction('rows', 'readwrite')
        transaction.objectStore('rows').add(crypto.getRandomValues(new Uint8Array(bytes)))
        transaction.addEventListener('complete', () => resolve(true))
        transaction.addEventListener('abort', () => resolve(false))
      })
    for (const bytes of [65_536, 8_192, 1_024, 128]) while (await write(bytes));
    database.close()
  })
}

/** Keeps the device from storing anything, until what it returns is called. */
async function holdStore(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const opening = indexedDB.open('scan')
        opening.addEventListener('success', () => {
          const rows = opening.result.transaction(['meta'], 'readwrite').objectStore('meta')
          Object.assign(globalThis, { isHeld: true })
          // A transaction lives as long as it has something to do.
          const hold = (): void => {
            if ((globalThis as { isHeld?: boolean }).isHeld) rows.get('owner').addEventListener('success', hold)
            else opening.result.close()
          }
          hold()
          resolve()
        })
      }),
  )
  return () => page.evaluate(() => void Object.assign(globalThis, { isHeld: false }))
}

async function savedBy(page: Page, name: string): Promise<unknown> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^scan-queue-\d{4}-\d\d-\d\d\.json$/)
  return JSON.parse(await readFile(await download.path(), 'utf8'))
}

/** The session of the tenant's one device. */
async function deviceOnServer(tenant: TestTenant): Promise<{ id: number; operator: { name: string } | null }> {
  const { body } = await tenant.request('GET', '/sessions')
  return body.data.sessions.find(({ kind }: { kind: string }) => kind === 'device')
}

const operatorOnServer = async (tenant: TestTenant): Promise<string | undefined> => (await deviceOnServer(tenant)).operator?.name

async function devicesOf(tenant: TestTenant): Promise<number> {
  const { body } = await tenant.request('GET', '/sessions')
  return body.data.sessions.filter(({ kind }: { kind: string }) => kind === 'device').length
}

it('says after a second that it waits for the server, until the answer comes', async ({ window: { page }, tenant }) => {
  const tea = await stockedProduct(tenant, { 'A-1': 9 }, { name: 'Tea' })
  const { scanner } = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await menu(page, 'Look up')
  let answer = (): void => undefined
  const isAsked = new Promise<void>((resolve) => (answer = resolve))
  await page.route(/\/scan\/api\/v1\/scan\?/, async (route) => {
    await isAsked
    await route.continue()
  })
  await scanner.scanNow(tea.barcode)
  const waits = page.getByRole('progressbar', { name: 'Waiting for the server' })
  await waits.waitFor()
  answer()
  await page.getByRole('region', { name: 'Tea' }).waitFor()
  await waits.waitFor({ state: 'detached' })
})

import path from 'node:path'
import { drawingSVG, ean13 } from 'bwip-js/generic'
import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { it as base, type TestTenant } from '../support/browser.ts'
import { axe } from '../support/axe.ts'
import { film, filmedBy } from '../support/film.ts'
import { layoutProblems } from '../support/layout.ts'
import { seed, signIn } from '../support/page-server.ts'
import { deviceOn, enrolledDevice, newOperator } from '../support/scan-device.ts'

const EAN = '4006381333931'
/** Longer than a code must be out of sight to be a new scan. */
const IN_VIEW_MS = 3_000
/** Earlier than the camera stops by itself. */
const BEFORE_IDLE = { timeout: 20_000 }

/** A page in a browser whose camera shows what the test films. */
const it = base.extend('filmed', async ({ service, browser, folder }, { onCleanup }) => {
  const file = path.join(folder, 'camera.y4m')
  const studio = await browser.newPage()
  const show = (...labels: Buffer[]): Promise<void> => film(studio, file, labels)
  await show()
  const camera = await launchBrowser(filmedBy(file))
  const context = await camera.newContext({
    baseURL: service.url,
    permissions: ['camera'],
    viewport: { width: 360, height: 740 },
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  const expected = [/ERR_INTERNET_DISCONNECTED/]
  onCleanup(async () => {
    await camera.close()
    await studio.close()
    expect(complaints.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([])
  })
  const expectComplaint = (pattern: RegExp): void => void expected.push(pattern)
  return { page, context, show, expectComplaint }
})

/** What a person holds in front of the camera: sheets of the dashboard, and a product. */
async function labelsOf(page: Page, tenant: TestTenant) {
  await signIn(page, tenant.key, '/devices')
  await page.getByRole('button', { name: 'Enrol a device' }).click()
  const devices = page.getByRole('dialog', { name: 'Enrol a device' })
  await devices.getByRole('textbox', { name: 'Device name' }).fill('Phone')
  await devices.getByRole('button', { name: 'Make a code' }).click()
  const enrolment = await devices.getByRole('img', { name: 'QR code' }).screenshot()
  await page.goto('/dashboard/operators')
  await page.getByRole('button', { name: 'New badge for Ada' }).click()
  const badge = await page.getByRole('dialog', { name: 'Badge of Ada' }).getByRole('img', { name: 'QR code' }).screenshot()
  await page.goto('/dashboard/locations/labels')
  const location = await page.getByRole('img', { name: 'Barcode A-01-03' }).screenshot()
  await page.goto('/dashboard/devices/commands')
  const all = await page.getByRole('img', { name: 'Barcode FC-ALL' }).screenshot()
  return { enrolment, badge, location, all }
}

async function productLabel(page: Page): Promise<Buffer> {
  const svg = ean13(
    { bcid: 'ean13', text: EAN, includetext: true, scale: 3, padding: 12, backgroundcolor: 'FFFFFF' },
    drawingSVG(),
  )
  await page.goto('about:blank')
  await page.setContent(svg.replace('<svg', '<svg width="400" height="260"'))
  return await page.locator('svg').screenshot()
}

const cameraButton = (page: Page) => page.getByRole('button', { name: 'Scan with camera' })

it('a phone is enrolled, signed in and picks with its camera, from our own labels and badges', async ({
  filmed: { page, context, show },
  window,
  tenant,
}) => {
  const tea = await stockedProduct(tenant, { 'A-01-03': 9 }, { name: 'Tea', barcode: EAN })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 5 }] })
  await seed(tenant, '/operators', { name: 'Ada', email: 'ada@example.com' })
  const labels = await labelsOf(window.page, tenant)
  const product = await productLabel(window.page)
  /** Holds a label in front of the camera until something is there. */
  const read = async (label: Buffer, until: () => Promise<void>): Promise<void> => {
    await show(label)
    await cameraButton(page).click()
    await until()
    await page.getByRole('button', { name: 'Close the camera' }).click()
    await page.getByRole('region', { name: 'Camera' }).waitFor({ state: 'detached' })
  }
  await page.goto('/scan')
  await read(labels.enrolment, () => page.getByRole('heading', { name: 'Scan your badge' }).waitFor())
  await read(labels.badge, () => page.getByRole('heading', { name: 'Orders to pick' }).waitFor())
  await page.getByRole('button', { name: `Pick ${order.order_tenant_id}` }).click()
  await read(labels.location, () => page.getByText('At A-01-03').waitFor())
  await read(product, async () => {
    await page.getByText('Taken here: 1', { exact: true }).waitFor()
    // It is one scan as long as it is in sight.
    await page.waitForTimeout(IN_VIEW_MS)
    expect(await page.getByText(/^Taken here/).textContent()).toBe('Taken here: 1')
  })
  // What the camera needs is kept: it works without a connection too.
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.clearBrowserCache')
  await context.setOffline(true)
  await page.reload()
  await read(product, () => page.getByText('Taken here: 2', { exact: true }).waitFor())
  await read(labels.all, () => page.getByRole('heading', { name: /^Finish/ }).waitFor())
  await context.setOffline(false)
  await expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Online')
})

it('of two codes in view, each is one scan, whichever is nearest to the middle', async ({
  filmed: { page, show },
  window,
  tenant,
}) => {
  const tea = await stockedProduct(tenant, { 'A-01-03': 9 }, { name: 'Tea', barcode: EAN })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 9 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  await page.getByRole('heading', { name: 'A-01-03' }).waitFor()
  const { location } = await labelsOf(window.page, tenant)
  await show(location, await productLabel(window.page))
  const before = (await device.outcomes()).length
  await cameraButton(page).click()
  // The shelf first, or else the product, which is a problem before its shelf.
  await expect.poll(async () => (await device.outcomes()).slice(before)).toHaveLength(2)
  await page.waitForTimeout(2 * IN_VIEW_MS)
  expect((await device.outcomes()).slice(before)).toHaveLength(2)
})

it('the camera stops after a minute without a code, when the page is hidden, and when it is closed', async ({
  filmed: { page, context },
  tenant,
}) => {
  await context.addInitScript(() => {
    const streams: MediaStream[] = []
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      const stream = await open(constraints)
      streams.push(stream)
      return stream
    }
    Object.assign(globalThis, { streams })
  })
  const running = (): Promise<number> =>
    page.evaluate(
      () =>
        (globalThis as unknown as { streams: MediaStream[] }).streams
          .flatMap((stream) => stream.getTracks())
          .filter(({ readyState }) => readyState === 'live').length,
    )
  const start = async (): Promise<void> => {
    await cameraButton(page).click()
    await expect.poll(running).toBe(1)
  }
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await page.clock.install()
  // Never by itself.
  expect(await running()).toBe(0)
  await start()
  await page.clock.runFor(50_000)
  expect(await running()).toBe(1)
  // Not before: its time counts.
  expect([...(await axe(page)), ...(await layoutProblems(page))]).toEqual([])
  await page.clock.runFor(15_000)
  await expect.poll(running).toBe(0)
  await start()
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect.poll(running, BEFORE_IDLE).toBe(0)
  await page.evaluate(() => Reflect.deleteProperty(document, 'visibilityState'))
  await start()
  await cameraButton(page).click()
  await expect.poll(running, BEFORE_IDLE).toBe(0)
})

it('a scan by the camera is use of the device', async ({ filmed: { page, show }, window, tenant }) => {
  await stockedProduct(tenant, { 'A-1': 9 }, { barcode: EAN })
  await show(await productLabel(window.page))
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await page.goto('/scan#/look-up')
  await page.getByRole('heading', { name: 'Look up' }).waitFor()
  const requests: Request[] = []
  page.on('request', (request) => void (request.url().includes('/api/v1/scan?') && requests.push(request)))
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 1_000)
  await cameraButton(page).click()
  await expect.poll(() => page.getByLabel('What the camera sees').evaluate((video: HTMLVideoElement) => video.readyState)).toBe(4)
  // Nobody touches it for as long as makes a request the page's own.
  await page.clock.fastForward(30_000)
  await expect
    .poll(async () => {
      await page.clock.runFor(200)
      return requests.length
    })
    .toBeGreaterThan(0)
  expect(await requests[0]?.headerValue('X-Page-Background')).toBe(null)
})

it('light and zoom are there where the camera has them', async ({ filmed: { page, context }, tenant }) => {
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await cameraButton(page).click()
  await page.getByRole('button', { name: 'Close the camera' }).click()
  expect(await page.getByRole('button', { name: 'Light' }).count()).toBe(0)
  // Of a phone: the camera of the test has neither.
  await context.addInitScript(() => {
    const applied: unknown[] = []
    MediaStreamTrack.prototype.getCapabilities = () =>
      ({ torch: true, zoom: { min: 1, max: 8, step: 0.5 } }) as MediaTrackCapabilities
    MediaStreamTrack.prototype.applyConstraints = async (constraints) => void applied.push(constraints?.advanced?.[0])
    Object.assign(globalThis, { applied })
  })
  await page.reload()
  await cameraButton(page).click()
  await page.getByRole('button', { name: 'Light' }).click()
  await page.getByRole('slider', { name: 'Zoom' }).fill('2.5')
  await page.getByRole('button', { name: 'Light', pressed: true }).click()
  const applied = await page.evaluate(() => (globalThis as unknown as { applied: unknown }).applied)
  expect(applied).toEqual([{ torch: true }, { zoom: 2.5 }, { torch: false }])
})

it('a decoder that could not be loaded is loaded when the camera is used again', async ({
  filmed: { page, show, expectComplaint },
  window,
  tenant,
}) => {
  expectComplaint(/ERR_FAILED|Failed to fetch|ArrayBuffer|wasm/)
  await stockedProduct(tenant, { 'A-1': 9 }, { name: 'Tea', barcode: EAN })
  await show(await productLabel(window.page))
  // As over plain HTTP: nothing keeps the files of the build.
  await page.addInitScript(() => delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker)
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await page.goto('/scan#/look-up')
  await page.getByRole('heading', { name: 'Look up' }).waitFor()
  for (const file of [/\/zxing-reader-[^/]*\.js$/, /\.wasm$/]) {
    await page.route(file, (route) => route.abort())
    await cameraButton(page).click()
    await page.getByText('The camera does not work').waitFor()
    await page.unroute(file)
    await device.scanner.scan('FC-OK')
    await page.getByRole('region', { name: 'Camera' }).waitFor({ state: 'detached' })
  }
  await cameraButton(page).click()
  await page.getByRole('heading', { name: 'Tea' }).waitFor()
})

it('where there is no camera, the operator is told', async ({ window: { page }, tenant }) => {
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await cameraButton(page).click()
  await page
    .getByRole('alertdialog', { name: 'Problem' })
    .getByText(/camera/)
    .waitFor()
  await (await deviceOn(page)).scanner.scan('FC-OK')
  await page.getByRole('region', { name: 'Camera' }).waitFor({ state: 'detached' })
})

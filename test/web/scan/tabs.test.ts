import { cp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { newOrder } from '../../support/orders.ts'
import { expectConsistentPicking, stockedProduct, stockOf } from '../../support/picking.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { newTenant } from '../../support/service.ts'
import { cloneDatabase } from '../../support/test-database.ts'
import { it } from '../support/browser.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { deviceOn, enrolledDevice, newOperator } from '../support/scan-device.ts'
import { copyServer } from '../support/server-copy.ts'
import { windowBehind } from '../support/window-behind.ts'

const HOUR_MS = 3_600_000
const BUILT = path.join(import.meta.dirname, '../../../web/dist/scan')

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name }).click()
}

it('one tab works; another one takes over while picks are being sent, and each is recorded once', async ({
  openWindow,
  service,
  tenant,
}) => {
  const proxy = await startFaultyProxy(service.url)
  const window = await windowBehind(proxy, openWindow)
  window.expectComplaint(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|Failed to fetch/)
  const { page: first, context } = window
  const product = await stockedProduct(tenant, { 'A-1': 50 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 20 }] })
  const device = await enrolledDevice(first, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  await device.scan('A-1')
  // Every second response is lost.
  let picks = 0
  proxy.fault = (_, path) => (path.endsWith('/picks') && ++picks % 2 === 1 ? 'lost after' : 'none')
  for (let pick = 0; pick < 4; pick++) {
    await device.scan(product.barcode)
    await device.scan('FC-CONFIRM', 'line')
  }
  await device.scan(product.barcode)
  const second = await context.newPage()
  await second.goto('/scan')
  await second.getByRole('heading', { name: 'Open in another tab' }).waitFor()
  await second.getByRole('button', { name: 'Use here' }).click()
  await first.getByRole('heading', { name: 'Open in another tab' }).waitFor()
  await second.getByRole('button', { name: `Go on with ${order.order_tenant_id}` }).click()
  // The draft came along.
  await second.getByText('Taken here: 1', { exact: true }).waitFor()
  // The first tab is frozen: nothing is scanned there.
  await device.scanner.scan(product.barcode)
  const successor = await deviceOn(second)
  await successor.scan(product.barcode)
  await second.getByText('Taken here: 2', { exact: true }).waitFor()
  await successor.scan('FC-CONFIRM', 'line')
  await expect.poll(() => second.getByRole('status', { name: 'Connection' }).textContent()).toBe('Online')
  expect(await stockOf(tenant, product)).toEqual({ 'A-1': 44 })
  await expectConsistentPicking(service.db, tenant)
  // And back.
  await first.getByRole('button', { name: 'Use here' }).click()
  await second.getByRole('heading', { name: 'Open in another tab' }).waitFor()
  await expect.poll(() => first.locator('body').innerText()).toContain('Take 14')
  // The tab that waits goes on when the one that worked is closed.
  await first.close()
  await second.getByText('Take 14').waitFor()
  await proxy.close()
})

it('a tab that does not notice that it was taken over writes nothing more', async ({ openWindow, tenant }) => {
  const { page: first, context } = await openWindow()
  // As over plain HTTP. And the first tab sleeps through what tells it.
  await context.addInitScript(() => delete (Navigator.prototype as { locks?: unknown }).locks)
  await first.addInitScript(() => {
    const { addEventListener, setInterval } = window
    const add = addEventListener as (...given: unknown[]) => void
    window.addEventListener = ((type: string, ...rest: unknown[]) => type !== 'storage' && add(type, ...rest)) as never
    window.setInterval = ((run: () => void, ms: number) => (ms === 1_000 ? 0 : setInterval(run, ms))) as never
  })
  const product = await stockedProduct(tenant, { 'A-1': 50 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 20 }] })
  const device = await enrolledDevice(first, tenant, await newOperator(tenant, 'Ada'))
  // What it reads of the product comes when it is too late to keep it.
  const isTakenOver = Promise.withResolvers<undefined>()
  await first.route(`**/products/${product.id}`, async (route) => {
    await isTakenOver.promise
    await route.continue()
  })
  await device.scan(order.order_tenant_id)
  await device.scan('A-1')
  const second = await context.newPage()
  await second.goto('/scan')
  // It takes over when the lease of the first one has run out.
  await second.getByRole('button', { name: `Go on with ${order.order_tenant_id}` }).click()
  await second.getByText('Taken here: 0', { exact: true }).waitFor()
  const before = await device.outcomes()
  const isRead = first.waitForResponse(`**/products/${product.id}`)
  isTakenOver.resolve(undefined)
  await isRead
  await device.scanner.scan(product.barcode)
  await first.getByRole('heading', { name: 'Open in another tab' }).waitFor()
  expect(await device.outcomes()).toEqual(before)
  await second.reload()
  await second.getByText('Taken here: 0', { exact: true }).waitFor()
})

it('a lock that is refused and a database that does not open are tried again, by itself and then by a button', async ({
  window: { page },
}) => {
  await page.addInitScript(() => {
    const state = { failures: 1 }
    Object.assign(globalThis, { state })
    const { locks } = navigator
    const request = locks.request.bind(locks) as (...given: unknown[]) => Promise<unknown>
    let refusals = 1
    const refused = () => Promise.reject(new DOMException('The lock manager is not there', 'InvalidStateError'))
    locks.request = (...given: unknown[]) => (refusals-- > 0 ? refused() : request(...given))
    const open = indexedDB.open.bind(indexedDB)
    indexedDB.open = (...given) => {
      if (state.failures-- > 0) throw new DOMException('Internal error opening backing store', 'UnknownError')
      return open(...given)
    }
  })
  const fail = (failures: number): Promise<void> =>
    page.evaluate((failures) => {
      ;(globalThis as unknown as { state: { failures: number } }).state.failures = failures
    }, failures)
  const enrol = page.getByRole('heading', { name: 'Enrol this device' })
  await page.goto('/scan')
  await enrol.waitFor()
  await page.addInitScript(() => ((globalThis as unknown as { state: { failures: number } }).state.failures = Infinity))
  await page.reload()
  await page.getByRole('heading', { name: 'This browser cannot keep scans' }).waitFor()
  await fail(0)
  await page.getByRole('button', { name: 'Try again' }).click()
  await enrol.waitFor()
})

it('over plain HTTP, a tab that has crashed does not keep others out when the clock was set back since', async ({
  window: { page },
}) => {
  await page.addInitScript((at) => {
    delete (Navigator.prototype as { locks?: unknown }).locks
    localStorage.setItem('scan-page', JSON.stringify({ owner: 'crashed', at }))
  }, Date.now() + HOUR_MS)
  await page.goto('/scan')
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
})

it('a tab whose build is older than the database writes nothing more, and loads the newer build once', async ({
  openWindow,
  tenant,
}) => {
  const { page: first, context } = await openWindow()
  await enrolledDevice(first, tenant, await newOperator(tenant, 'Ada'))
  const second = await context.newPage()
  await second.goto('/scan')
  await second.getByRole('heading', { name: 'Open in another tab' }).waitFor()
  // As a build of the future does in a third tab.
  await second.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('scan', 1_000)
        opening.addEventListener('success', () => resolve(opening.result.close()))
        opening.addEventListener('error', () => reject(opening.error ?? new Error('no database')))
      }),
  )
  // What the server says of the session is to be stored.
  await first.evaluate(() => dispatchEvent(new Event('online')))
  await first.getByRole('heading', { name: 'Open in another tab' }).waitFor()
  let loads = 0
  second.on('load', () => loads++)
  await first.close()
  // The newer build is not there after all: it does not ask for it again and again, but when somebody wants it.
  await second.getByRole('heading', { name: 'This app is out of date' }).waitFor()
  await second.getByText('Connect to the network and try again.').waitFor()
  // The page may say so before all of it is loaded.
  await expect.poll(() => loads).toBe(1)
  await second.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => loads).toBe(2)
  await second.getByRole('heading', { name: 'This app is out of date' }).waitFor()
})

/** A server with a scan app of its own, of which there are further builds. */
async function serverWithBuilds(folder: string) {
  const database = await cloneDatabase(inject('postgresUrl'))
  const copy = await copyServer(folder)
  const built = path.join(folder, 'web/dist/scan')
  await cp(BUILT, built, { recursive: true })
  const server = await startServerProcess({ DATABASE_URL: database.url, DATA_DIR: folder }, copy.main)
  const db = openDatabase(database.url, { exclusiveConnections: 2, pipelinedConnections: 1 })
  const edit = async (file: string, from: RegExp, to: string): Promise<void> => {
    const name = path.join(built, file)
    await writeFile(name, (await readFile(name, 'utf8')).replace(from, to))
  }
  const close = async (): Promise<void> => {
    await server.end('SIGTERM')
    await db.close()
    await database.drop()
  }
  return { url: server.url, newTenant: () => newTenant(server.url, db), edit, close }
}

it('a new build is taken from the queue, with entries waiting', async ({ openWindow, folder }) => {
  const server = await serverWithBuilds(folder)
  const { edit } = server
  const proxy = await startFaultyProxy(server.url)
  try {
    const tenant = await server.newTenant()
    const window = await windowBehind(proxy, openWindow)
    window.expectComplaint(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|Failed to fetch/)
    const { page } = window
    const product = await stockedProduct(tenant, { 'A-1': 5 })
    const order = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 2 }] })
    const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
    await device.scan(order.order_tenant_id)
    proxy.fault = (_, path) => (path.endsWith('/picks') || path.endsWith('/complete') ? 'lost before' : 'none')
    await page.getByRole('button', { name: 'Take all 2' }).click()
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()

    await edit('index.html', /<title>/, '<meta name="build" content="next" /><title>')
    await edit('sw.js', /[0-9a-f]{16}/, '0123456789abcdef')
    await page.evaluate(async () => await (await navigator.serviceWorker.getRegistration('/scan'))?.update())
    await page.getByRole('button', { name: 'Update now' }).click()
    await page.locator('meta[name="build"]').waitFor({ state: 'attached' })
    await expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toContain('2 to send')
    proxy.fault = () => 'none'
    await expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Online')
    expect((await tenant.request('GET', `/orders/${order.id}`)).body.data.state_id).toBe(5)

    // Nobody touches the device: the next build is taken where nothing is lost, neither a problem nor what was entered.
    const next = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 1 }] })
    await page.clock.install()
    await edit('sw.js', /0123456789abcdef/, 'fedcba9876543210')
    await page.evaluate(async () => await (await navigator.serviceWorker.getRegistration('/scan'))?.update())
    await page.getByRole('button', { name: 'Update now' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Update now' }).waitFor()
    await page.evaluate(() => {
      const taken: unknown[] = []
      Object.assign(globalThis, { taken })
      ServiceWorker.prototype.postMessage = (message: unknown) => void taken.push(message)
    })
    const takenWhenIdle = async (): Promise<boolean> => {
      await page.clock.runFor(80_000)
      return await page.evaluate(() => (globalThis as unknown as { taken: unknown[] }).taken.length > 0)
    }
    proxy.fault = (method, path) => (method === 'POST' && path.endsWith('/flows') ? 'lost before' : 'none')
    await page.getByRole('button', { name: `Pick ${next.order_tenant_id}` }).click()
    await page.getByRole('alertdialog', { name: 'Problem' }).waitFor()
    expect(await takenWhenIdle()).toBe(false)
    await page.getByRole('button', { name: 'OK' }).click()
    await open(page, 'Move')
    expect(await takenWhenIdle()).toBe(false)
    await open(page, 'Queue')
    expect(await takenWhenIdle()).toBe(true)
    await window.context.close()
  } finally {
    await proxy.close()
    await server.close()
  }
})

it('a new build that is being installed already when the app looks is offered, too', async ({ openWindow, folder }) => {
  const server = await serverWithBuilds(folder)
  try {
    const { context, page } = await openWindow({ baseURL: server.url })
    const tenant = await server.newTenant()
    await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
    await page.exposeFunction('build', () => server.edit('sw.js', /[0-9a-f]{16}/, '0123456789abcdef'))
    // The browser finds the build before the app knows of its registration.
    await page.addInitScript(() => {
      const { serviceWorker } = navigator
      const register = serviceWorker.register.bind(serviceWorker)
      serviceWorker.register = async (...given) => {
        const registration = await register(...given)
        await (globalThis as unknown as { build: () => Promise<void> }).build()
        const isFound = new Promise((resolve) => registration.addEventListener('updatefound', resolve, { once: true }))
        await Promise.all([registration.update(), isFound])
        if (registration.installing === null) throw new Error('It is installed already')
        return registration
      }
    })
    await page.reload()
    await page.getByRole('button', { name: 'Update now' }).waitFor()
    await context.close()
  } finally {
    await server.close()
  }
})

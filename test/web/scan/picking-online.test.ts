import type { APIResponse } from 'playwright-core'
import { expect } from 'vitest'
import { startBatch } from '../../support/batches.ts'
import { eventsOf } from '../../support/events.ts'
import { expectConsistentPicking, stockedProduct, stockOf } from '../../support/picking.ts'
import { newOrder } from '../../support/orders.ts'
import { it } from '../support/browser.ts'
import { resize } from '../support/open-screen.ts'
import { seed } from '../support/page-server.ts'
import { enrolledDevice, newOperator, type TestOperator } from '../support/scan-device.ts'

/** After so long, a tap is one of its own. */
const SAME_TAP_MS = 300
/** So soon, no finger taps again on purpose; a glove bounces. */
const BOUNCE_MS = 100

it('enrol, badge, pick five lines with a scanner, complete: stock, events and audit are right', async ({
  window: { page },
  tenant,
  service,
}) => {
  const ada = await newOperator(tenant, 'Ada')
  const stock: Record<string, number>[] = [{ 'A-2': 5 }, { 'A-10': 9 }, { 'B-1': 2, 'C-1': 4 }, { 'A-2': 3 }, { 'C-2': 1 }]
  const wanted = [3, 1, 5, 2, 1]
  const products = []
  for (const levels of stock) products.push(await stockedProduct(tenant, levels))
  const order = await newOrder(tenant, {
    order_detail: products.map(({ barcode }, index) => ({ barcode, quantity: wanted[index] })),
  })
  const device = await enrolledDevice(page, tenant, ada)
  await device.scan(order.order_tenant_id)

  const stops = ['A-2', 'A-10', 'B-1', 'C-1', 'C-2']
  const heading = page.getByRole('heading', { level: 1 })
  const taken: string[] = []
  for (const code of stops) {
    await expect.poll(() => heading.textContent()).toBe(code)
    await page.getByText(`Scan ${code}`).waitFor()
    await device.scan(code)
    while ((await heading.textContent()) === code) {
      const barcode = (await page.getByText(/^Code /).textContent())?.slice('Code '.length)
      const before = (await device.outcomes()).length
      await device.scanner.scan(barcode ?? '')
      await expect.poll(async () => (await device.outcomes()).length).toBe(before + 1)
      taken.push((await device.outcomes()).at(-1) ?? '')
    }
  }
  const first = ['taken', 'taken', 'line', 'taken', 'line']
  expect(taken).toEqual([...first, 'line', 'line', 'taken', 'taken', 'taken', 'line', 'order'])
  await page.getByRole('heading', { name: `Finish ${order.order_tenant_id}` }).waitFor()
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Online')

  const { body } = await tenant.request('GET', `/orders/${order.id}`)
  expect([body.data.state_id, body.data.state_picking_id]).toEqual([5, 2])
  expect(await Promise.all(products.map((product) => stockOf(tenant, product)))).toEqual([
    { 'A-2': 2 },
    { 'A-10': 8 },
    { 'B-1': 1, 'C-1': 0 },
    { 'A-2': 1 },
    { 'C-2': 0 },
  ])
  await expectConsistentPicking(service.db, tenant)
  const events = await eventsOf(service, tenant)
  const completed = events.find(({ event }) => event === 'flow/completed')
  expect(completed?.data).toMatchObject({ operator_email: ada.email, operator_id: ada.id, total_quantity_picked: 12 })
  const { body: audit } = await tenant.request('GET', '/audit-log?surface=scan&limit=100')
  const picks = audit.data.entries.filter(({ operation }: { operation: string }) => operation === 'flows.pick')
  expect(picks).toHaveLength(6)
  for (const entry of picks) expect(entry).toMatchObject({ operator_email: ada.email, surface: 'scan' })
})

it('a double tap counts once, whatever lies below the finger by then; keys of the keypad count each time', async ({
  openWindow,
  tenant,
}) => {
  const { page } = await openWindow({ hasTouch: true })
  const first = await stockedProduct(tenant, { A: 5 })
  const second = await stockedProduct(tenant, { B: 20 })
  const order = await newOrder(tenant, {
    order_detail: [
      { barcode: first.barcode, quantity: 2 },
      { barcode: second.barcode, quantity: 11 },
    ],
  })
  await newOrder(tenant, { order_detail: [{ barcode: first.barcode, quantity: 1 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  const browser = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchEnd', touchPoints: { x: number; y: number }[], timestamp: number): Promise<unknown> =>
    browser.send('Input.dispatchTouchEvent', { type, touchPoints, timestamp })
  // At times that no load of the machine changes: on a busy one, more time passes between two taps from outside.
  const doubleTap = async (name: string): Promise<void> => {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox()
    if (box === null) throw new Error(`${name} is not drawn`)
    const now = Date.now() / 1_000
    for (const [shift, at] of [
      [0, now - 0.12],
      [5, now - 0.04],
    ] as const) {
      await touch('touchStart', [{ x: box.x + box.width / 2 + shift, y: box.y + box.height / 2 }], at)
      await touch('touchEnd', [], at + 0.02)
    }
  }
  const heading = page.getByRole('heading', { level: 1 })
  await expect.poll(() => heading.textContent()).toBe('A')
  await doubleTap('Take all 2')
  await expect.poll(() => heading.textContent()).toBe('B')
  await page.getByText('Take 11').waitFor()
  expect((await device.outcomes()).filter((outcome) => outcome === 'line')).toHaveLength(1)
  await device.scan('Z-9', 'problem')
  await doubleTap('OK')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.getByText('Take 11').waitFor()
  await page.getByRole('button', { name: 'Quantity' }).click()
  for (const key of ['1', '1']) {
    await page.getByRole('button', { name: key, exact: true }).tap()
    await page.waitForTimeout(BOUNCE_MS)
  }
  await page.getByRole('button', { name: 'Confirm' }).last().tap()
  await page.getByRole('heading', { name: `Finish ${order.order_tenant_id}` }).waitFor()
  await doubleTap('Complete')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await expect.poll(async () => (await stockOf(tenant, second)).B).toBe(9)
  expect(await heading.textContent()).toBe('Orders to pick')
})

it('two quick taps on a control that stays the same count twice, a bounce once; the second never takes the next stop', async ({
  openWindow,
  tenant,
}) => {
  const { page } = await openWindow({ hasTouch: true })
  const tea = await stockedProduct(tenant, { 'A-1': 20 }, { name: 'Tea' })
  const cup = await stockedProduct(tenant, { 'B-1': 20 }, { name: 'Cup' })
  const order = await newOrder(tenant, { order_detail: [tea, cup].map(({ barcode }) => ({ barcode, quantity: 2 })) })
  const lines = [tea, cup].map(({ id }) => ({ product_id: id, quantity: 9 }))
  await seed(tenant, '/inbound', { reference: 'PO-1', lines })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  // Both in the page: on a busy machine, more time passes between two taps from outside.
  const tapTwice = (name: string, pauses: { beforeTouch?: number; beforeRelease?: number } = {}): Promise<void> =>
    page.getByRole('button', { name, exact: true }).evaluate(async (button, { beforeTouch = 0, beforeRelease = 0 }) => {
      const { x, y, width, height } = button.getBoundingClientRect()
      const pause = async (ms: number): Promise<void> => {
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
      }
      for (const shift of [0, 5]) {
        if (shift > 0) await pause(beforeTouch)
        button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, pointerType: 'touch' }))
        if (shift > 0) await pause(beforeRelease)
        const at = { clientX: x + width / 2 + shift, clientY: y + height / 2 }
        button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1, ...at }))
      }
    }, pauses)
  await page.getByRole('button', { name: 'Receive', exact: true }).click()
  await page.getByRole('button', { name: 'Receive PO-1' }).click()
  await page.getByRole('heading', { level: 1, name: 'PO-1' }).waitFor()
  await device.scan('A-1')
  await page.waitForTimeout(SAME_TAP_MS)
  const hand = page.getByRole('region', { name: 'In hand' })
  for (const held of ['2 of 9', '4 of 9']) {
    await tapTwice('Tea', { beforeTouch: BOUNCE_MS + 10 })
    await hand.getByText(held).waitFor()
    await page.waitForTimeout(SAME_TAP_MS)
  }
  // A glove that lets go and touches again: in the middle of a tap, or at its beginning.
  for (const [held, pauses] of [
    ['5 of 9', {}],
    ['6 of 9', { beforeRelease: BOUNCE_MS + 10 }],
  ] as const) {
    await tapTwice('Tea', pauses)
    await page.waitForTimeout(SAME_TAP_MS)
    await hand.getByText(held).waitFor()
  }
  await page.goto('/scan')
  await page.getByRole('button', { name: `Pick ${order.order_tenant_id}` }).click()
  const heading = page.getByRole('heading', { level: 1 })
  await expect.poll(() => heading.textContent()).toBe('A-1')
  // Both before the next stop is drawn: on a slow device, fingers are faster.
  await page.getByRole('button', { name: 'Take all 2' }).evaluate((button: HTMLButtonElement) => {
    button.click()
    button.click()
  })
  await expect.poll(() => heading.textContent()).toBe('B-1')
  await page.getByText('Take 2').waitFor()
  expect((await device.outcomes()).filter((outcome) => ['line', 'order'].includes(outcome))).toEqual(['line'])
})

it('an operator who has gone elsewhere while an order is started stays there', async ({ openWindow, tenant }) => {
  const { page } = await openWindow()
  const tea = await stockedProduct(tenant, { 'A-1': 20 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(/\/flows$/, async (route) => {
    if (route.request().method() === 'POST') await isAnswered
    await route.continue()
  })
  const shown = await page.evaluateHandle(() => {
    const screens: string[] = []
    const push = history.pushState.bind(history)
    history.pushState = (...args) => {
      screens.push(String(args[2]))
      push(...args)
    }
    return screens
  })
  await page.getByRole('button', { name: `Pick ${order.order_tenant_id}` }).click()
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Look up' }).click()
  await page.getByRole('heading', { name: 'Look up' }).waitFor()
  const isRead = page.waitForResponse(/\/flows\/\d+$/)
  answer()
  await isRead
  await page.waitForTimeout(SAME_TAP_MS)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Queue' }).click()
  await page.getByRole('button', { name: `Go on with ${order.order_tenant_id}` }).click()
  await page.getByRole('heading', { name: 'A-1' }).waitFor()
  expect(await shown.jsonValue()).toEqual(['#/look-up', '#/queue', expect.stringMatching(/^#\/pick\/\d+$/)])

  // An order that is looked for, as it is not in the list: however often that is read, it stays as it is now.
  const queue = /\/flows\/queue\?/
  let list: Promise<APIResponse> | undefined
  await page.route(queue, async (route) => await route.fulfill({ response: await (list ??= route.fetch()) }))
  await page.getByRole('button', { name: 'Menu' }).click()
  const isListRead = page.waitForRequest(queue)
  await page.getByRole('menuitem', { name: 'Queue' }).click()
  await (await isListRead).response()
  const later = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
  const isFound = Promise.withResolvers<void>()
  const search = /\/orders\?.*order_tenant_id=/
  await page.route(search, async (route) => {
    await isFound.promise
    await route.continue()
  })
  const isSearched = page.waitForRequest(search)
  await device.scanner.scan(later.order_tenant_id)
  await isSearched
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Look up' }).click()
  const isStarted = page.waitForResponse(/\/flows\/\d+$/)
  isFound.resolve()
  await isStarted
  await device.scan(tea.barcode)
  await page.getByRole('heading', { name: 'Look up' }).waitFor()
  await page.unroute(queue)

  // Of two orders that are scanned in a row, the last one is open, and a location that is scanned after it is for that one.
  const detail = { order_detail: [{ barcode: tea.barcode, quantity: 2 }] }
  const [first, second] = [await newOrder(tenant, detail), await newOrder(tenant, detail)]
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Queue' }).click()
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  const isHeld = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname.endsWith('/flows') && url.search === '',
    async (route) => {
      await isHeld.promise
      await route.continue()
    },
    { times: 1 },
  )
  const before = (await device.outcomes()).length
  const isAsked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/flows'))
  await device.scanner.scan(first.order_tenant_id)
  await isAsked
  await device.scanner.scan(second.order_tenant_id)
  await device.scanner.scan('A-1')
  isHeld.resolve()
  await expect.poll(async () => (await device.outcomes()).slice(before)).toEqual(['taken', 'taken', 'taken'])
  const { flows } = (await tenant.request('GET', `/flows?order_id=${second.id}`)).body.data
  expect(await page.evaluate(() => location.hash)).toBe(`#/pick/${flows[0].id}`)
})

it('an order that the operator has begun elsewhere opens when it is scanned, alone or in a batch; that of another one does not', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/400/)
  const { page } = window
  const tea = await stockedProduct(tenant, { 'A-1': 20 })
  const detail = { order_detail: [{ barcode: tea.barcode, quantity: 2 }] }
  const alone = await newOrder(tenant, detail)
  const batched = [await newOrder(tenant, detail), await newOrder(tenant, detail)]
  const [ada, grace] = [await newOperator(tenant, 'Ada'), await newOperator(tenant, 'Grace')]
  const device = await enrolledDevice(page, tenant, ada)
  const by = ({ id, email }: TestOperator) => ({ operator_id: id, operator_email: email })
  const hash = (): Promise<string> => page.evaluate(() => location.hash)
  const goBack = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: 'Queue' }).click()
    await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  }
  const flow = await seed(tenant, '/flows', { order_id: alone.id, ...by(ada) })
  await device.scan(alone.order_tenant_id)
  expect(await hash()).toBe(`#/pick/${flow.id}`)
  await goBack()
  const batch = await startBatch(tenant, { order_ids: batched.map(({ id }) => id), ...by(ada) })
  await device.scan(batched[1]?.order_tenant_id ?? '')
  expect(await hash()).toBe(`#/batch/${batch.id}`)
  await goBack()
  const other = await newOrder(tenant, detail)
  await seed(tenant, '/flows', { order_id: other.id, ...by(grace) })
  await device.scan(other.order_tenant_id, 'problem')
  expect(await hash()).toBe('#/queue')
})

it('an order is found by its identifier among any number of others; one that is not ready is a Problem that says why', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/400/)
  const { page } = window
  const tea = await stockedProduct(tenant, { 'A-1': 20 })
  const order_detail = [{ barcode: tea.barcode, quantity: 2 }]
  const orders = Array.from({ length: 50 }, (_, index) => ({
    order_tenant_id: `12-${index}`,
    assembly_date: '2026-11-01',
    order_detail,
  }))
  await seed(tenant, '/orders', { orders })
  const order = await newOrder(tenant, { order_tenant_id: '12', order_detail })
  const done = await newOrder(tenant, { order_detail })
  await tenant.request('PUT', `/orders/${done.id}`, { state_id: 5 })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(done.order_tenant_id, 'problem')
  await page.getByText('The order is completed and cannot be picked').waitFor()
  await device.scanner.scan('FC-OK')
  await device.scan(order.order_tenant_id)
  await page.getByRole('heading', { name: 'A-1' }).waitFor()
})

it('a screen begins with its heading, hides no focus, and a name without a space makes none wider than the device', async ({
  window: { page },
  tenant,
}) => {
  const name = 'Donaudampfschifffahrtsgesellschaft'.repeat(4)
  const photo_url = 'http://photos.example/tea.png'
  const tea = await stockedProduct(tenant, { A: 50 }, { name, photo_url })
  const cup = await stockedProduct(tenant, { A: 50 }, { name: 'Cup' })
  const order_detail = [tea, cup].map(({ barcode }) => ({ barcode, quantity: 1 }))
  const order = await newOrder(tenant, { customer_name: name, order_detail })
  for (let others = 0; others < 5; others++) await newOrder(tenant, { order_detail })
  await resize(page, 320, 500)
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const wider: string[] = []
  const look = async (screen: RegExp): Promise<void> => {
    const heading = page.getByRole('heading', { level: 1, name: screen })
    await expect.poll(async () => (await heading.boundingBox())?.y ?? 0).toBeGreaterThan(0)
    const extra = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (extra > 0) wider.push(`${screen.source}: ${extra} px`)
  }
  await look(/^Orders to pick/)
  // One that lies below the head is scrolled out of it when it gets the focus.
  const picks = page.getByRole('button', { name: /^Pick / })
  await picks.nth(1).evaluate((button) => scrollBy(0, button.getBoundingClientRect().top))
  await picks.nth(2).evaluate((button) => button.focus({ preventScroll: true }))
  await page.keyboard.press('Shift+Tab')
  expect(await picks.nth(1).evaluate((button) => button === document.activeElement)).toBe(true)
  const gap = () =>
    picks.nth(1).evaluate((button) => {
      const head = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
      return button.getBoundingClientRect().top - head
    })
  await expect.poll(gap).toBeGreaterThanOrEqual(0)
  await page.getByRole('button', { name: `Pick ${order.order_tenant_id}` }).click()
  await look(/^A$/)
  const photo = page.getByRole('link', { name: 'Photo' })
  await expect.poll(() => photo.getAttribute('href')).toBe(photo_url)
  expect((await photo.boundingBox())?.height).toBeGreaterThanOrEqual(56)
  await page.getByRole('button', { name: 'Finish' }).click()
  await look(/^Finish/)
  expect(wider).toEqual([])
})

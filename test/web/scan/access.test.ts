import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { type PickableProduct, stockedProduct } from '../../support/picking.ts'
import { completedOrder, transition, pack, packageOf } from '../../support/shipments.ts'
import { axe } from '../support/axe.ts'
import { it } from '../support/browser.ts'
import { focusedName, tabTo } from '../support/keyboard.ts'
import { layoutProblems } from '../support/layout.ts'
import { resize } from '../support/open-screen.ts'
import { seed } from '../support/page-server.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'

/** For people to look at. Not committed. */
const OUT = path.join(import.meta.dirname, '../looks/out')
/**
 * A handheld and a desk, each in one scheme. What a rule finds depends on the size, by what is shown there, or on the scheme, by its colours; not
 * on both: the pages have no colours but those of the tokens, and `contrast.test.ts` holds each pair of them against the limit in both schemes.
 */
const LOOKS = [
  { width: 320, height: 568, colorScheme: 'light' },
  { width: 1280, height: 800, colorScheme: 'dark' },
] as const
/** A phone held sideways. */
const SIDEWAYS = { width: 740, height: 360 }
/** Targets for fingers in gloves. */
const TARGET = 56

/** What is wrong with what the page shows, in each look, and in further sizes in light. */
async function look(page: Page, name: string, further: { width: number; height: number }[] = []): Promise<string[]> {
  const found: string[] = []
  for (const { width, height, colorScheme } of [
    ...LOOKS,
    ...further.map((size) => ({ ...size, colorScheme: 'light' as const })),
  ]) {
    await page.emulateMedia({ colorScheme })
    await resize(page, width, height)
    // Colours in the middle of a change have no contrast to speak of.
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined))))
    await page.screenshot({ path: path.join(OUT, `scan-${name}-${width}-${colorScheme}.png`) })
    const problems = [...(await axe(page)), ...(await layoutProblems(page)), ...(await smallTargets(page))]
    found.push(...problems.map((problem) => `${name}, ${width} px, ${colorScheme}: ${problem}`))
  }
  return found
}

function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((target) => {
    const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
    return [
      ...top.querySelectorAll<HTMLElement>(
        'button, input:not([type=checkbox], [type=radio]), label:has([type=checkbox], [type=radio])',
      ),
    ]
      .filter((element) => element.checkVisibility())
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.height < target || box.width < target)
      .map(({ element, box }) => `${element.textContent} is ${box.width} x ${box.height}`)
  }, TARGET)
}

it('every screen is accessible, on a handheld in light and a desk in dark', async ({ window: { page }, tenant }) => {
  await mkdir(OUT, { recursive: true })
  const found: string[] = []
  await page.goto('/scan')
  await page.getByRole('heading', { name: 'Enrol this device' }).waitFor()
  found.push(...(await look(page, 'enrol')))
  const products: PickableProduct[] = []
  for (const code of ['A-01-03', 'B-12-07'])
    products.push(await stockedProduct(tenant, { [code]: 9 }, { name: 'Jasmine green tea, loose leaves, 250 g' }))
  const order = await newOrder(tenant, {
    order_tenant_id: 'SHOP-10042',
    customer_name: 'Ada Lovelace',
    assembly_date: '2026-03-02',
    order_detail: products.map(({ barcode }) => ({ barcode, quantity: 3 })),
  })
  await newOrder(tenant, { order_detail: [{ barcode: products[0]?.barcode, quantity: 1 }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  await page.getByRole('button', { name: `Pick ${order.order_tenant_id}` }).waitFor()
  found.push(...(await look(page, 'queue')))
  await page.getByRole('button', { name: 'Menu' }).click()
  found.push(...(await look(page, 'menu')))
  await page.keyboard.press('Escape')
  await device.scan(order.order_tenant_id)
  await device.scan('A-01-03')
  await device.scan(products[0]?.barcode ?? '')
  found.push(...(await look(page, 'pick', [SIDEWAYS])))
  for (const [name, title] of [
    ['Quantity', 'quantity'],
    ['Short', 'short'],
    ['Elsewhere', 'elsewhere'],
  ] as const) {
    await page.getByRole('button', { name }).click()
    await page.getByRole('dialog', { name }).waitFor()
    found.push(...(await look(page, title)))
    await page.keyboard.press('Escape')
  }
  await device.scan('no such code', 'problem')
  found.push(...(await look(page, 'problem')))
  await page.getByRole('button', { name: 'OK' }).click()
  await page.getByRole('button', { name: 'Finish' }).click()
  found.push(...(await look(page, 'finish')))
  for (const name of ['Look up', 'Move', 'Count', 'Diagnostics']) {
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    if (name === 'Move') await device.scan(products[0]?.barcode ?? '')
    if (name === 'Count') for (const code of [products[0]?.barcode ?? '', 'A-01-03']) await device.scan(code)
    found.push(...(await look(page, name.toLowerCase().replace(' ', '-'))))
  }
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Change operator' }).click()
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  found.push(...(await look(page, 'badge')))
  expect(found).toEqual([])
})

it('deliveries, returns and counts are accessible, on a handheld, a phone held sideways and a desk', async ({
  window,
  tenant,
}) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|400/)
  const { page, context } = window
  await mkdir(OUT, { recursive: true })
  const found: string[] = []
  const tea = await stockedProduct(tenant, { 'A-01-03': 9 }, { name: 'Jasmine green tea, loose leaves, 250 g' })
  const cup = await stockedProduct(tenant, { 'A-01-03': 4, 'B-12-07': 9 }, { name: 'Cup' })
  const lines = [tea, cup].map(({ id }) => ({ product_id: id, quantity: 12 }))
  const supplier = 'Tea Trade Ltd'
  const delivery = await seed(tenant, '/inbound', { reference: 'PO-2044', expected_at: '2026-03-02', supplier, lines })
  await seed(tenant, '/returns', { reference: 'RMA-77', expected_at: '2030-03-02', lines })
  await seed(tenant, '/counts', { reference: 'CC-2026-48', product_ids: [tea.id, cup.id] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const open = async (tile: string, reference: string): Promise<void> => {
    await page.goto('/scan#/queue')
    await page.getByRole('button', { name: tile }).click()
    await page.getByRole('button', { name: new RegExp(`${reference}$`) }).waitFor()
    found.push(...(await look(page, tile.toLowerCase().replace(' ', '-'), [SIDEWAYS])))
    await device.scan(reference)
    await page.getByRole('heading', { name: reference }).waitFor()
  }
  await open('Count list', 'CC-2026-48')
  for (const code of ['A-01-03', tea.barcode, 'FC-CONFIRM', cup.barcode]) await device.scan(code)
  found.push(...(await look(page, 'counting', [SIDEWAYS])))
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('dialog', { name: 'Submit' }).waitFor()
  found.push(...(await look(page, 'submit', [SIDEWAYS])))
  await page.keyboard.press('Escape')
  await open('Return', 'RMA-77')
  for (const code of ['A-01-03', tea.barcode]) await device.scan(code)
  found.push(...(await look(page, 'returning', [SIDEWAYS])))
  await open('Receive', 'PO-2044')
  for (const code of ['A-01-03', tea.barcode, 'FC-CONFIRM', cup.barcode]) await device.scan(code)
  found.push(...(await look(page, 'receiving', [SIDEWAYS])))
  await page.getByRole('button', { name: 'Quantity' }).click()
  await page.getByRole('dialog', { name: 'Quantity' }).waitFor()
  found.push(...(await look(page, 'quantity-in-hand', [SIDEWAYS])))
  await page.keyboard.press('Escape')
  await context.setOffline(true)
  await device.scan('FC-CONFIRM')
  await tenant.request('POST', `/inbound/${delivery.id}/close`, {})
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Problems (1)' }).click()
  await page.getByText('PO-2044 was closed. Set 1 × Cup aside').waitFor()
  found.push(...(await look(page, 'problems-of-records', [SIDEWAYS])))
  expect(found).toEqual([])
})

it('packing is accessible, on a handheld, a phone held sideways and a desk', async ({ window, tenant }) => {
  window.expectComplaint(/400|404/)
  const { page } = window
  await mkdir(OUT, { recursive: true })
  const found: string[] = []
  const tea = await stockedProduct(tenant, { A: 20 }, { name: 'Jasmine green tea, loose leaves, 250 g' })
  const cup = await stockedProduct(tenant, { A: 20 }, { name: 'Cup' })
  const order = await completedOrder(tenant, [
    [tea, 12],
    [cup, 2],
  ])
  const earlier = await pack(tenant, order, [packageOf({ product_id: cup.id }, 1)], { reference: 'SHP-2026-11-0042' })
  await transition(tenant, earlier, 'ship')
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await pack(tenant, order, [packageOf({ product_id: tea.id }, 2, { weight: 1.4 })])
  await page.getByRole('button', { name: 'Pack', exact: true }).click()
  await page.getByRole('button', { name: `Go on with ${order.order_tenant_id}` }).waitFor()
  found.push(...(await look(page, 'orders-to-pack')))
  await device.scan(order.order_tenant_id)
  await page.getByRole('button', { name: 'New package' }).click()
  for (const { barcode } of [tea, tea]) await device.scan(barcode)
  found.push(...(await look(page, 'packing', [SIDEWAYS, { width: 390, height: 844 }])))
  for (const name of ['Weight', 'Ship']) {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog', { name }).waitFor()
    found.push(...(await look(page, `packing-${name.toLowerCase()}`)))
    await page.keyboard.press('Escape')
  }
  await tenant.request('POST', `/products/${tea.id}/barcodes`, { barcode: 'CASE', quantity: 9 })
  await device.scan('CASE', 'problem')
  await page.getByRole('button', { name: 'Pack 8' }).waitFor()
  found.push(...(await look(page, 'packing-problem', [SIDEWAYS])))
  expect(found).toEqual([])
})

it('a batch is accessible, also on a phone and on its side', async ({ window, tenant }) => {
  window.expectComplaint(/400/)
  const { page } = window
  await mkdir(OUT, { recursive: true })
  const found: string[] = []
  const tea = await stockedProduct(tenant, { 'A-01-03': 31, 'B-12-07': 9 }, { name: 'Jasmine green tea, loose leaves, 250 g' })
  const orders = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      newOrder(tenant, {
        order_tenant_id: `SHOP-100${index + 10}`,
        assembly_date: `2026-12-${index + 10}`,
        order_detail: [{ barcode: tea.barcode, quantity: 3 }],
      }),
    ),
  )
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await page.getByRole('button', { name: 'Batch' }).click()
  await page.getByRole('heading', { name: 'Pick a batch' }).waitFor()
  found.push(...(await look(page, 'batch-start')))
  await page.getByRole('textbox', { name: 'Slots on the cart' }).fill('12')
  await page.getByRole('button', { name: 'Start a batch' }).click()
  await page.getByRole('heading', { name: 'Slot 1' }).waitFor()
  for (const code of ['A-01-03', tea.barcode]) await device.scan(code)
  for (let slot = 1; slot < 11; slot++) await device.scan('FC-ALL', 'line')
  await page.getByRole('heading', { name: 'Slot 11' }).waitFor()
  await device.scan('FC-UNDO')
  await page.getByRole('heading', { name: 'Slot 10' }).waitFor()
  await device.scan(tea.barcode)
  // Slot and location are as large as each other, and the slot is seen without scrolling.
  const sizeOf = (name: string) =>
    page.getByRole('heading', { name, exact: true }).evaluate((element) => parseFloat(getComputedStyle(element).fontSize))
  expect([await sizeOf('A-01-03'), await sizeOf('Slot 10')]).toEqual([48, 48])
  for (const [name, width, height] of [
    ['phone', 390, 844],
    ['side', 844, 390],
    ['small-side', 568, 320],
  ] as const) {
    await resize(page, width, height)
    await page.screenshot({ path: path.join(OUT, `scan-batch-${name}.png`) })
    found.push(...(await layoutProblems(page)))
    const box = await page.getByRole('heading', { name: 'Slot 10' }).boundingBox()
    expect((box?.y ?? height) + (box?.height ?? 0), `${name}: the slot is on the screen`).toBeLessThan(height)
  }
  await page.getByRole('button', { name: 'Orders on the cart' }).click()
  found.push(...(await look(page, 'batch')))
  await tenant.request('POST', `/orders/${orders[11]?.id}/cancel`)
  await page.goto('/scan#/queue')
  await page.reload()
  await page.getByRole('button', { name: /^Go on with batch/ }).click()
  await page.getByRole('alert').waitFor()
  found.push(...(await look(page, 'batch-gone')))
  await page.getByRole('button', { name: 'Finish' }).click()
  await page.getByRole('heading', { name: /^Finish batch/ }).waitFor()
  found.push(...(await look(page, 'batch-finish')))
  expect(found).toEqual([])
})

it('the Problems and a second tab are accessible', async ({ window, tenant }) => {
  window.expectComplaint(/ERR_INTERNET_DISCONNECTED|400/)
  const { page, context } = window
  await mkdir(OUT, { recursive: true })
  const found: string[] = []
  const products = [await stockedProduct(tenant, { 'A-01-03': 9 }), await stockedProduct(tenant, { 'B-12-07': 9 })]
  const order = await newOrder(tenant, { order_detail: products.map(({ barcode }) => ({ barcode, quantity: 3 })) })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  await device.scan(order.order_tenant_id)
  await context.setOffline(true)
  for (const [index, location] of ['A-01-03', 'B-12-07'].entries()) {
    await device.scan(location)
    await page.getByRole('button', { name: 'Take all 3' }).click()
    const connection = page.getByRole('status', { name: 'Connection' })
    await expect.poll(() => connection.textContent()).toBe(`Offline, ${index + 1} to send`)
  }
  for (const [index, location_id] of ['A-01-03', 'B-12-07'].entries())
    await tenant.request('PUT', `/stock/product/${products[index]?.id}`, { location_id, quantity: 1 })
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Problems (2)' }).click()
  await page.getByRole('heading', { name: 'Problems' }).waitFor()
  expect(await page.getByRole('listitem').count()).toBe(2)
  found.push(...(await look(page, 'problems')))
  for (const name of ['Take from elsewhere', 'Count A-01-03']) {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole('dialog', { name }).waitFor()
    found.push(...(await look(page, name.toLowerCase().replaceAll(' ', '-'))))
    await page.keyboard.press('Escape')
  }
  const second = await context.newPage()
  await second.goto('/scan')
  await second.getByRole('heading', { name: 'Open in another tab' }).waitFor()
  found.push(...(await look(second, 'other-tab')))
  expect(found).toEqual([])
})

it('an order is picked by keyboard alone', async ({ window: { page }, tenant }) => {
  const product = await stockedProduct(tenant, { 'A-1': 9 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 3 }] })
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const press = async (name: string): Promise<void> => {
    await tabTo(page, name)
    await page.keyboard.press('Enter')
  }
  await press(`Pick ${order.order_tenant_id}`)
  await page.getByRole('heading', { name: 'A-1' }).waitFor()
  await press('Quantity')
  await page.getByRole('dialog', { name: 'Quantity' }).waitFor()
  await tabTo(page, 'Quantity')
  await page.keyboard.type('2', { delay: 100 })
  await page.keyboard.press('Enter')
  await page.getByText('Taken here: 2', { exact: true }).waitFor()
  // The focus is where it was before the dialog.
  await expect.poll(() => focusedName(page)).toBe('Quantity')
  await press('Take all 1')
  await page.getByRole('heading', { name: /^Finish/ }).waitFor()
  await press('Complete')
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  await expect.poll(async () => (await tenant.request('GET', `/orders/${order.id}`)).body.data.state_id).toBe(5)
})

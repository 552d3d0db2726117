import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { untilHourLasts } from '../../support/hour.ts'
import type { TestService } from '../../support/service.ts'
import { axe } from '../support/axe.ts'
import { it, type TestTenant } from '../support/browser.ts'
import { layoutProblems } from '../support/layout.ts'
import { openScreen, resize } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'

const DAY_MS = 86_400_000
const ERP = { name: 'ERP', preset: 'erp_sync' }
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

/** The rows of the table of a chart, which is opened, a line each. */
async function tableOf(page: Page, title: string, at = 0): Promise<string[][]> {
  await page.getByRole('button', { name: 'Show as table' }).nth(at).click()
  const table = page.getByRole('table', { name: title, exact: true })
  await table.waitFor()
  return await table
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')))
}

/** The series of a chart, and whether they have marks. Its drawing is loaded with the first chart. */
async function marksOf(page: Page, name: RegExp): Promise<string[]> {
  const series = page.getByRole('img', { name }).locator('[data-series]')
  await series.first().waitFor({ state: 'attached' })
  return await series.evaluateAll((found) =>
    found.map((one) => `${one.getAttribute('data-series')} ${one.querySelector(':scope > rect, :scope > path') !== null}`),
  )
}

async function newProduct(tenant: TestTenant): Promise<number> {
  const product = { name: 'Green tea', barcode: '1', sku: 'TEA', minimum_threshold: 10 }
  const { id } = await seed(tenant, '/products', product)
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-01', quantity: 25 }] })
  await seed(tenant, '/stock/adjustment', { product_id: id, location_id: 'A-01', adjustment_quantity: -21 })
  return id
}

/** Moves what happened to a product into the past, a day for each movement. */
async function spread({ db }: TestService, tenant: TestTenant): Promise<void> {
  await db.dedicatedPool.query(
    `set session_replication_role = replica;
     update stock_movements m set created_at = now() - interval '3 days' * (1 + (select count(*) from stock_movements l where l.tenant_id = m.tenant_id and l.id > m.id))
     where tenant_id = ${tenant.id};
     update movement_count_changes set created_day = (now() - interval '3 days')::date where tenant_id = ${tenant.id};
     delete from movement_product_hours where tenant_id = ${tenant.id};
     delete from movement_hour_days where tenant_id = ${tenant.id};
     delete from movement_counts where tenant_id = ${tenant.id};
     insert into movement_counts select tenant_id, (created_at at time zone 'UTC')::date, movement_type, count(*) from stock_movements where tenant_id = ${tenant.id} group by 1, 2, 3;
     delete from movement_count_changes where tenant_id = ${tenant.id};
     reset session_replication_role`,
  )
}

describe('the chart of the stock of a product', () => {
  it('has a sentence as its name, and a table that equals the movements', async ({ window: { page }, tenant, service }) => {
    const id = await newProduct(tenant)
    await spread(service, tenant)
    await signIn(page, tenant.key, `/products/${id}`)
    expect(await marksOf(page, /^Stock of Green tea, 90 days: now 4, lowest 0 on .*, threshold 10$/)).toEqual(['stock true'])
    const rows = await tableOf(page, 'Stock over time')
    const { points } = (await tenant.request('GET', `/reports/stock?product_id=${id}&since=${dayIn(-89)}`)).body.data
    expect(rows.map(([, quantity]) => Number(quantity))).toEqual(points.map(({ quantity }: { quantity: number }) => quantity))
    expect([rows.length, rows.at(-4)?.[1], rows.at(-3)?.[1], rows.at(-1)?.[1]]).toEqual([90, '4', '4', '4'])
    expect([rows.at(-6)?.[1], rows.at(-7)?.[1], rows.at(-8)?.[1]]).toEqual(['25', '25', '0'])
  })

  it('is read by keyboard, and has four periods', async ({ window: { page }, tenant, service }) => {
    const id = await newProduct(tenant)
    await spread(service, tenant)
    await signIn(page, tenant.key, `/products/${id}`)
    const reader = page.getByRole('slider', { name: 'Values of Stock over time' })
    await reader.focus()
    await expect.poll(() => reader.getAttribute('aria-valuetext')).toMatch(/^\w+ \d+, \d{4}: 4$/)
    await page.keyboard.press('Home')
    await expect.poll(() => reader.getAttribute('aria-valuetext')).toMatch(/: 0$/)
    await page.keyboard.press('End')
    for (let presses = 0; presses < 5; presses++) await page.keyboard.press('ArrowLeft')
    await expect.poll(() => reader.getAttribute('aria-valuetext')).toMatch(/: 25$/)
    expect(await page.getByText(/^\w+ \d+, \d{4}: 25$/).count()).toBe(1)
    const period = page.getByRole('radiogroup', { name: 'Period' })
    for (const [name, points] of [
      ['7 days', undefined],
      ['30 days', 30],
      ['365 days', 365],
    ] as const) {
      await period.getByRole('radio', { name, exact: true }).check({ force: true })
      await page.getByRole('img', { name: new RegExp(`^Stock of Green tea, ${name}: now 4`) }).waitFor()
      if (points !== undefined) await expect.poll(() => reader.getAttribute('max')).toBe(String(points - 1))
    }
    await period.getByRole('radio', { name: '7 days', exact: true }).check({ force: true })
    await reader.focus()
    // An hour of UTC.
    await expect.poll(() => reader.getAttribute('aria-valuetext')).toMatch(/^\w+ \d+, \d\d:00: 4$/)
  })
})

it('orders by day: a bar leads to the orders of its day, by keyboard, pointer and table', async ({
  window: { page },
  tenant,
}) => {
  await newProduct(tenant)
  const order = { assembly_date: '2030-01-15', order_detail: [{ barcode: '1', quantity: 1 }] }
  for (const order_tenant_id of ['SHOP-1', 'SHOP-2']) await seed(tenant, '/orders', { ...order, order_tenant_id })
  const { id } = (await seed(tenant, '/orders', { ...order, order_tenant_id: 'SHOP-3' })).orders[0]
  await seed(tenant, `/orders/${id}`, { state_id: 2 }, 'PUT')
  await signIn(page, tenant.key, '/')
  const name = /^Orders by day, 30 days: 3 orders in all, most 3 on /
  expect(await marksOf(page, name)).toEqual(['1 true', '2 true', '3 false', '5 false', '7 false'])
  const reader = page.getByRole('slider', { name: 'Values of Orders by day and state' })
  await reader.focus()
  await expect
    .poll(() => reader.getAttribute('aria-valuetext'))
    .toMatch(/: Pending 2, Released 1, Picking 0, Completed 0, Cancelled 0$/)
  const today = (await reader.getAttribute('aria-valuetext'))?.split(':')[0]
  await page.keyboard.press('Enter')
  const day = dayIn(0)
  await expect.poll(() => new URL(page.url()).search).toBe(`?from=${day}&to=${day}`)
  await page.getByText('3 orders', { exact: true }).waitFor()
  await page.goBack()
  const box = await reader.boundingBox()
  await reader.click({ position: { x: (box?.width ?? 0) - 14, y: 60 } })
  await expect.poll(() => new URL(page.url()).search).toBe(`?from=${day}&to=${day}`)
  await page.goBack()
  const rows = await tableOf(page, 'Orders by day and state', 1)
  expect(rows.at(-1)).toEqual([today, '2', '1', '0', '0', '0'])
  expect(rows).toHaveLength(30)
  await page.getByRole('link', { name: today ?? '' }).click()
  await expect.poll(() => new URL(page.url()).search).toBe(`?from=${day}&to=${day}`)
})

it('a press on a chart opens the day that the pointer reads, which a touch reads too', async ({ openWindow, tenant }) => {
  const { page, context } = await openWindow({ hasTouch: true })
  await newProduct(tenant)
  await seed(tenant, '/orders', {
    order_tenant_id: 'SHOP-1',
    assembly_date: '2030-01-15',
    order_detail: [{ barcode: '1', quantity: 1 }],
  })
  await signIn(page, tenant.key, '/')
  const reader = page.getByRole('slider', { name: 'Values of Orders by day and state' })
  const dayRead = async (): Promise<string> => ((await reader.getAttribute('aria-valuetext')) ?? '').split(':')[0] ?? ''
  const touch = await context.newCDPSession(page)
  const last = await dayRead()
  for (const share of [0.1, 1 / 3, 2 / 3]) {
    await page.mouse.move(0, 0)
    // Back leads to where the focus was.
    await reader.blur()
    await expect.poll(dayRead).toBe(last)
    const { x, y, width } = (await reader.boundingBox()) ?? { x: 0, y: 0, width: 0 }
    const at = { x: x + width * share, y: y + 60 }
    await page.mouse.move(at.x, at.y)
    await expect.poll(dayRead).not.toBe(last)
    const day = await dayRead()
    await page.mouse.move(0, 0)
    await expect.poll(dayRead).toBe(last)
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
    await expect.poll(dayRead).toBe(day)
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await expect.poll(dayRead).toBe(last)
    await page.mouse.click(at.x, at.y)
    const date = new Date(`${day} UTC`).toISOString().slice(0, 10)
    await expect.poll(() => new URL(page.url()).search).toBe(`?from=${date}&to=${date}`)
    await page.goBack()
  }
})

it('the pointer reads the bar under it where few bars do not take the whole width, and keys go on from there', async ({
  window: { page },
  tenant,
  service,
}) => {
  await service.db.dedicatedPool.query(
    `insert into pick_changes (tenant_id, at, operator_email, picks, units, flows, seconds)
     select $1, date_trunc('day', now()) - n * interval '1 day', 'ada@example.com', 1, 10 + n, 0, 0 from generate_series(0, 6) n`,
    [tenant.id],
  )
  await signIn(page, tenant.key, '/picking')
  await page.getByRole('img', { name: /^Units picked, Today/ }).waitFor()
  await page.getByRole('radiogroup', { name: 'Period' }).getByRole('radio', { name: '7 days' }).check({ force: true })
  const bars = page.getByRole('img', { name: /^Units picked, 7 days/ }).locator('[data-series] > rect')
  await expect.poll(() => bars.count()).toBe(7)
  const reader = page.getByRole('slider', { name: 'Values of Units picked' })
  // What is above the chart may still grow.
  const readAt = async (bar: number, place: number): Promise<string> => {
    await reader.scrollIntoViewIfNeeded()
    const { x, y, width } = (await bars.nth(bar).boundingBox()) ?? { x: 0, y: 0, width: 0 }
    await page.mouse.move(x + width * place, y + 2)
    return (await reader.getAttribute('aria-valuetext')) ?? ''
  }
  for (let bar = 0; bar < 7; bar++) {
    for (const place of [0.1, 0.9]) await expect.poll(() => readAt(bar, place)).toMatch(new RegExp(`: ${16 - bar}$`))
    if (bar === 2) {
      await page.mouse.down()
      await page.mouse.up()
      for (const [key, units] of [
        ['ArrowRight', 13],
        ['ArrowLeft', 14],
        ['Home', 16],
      ] as const) {
        await page.keyboard.press(key)
        await expect.poll(() => reader.getAttribute('aria-valuetext')).toMatch(new RegExp(`: ${units}$`))
      }
    }
  }
})

it('throughput: units by hour, and operators with their bars', async ({ window: { page }, tenant, service }) => {
  const id = await newProduct(tenant)
  await seed(tenant, '/stock/adjustment', { product_id: id, location_id: 'A-01', adjustment_quantity: 100 })
  await service.db.dedicatedPool.query(
    `insert into pick_changes (tenant_id, at, operator_email, picks, units, flows, seconds)
     select $1::bigint, date_trunc('hour', now()) - n * interval '1 day', operator, 4, 30, 2, 1800 from generate_series(0, 9) n, unnest(array['ada@example.com', 'bob@example.com']) operator
     union all select $1::bigint, date_trunc('hour', now()), 'ada@example.com', 1, 5, 0, 0`,
    [tenant.id],
  )
  await signIn(page, tenant.key, '/picking')
  await page.getByRole('img', { name: /^Units picked, Today: 65 in all, most 65 at / }).waitFor()
  const operators = page.getByRole('table', { name: 'By operator' }).locator('tbody tr')
  const cells = async (row: number) => await operators.nth(row).getByRole('cell').allTextContents()
  expect(await cells(0)).toEqual(['ada@example.com', '', '35', '5', '2', '70'])
  expect(await cells(1)).toEqual(['bob@example.com', '', '30', '4', '2', '60'])
  await page.getByRole('radiogroup', { name: 'Period' }).getByRole('radio', { name: '7 days' }).check({ force: true })
  await page.getByRole('img', { name: /^Units picked, 7 days: 425 in all, most 65 at / }).waitFor()
  await expect.poll(() => cells(0)).toEqual(['ada@example.com', '', '215', '29', '14', '61.4'])
  expect(await tableOf(page, 'Units picked')).toHaveLength(7)
})

it('webhooks: the share of attempts that succeeded, and their latency', async ({ window: { page }, tenant, service }) => {
  await untilHourLasts()
  const webhook = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['*'] })
  await service.db.dedicatedPool.query(
    `insert into delivery_hours
     select $1, date_trunc('hour', now()) - n * interval '1 hour', $2::bigint, 95, 5, array_fill(0, array[7]) || array[90] || array_fill(0, array[2]) || array[10] || array_fill(0, array[9])
     from generate_series(0, 200) n`,
    [tenant.id, webhook.id],
  )
  await signIn(page, tenant.key, `/webhooks/${webhook.id}`)
  await page.getByRole('img', { name: 'Attempts of shop, 24 hours: 95 % of 2,400 attempts succeeded' }).waitFor()
  await page
    .getByRole('img', {
      name: 'Latency of shop, 24 hours: half took at most 150 ms, 95 of 100 at most 500 ms in the slowest hour',
    })
    .waitFor()
  expect(await marksOf(page, /^Attempts/)).toEqual(['succeeded true', 'failed true'])
  expect(await marksOf(page, /^Latency/)).toEqual(['p50 true', 'p95 true'])
  expect((await tableOf(page, 'Latency', 1)).at(-1)?.slice(1)).toEqual(['150 ms', '500 ms'])
  for (const [period, attempts] of [
    ['7 days', /^Attempts of shop, 7 days: 95 % of 1[4-6],\d00 attempts succeeded$/],
    ['30 days', 'Attempts of shop, 30 days: 95 % of 20,100 attempts succeeded'],
  ] as const) {
    await page.getByRole('radiogroup', { name: 'Period' }).getByRole('radio', { name: period }).check({ force: true })
    await page.getByRole('img', { name: attempts }).waitFor()
  }
})

it('latency has neither a line nor a number where nothing was sent', async ({ window: { page }, tenant, service }) => {
  await untilHourLasts()
  const webhook = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['*'] })
  await service.db.dedicatedPool.query(
    `insert into delivery_hours
     select $1, date_trunc('hour', now()) - n * interval '1 hour', $2::bigint, 100, 0, array_fill(0, array[7]) || array[100] || array_fill(0, array[12])
     from unnest(array[1, 5, 6]) n`,
    [tenant.id, webhook.id],
  )
  await signIn(page, tenant.key, `/webhooks/${webhook.id}`)
  const drawing = page.getByRole('img', { name: /^Latency of shop/ })
  const p50 = drawing.locator('[data-series="p50"]')
  // A line through two hours that follow each other, and a point for the one alone.
  await expect.poll(async () => ((await p50.locator('path').getAttribute('d')) ?? '').match(/M/g)?.length).toBe(2)
  expect([await p50.locator('circle').count(), await p50.locator('path').getAttribute('d')]).toEqual([
    1,
    expect.stringMatching(/^M[^MLZ]+L[^MLZ]+M[^MLZ]+Z?$/),
  ])
  const cells = (await tableOf(page, 'Latency', 1)).map((row) => row.slice(1))
  expect(cells.slice(-7)).toEqual([
    ['150 ms', '150 ms'],
    ['150 ms', '150 ms'],
    ['–', '–'],
    ['–', '–'],
    ['–', '–'],
    ['150 ms', '150 ms'],
    ['–', '–'],
  ])
  const reader = page.getByRole('slider', { name: /Latency/ })
  expect(await reader.getAttribute('aria-valuetext')).toMatch(/: p50 none, p95 none$/)
})

it('the numbers of an axis are not cut, however many digits they have', async ({ window: { page }, tenant, service }) => {
  await untilHourLasts()
  const webhook = await seed(tenant, '/webhooks', { name: 'slow', url: 'http://127.0.0.1:9/hook', events: ['*'] })
  await service.db.dedicatedPool.query(
    `insert into delivery_hours select $1, date_trunc('hour', now()), $2::bigint, 100, 0, array_fill(0, array[19]) || array[100]`,
    [tenant.id, webhook.id],
  )
  await signIn(page, tenant.key, `/webhooks/${webhook.id}`)
  const texts = page.getByRole('img', { name: /^Latency of slow/ }).locator('text')
  await texts
    .getByText(/\d\d,000 ms/)
    .first()
    .waitFor()
  const left = await texts.evaluateAll((found) => found.map((text) => (text as SVGTextElement).getBBox().x))
  expect(Math.min(...left)).toBeGreaterThanOrEqual(0)
})

it('the axis of large quantities is short and not cut; the reading and the table are exact', async ({
  window: { page },
  tenant,
}) => {
  const { id } = await seed(tenant, '/products', { name: 'Sugar', barcode: '1' })
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-01', quantity: 2_500_000_001 }] })
  await signIn(page, tenant.key, `/products/${id}`)
  const texts = page.getByRole('img', { name: /^Stock of Sugar, 90 days: now 2,500,000,001/ }).locator('text')
  await texts.getByText(/^2/).first().waitFor()
  const axis = await texts.evaluateAll((found) => found.map((text) => [text.textContent, (text as SVGTextElement).getBBox().x]))
  expect(axis.filter(([, x]) => Number(x) < 0)).toEqual([])
  expect(axis.slice(0, 4).map(([text]) => text)).toEqual(['0', '1B', '2B', '3B'])
  expect(await page.getByRole('slider', { name: 'Values of Stock over time' }).getAttribute('aria-valuetext')).toMatch(
    /: 2,500,000,001$/,
  )
  expect((await tableOf(page, 'Stock over time')).at(-1)?.[1]).toBe('2,500,000,001')
})

it('a chart is not drawn as that of another period while that is read', async ({ window: { page }, tenant, service }) => {
  const id = await newProduct(tenant)
  await spread(service, tenant)
  await signIn(page, tenant.key, `/products/${id}`)
  const drawing = (days: number) => page.getByRole('img', { name: new RegExp(`^Stock of Green tea, ${days} days`) })
  await drawing(90).waitFor()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/reports/stock?*', async (route) => {
    await released
    await route.continue()
  })
  const period = page.getByRole('radiogroup', { name: 'Period' }).getByRole('radio', { name: '365 days' })
  await period.check({ force: true })
  await drawing(90).waitFor({ state: 'detached' })
  expect(await drawing(365).count()).toBe(0)
  release()
  await drawing(365).waitFor()
})

it('usage: requests by their result, and what is called most', async ({ window: { page }, tenant, service }) => {
  await service.db.dedicatedPool.query(
    `insert into usage_hours select $1, date_trunc('hour', now()) - h * interval '1 hour', 1, operation, 100, 10, 5, 1
     from generate_series(1, 20) h, unnest(array['orders.list', 'orders.get']) operation`,
    [tenant.id],
  )
  // The second one as after a rotation.
  const keys = [await seed(tenant, '/api-keys', ERP), await seed(tenant, '/api-keys', ERP)]
  await service.db.dedicatedPool.query(
    `insert into usage_hours select $1, date_trunc('hour', now()), key.id, 'stock.adjust', 20 + place, 0, 0, 0
     from unnest($2::bigint[]) with ordinality as key(id, place)`,
    [tenant.id, keys.map(({ id }) => id)],
  )
  await signIn(page, tenant.key, '/usage')
  const name = /^Requests by result: 4,\d{3} requests, 8\d(\.\d)? % without an error$/
  await page.getByRole('img', { name }).waitFor()
  expect(await marksOf(page, name)).toEqual(['fine true', 'client true', 'limited true', 'server true'])
  const top = page.getByRole('table', { name: 'Most called' }).locator('tbody tr').first().getByRole('cell')
  expect((await top.allTextContents())[1]).toBe('2,000')
  const used = page.getByRole('table', { name: 'Most active keys' }).locator('tbody tr').filter({ hasText: 'ERP' })
  const keysAndRequests = (): Promise<(string | null)[][]> =>
    used.evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].slice(0, 2).map((cell) => cell.textContent)))
  // The names of the keys are another read.
  await expect.poll(keysAndRequests).toEqual([
    [`ERP (${keys[1].prefix}…)`, '22'],
    [`ERP (${keys[0].prefix}…)`, '21'],
  ])

  // A name that two have chooses none. The chosen one says which it is, also when it is chosen again.
  const key = page.getByRole('combobox', { name: 'Key' })
  await key.fill('ERP')
  await key.press('Enter')
  await page.getByRole('alert').getByText('No key, or more than one, is called ERP').waitFor()
  for (let times = 0; times < 2; times++) {
    await key.fill('ER')
    await page.getByRole('option', { name: keys[0].prefix }).click()
    await expect.poll(() => key.inputValue()).toBe(`ERP (${keys[0].prefix}…)`)
    await expect.poll(() => new URL(page.url()).searchParams.get('key_id')).toBe(String(keys[0].id))
  }
  await key.blur()
  expect(await page.getByRole('alert').count()).toBe(0)
})

it('axe finds nothing on charts with data and their tables, at phone and desk size, and nothing is cut', async ({
  window: { page },
  tenant,
  service,
}) => {
  const id = await newProduct(tenant)
  await spread(service, tenant)
  await seed(tenant, '/orders', {
    order_tenant_id: 'SHOP-1',
    assembly_date: dayIn(0),
    order_detail: [{ barcode: '1', quantity: 1 }],
  })
  const webhook = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['*'] })
  await service.db.dedicatedPool.query(
    `insert into delivery_hours select $1, date_trunc('hour', now()) - n * interval '1 hour', $2::bigint, 95, 5, array_fill(1, array[20]) from generate_series(0, 23) n`,
    [tenant.id, webhook.id],
  )
  await signIn(page, tenant.key, '/')
  const found: string[] = []
  for (const path of ['/', `/products/${id}`, '/picking', `/webhooks/${webhook.id}`]) {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      await resize(page, width)
      await page.emulateMedia({ colorScheme })
      await openScreen(page, path)
      await page.getByRole('button', { name: 'Show as table' }).first().click()
      const where = `${path} at ${width} px: `
      found.push(...(await axe(page)).map((violation) => where + violation))
      found.push(...(await layoutProblems(page)).map((problem) => where + problem))
    }
  }
  expect(found).toEqual([])
})

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { resize } from '../support/open-screen.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'

const shownIds = (page: Page): Promise<string[]> =>
  page.getByRole('table', { name: 'Events' }).getByRole('link').allTextContents()

/** On how many lines an id is written. */
const linesOf = (page: Page, id: string): Promise<number> =>
  page
    .getByRole('main')
    .locator('code', { hasText: id })
    .first()
    .evaluate((code) => Math.round(code.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(code).lineHeight)))

describe('the feed of events', () => {
  it('is newest first; new events wait until they are asked for', async ({ window, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await seed(tenant, '/products', { name: 'Coffee', barcode: '2' })
    const { page } = window
    await signIn(page, tenant.key, '/events')
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row')
    await rows.nth(2).waitFor()
    expect(await rows.nth(1).textContent()).toContain('Coffee')
    const before = await shownIds(page)

    await seed(tenant, '/products', { name: 'Cocoa', barcode: '3' })
    const show = page.getByRole('button', { name: 'Show new' })
    await show.waitFor()
    expect(await shownIds(page)).toEqual(before)
    await show.click()
    await rows.nth(3).waitFor()
    expect(await rows.nth(1).textContent()).toContain('Cocoa')
    await show.waitFor({ state: 'detached' })
  })

  it('has pages, filters that Back undoes, and the body of an event', async ({ window, tenant }) => {
    const products = Array.from({ length: 60 }, (_, index) => ({ name: `Tea ${index}`, barcode: String(index) }))
    await seed(tenant, '/products/bulk', { products })
    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-01', order_detail: [{ barcode: '1', quantity: 1 }] }
    await seed(tenant, '/orders', order)
    const { page } = window
    await signIn(page, tenant.key, '/events')
    await page.getByRole('link').first().waitFor()
    await expect.poll(() => shownIds(page)).toHaveLength(50)
    const first = await shownIds(page)
    expect(await page.getByRole('link', { name: first[0] ?? '', exact: true }).count()).toBe(1)
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(async () => (await shownIds(page)).length).toBe(11)
    const second = await shownIds(page)
    expect([...first, ...second].toSorted().toReversed()).toEqual([...first, ...second])
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => shownIds(page)).toEqual(first)

    await page.getByRole('button', { name: 'Topic' }).click()
    await page.getByRole('option', { name: 'order/created' }).click()
    await expect.poll(() => shownIds(page)).toHaveLength(1)
    expect(new URL(page.url()).searchParams.get('event')).toBe('order/created')
    await page.getByRole('table', { name: 'Events' }).getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Event order/created' }).waitFor()
    await page.getByRole('region', { name: 'Body' }).filter({ hasText: 'SHOP-1' }).waitFor()
    await page.getByRole('button', { name: 'Copy id' }).click()
    await expect.poll(() => clipboardOf(page)).toBe(page.url().split('/').at(-1))
    const heights: (readonly [number, number])[] = []
    for (const width of [390, 320]) {
      await resize(page, width)
      heights.push([width, await linesOf(page, page.url().split('/').at(-1) ?? '')])
    }
    await page.goBack()
    await page.goBack()
    await expect.poll(() => shownIds(page)).toHaveLength(50)
    heights.push([320, await linesOf(page, (await shownIds(page))[0] ?? '')])
    const [table, id] = await Promise.all(['table', 'code'].map((name) => page.locator(`main ${name}`).first().boundingBox()))
    expect((id?.x ?? 0) + (id?.width ?? 0)).toBeLessThanOrEqual((table?.x ?? 0) + (table?.width ?? 0))
    expect(heights).toEqual([
      [390, 1],
      [320, 1],
      [320, 1],
    ])
  })
})

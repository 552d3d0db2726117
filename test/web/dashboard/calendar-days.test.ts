import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it, type OpenWindow, type TestTenant } from '../support/browser.ts'
import { seed, signIn } from '../support/page-server.ts'

/** Moments at which the day is another one than in UTC: late on a Friday in Honolulu, and early on a Saturday in Sydney. */
const PLACES = [
  { timezoneId: 'Pacific/Honolulu', now: '2026-11-28T09:00:00Z', yesterday: '2026-11-26', today: '2026-11-27' },
  { timezoneId: 'Australia/Sydney', now: '2026-11-27T15:00:00Z', yesterday: '2026-11-27', today: '2026-11-28' },
]
type Place = (typeof PLACES)[number]

async function openAt(openWindow: OpenWindow, { timezoneId, now }: Place): Promise<Page> {
  const { page } = await openWindow({ timezoneId })
  await page.clock.setFixedTime(now)
  return page
}

async function newOrders(tenant: TestTenant, { yesterday, today }: Place): Promise<void> {
  await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
  for (const [order_tenant_id, assembly_date] of [
    ['LATE-1', yesterday],
    ['TODAY-1', today],
  ])
    await seed(tenant, '/orders', { order_tenant_id, assembly_date, order_detail: [{ barcode: '1', quantity: 1 }] })
}

describe.for(PLACES)('today in $timezoneId', (place) => {
  it('decides which orders are due and which are overdue', async ({ openWindow, tenant }) => {
    await newOrders(tenant, place)
    const page = await openAt(openWindow, place)
    await signIn(page, tenant.key, '/')
    const row = page.getByRole('table', { name: 'Due orders' }).locator('tbody tr')
    await row.waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual(['Pending', '1', '1'])
    await row.getByRole('link').nth(1).click()
    await page.getByRole('link', { name: 'LATE-1' }).waitFor()
    await page.getByText('1 order', { exact: true }).waitFor()

    await page.goto('/dashboard/picking')
    const ready = page.getByRole('table', { name: 'Ready' }).locator('tbody tr')
    await ready.nth(1).waitFor()
    expect(await ready.getByText('Overdue').count()).toBe(1)
    await ready.filter({ hasText: 'LATE-1' }).getByText('Overdue').waitFor()
  })

  it('is what a new order proposes as its assembly date', async ({ openWindow, tenant }) => {
    const page = await openAt(openWindow, place)
    await signIn(page, tenant.key, '/orders/new')
    expect(await page.getByLabel('Assembly date').inputValue()).toBe(place.today)
  })
})

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestTenant } from '../../support/service.ts'
import { seed } from './page-server.ts'
import { Scanner } from './scanner.ts'

export interface TestOperator {
  id: number
  name: string
  email: string
  badge: string
}

/** Creates an operator with a badge. */
export async function newOperator(tenant: TestTenant, name: string, fields: object = {}): Promise<TestOperator> {
  const email = `${name.toLowerCase()}@example.com`
  const { id } = await seed(tenant, '/operators', { name, email, ...fields })
  const { badge } = await seed(tenant, `/operators/${id}/badge`, {})
  return { id, name, email, badge }
}

/** A page of the scan app on a device, with a scanner. */
export interface Device {
  page: Page
  scanner: Scanner
  /** Outcomes that the operator heard, oldest first. */
  outcomes(): Promise<string[]>
  /** Scans, and waits for the outcome of exactly this scan. */
  scan(text: string, outcome?: string): Promise<void>
}

/** Opens the scan app on a page and enrols it. `origin` is that of the service for a page without a base URL. */
export async function enrol(page: Page, tenant: TestTenant, origin = ''): Promise<Device> {
  const { url } = await seed(tenant, '/devices/codes', { device_name: 'Handheld 3' })
  await page.goto(`${origin}/scan${new URL(url).hash}`)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'Scan your badge' }).waitFor()
  return await deviceOn(page)
}

/** The same, and signs the operator in. */
export async function enrolledDevice(page: Page, tenant: TestTenant, operator: TestOperator, origin = ''): Promise<Device> {
  const device = await enrol(page, tenant, origin)
  await device.scan(operator.badge)
  await page.getByRole('heading', { name: 'Orders to pick' }).waitFor()
  return device
}

/** The device of a page that shows the scan app. */
export async function deviceOn(page: Page): Promise<Device> {
  const scanner = await Scanner.at(page)
  // In the order in which the operator heard them: by its keys, a scan may have begun before the tap that it followed.
  const outcomes = (): Promise<string[]> =>
    page.evaluate(() =>
      performance
        .getEntriesByName('scan')
        .toSorted((one, other) => one.startTime + one.duration - other.startTime - other.duration)
        .map((entry) => (entry as PerformanceMeasure).detail.outcome as string),
    )
  const scan = async (text: string, outcome = 'taken'): Promise<void> => {
    const before = (await outcomes()).length
    await scanner.scan(text)
    await expect
      .poll(async () => (await outcomes()).slice(before), { message: `${text} is ${outcome}`, interval: 20 })
      .toEqual([outcome])
  }
  return { page, scanner, outcomes, scan }
}

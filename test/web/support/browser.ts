import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { it as serviceIt } from '../../support/shared-service.ts'
import type { TestTenant } from '../../support/service.ts'

export type { TestTenant }

/** A window of a browser on the dashboard, whose complaints fail the test. */
export interface Window {
  context: BrowserContext
  page: Page
  /** Lets the test go on in spite of complaints that match. */
  expectComplaint(pattern: RegExp): void
}

export type OpenWindow = (options?: BrowserContextOptions) => Promise<Window>

const CONTEXT: BrowserContextOptions = {
  locale: 'en-US',
  timezoneId: 'UTC',
  viewport: { width: 1280, height: 800 },
  permissions: ['clipboard-read', 'clipboard-write'],
}

/**
 * The `it` of tests of the pages: a window, and more of them with `openWindow`. A console error, a report of the
 * Content-Security-Policy, an unhandled rejection or a response of 5xx fails the test unless the test expects it.
 */
export const it = serviceIt
  .extend('openWindow', async ({ browser, service }, { onCleanup }): Promise<OpenWindow> => {
    const opened: { window: Window; complaints: string[]; expected: RegExp[] }[] = []
    onCleanup(async () => {
      for (const { window } of opened) await window.context.close()
      const unexpected = opened.flatMap(({ complaints, expected }) =>
        complaints.filter((complaint) => !expected.some((pattern) => pattern.test(complaint))),
      )
      expect(unexpected).toEqual([])
    })
    return async (options = {}) => {
      const context = await browser.newContext({ ...CONTEXT, baseURL: service.url, ...options })
      context.setDefaultTimeout(60_000)
      const page = await context.newPage()
      const expected: RegExp[] = []
      const window: Window = { context, page, expectComplaint: (pattern) => void expected.push(pattern) }
      opened.push({ window, complaints: complaintsOf(page), expected })
      return window
    }
  })
  .extend('window', async ({ openWindow }) => await openWindow())

function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${response.status()} ${response.url()}`)
  })
  return complaints
}

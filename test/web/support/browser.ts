import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { it as serviceIt } from '../../support/shared-service.ts'
import type { TestTenant } from '../../support/service.ts'
import { ReusableWindow } from './reusable-window.ts'

export type { TestTenant }

/** A window of a browser on the dashboard, whose complaints fail the test. */
export interface Window {
  context: BrowserContext
  page: Page
  /** Lets the test go on in spite of complaints that match. */
  expectComplaint(pattern: RegExp): void
}

export type OpenWindow = (options?: BrowserContextOptions) => Promise<Window>

const VIEWPORT = { width: 1280, height: 800 }
const CONTEXT: BrowserContextOptions = {
  locale: 'en-US',
  timezoneId: 'UTC',
  viewport: VIEWPORT,
  permissions: ['clipboard-read', 'clipboard-write'],
}

interface OpenedWindow {
  window: Window
  complaints: string[]
  expected: RegExp[]
  /** Undefined for a window with options of its own. */
  reusable: ReusableWindow | undefined
}

/**
 * What Chromium says of the requests that it gives up, also to the loopback interface, when an address of the machine comes or goes. A test can
 * neither expect nor prevent this: `vitest.config.ts` has it run again.
 */
const NETWORK_CHANGED = 'net::ERR_NETWORK_CHANGED'

/**
 * The `it` of tests of the pages: a window, and more of them with `openWindow`. A console error, a report of the
 * Content-Security-Policy, an unhandled rejection or a response of 5xx fails the test unless the test expects it.
 */
export const it = serviceIt
  .extend('openWindow', async ({ browser, service }, { onCleanup }): Promise<OpenWindow> => {
    const opened: OpenedWindow[] = []
    onCleanup(async () => {
      for (const { window, reusable } of opened) if ((await reusable?.giveBack()) !== true) await window.context.close()
      const unexpected = opened.flatMap(({ complaints, expected }) =>
        complaints.filter(
          (complaint) => complaint.includes(NETWORK_CHANGED) || !expected.some((pattern) => pattern.test(complaint)),
        ),
      )
      expect(unexpected, unexpected.join('\n')).toEqual([])
    })
    const openNew = async (options: BrowserContextOptions): Promise<Pick<Window, 'context' | 'page'>> => {
      const context = await browser.newContext({ ...CONTEXT, baseURL: service.url, ...options })
      context.setDefaultTimeout(60_000)
      return { context, page: await context.newPage() }
    }
    return async (options) => {
      const reusable =
        options === undefined
          ? (ReusableWindow.take(browser, service.url) ?? new ReusableWindow(await openNew({}), VIEWPORT))
          : undefined
      const { context, page } = reusable ?? (await openNew(options ?? {}))
      const expected: RegExp[] = []
      const window: Window = { context, page, expectComplaint: (pattern) => void expected.push(pattern) }
      opened.push({ window, complaints: complaintsOf(page), expected, reusable })
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
  page.context().on('requestfailed', (request) => {
    if (request.failure()?.errorText === NETWORK_CHANGED) complaints.push(`${NETWORK_CHANGED} ${request.url()}`)
  })
  return complaints
}

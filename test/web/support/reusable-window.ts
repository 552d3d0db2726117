import type { Browser, BrowserContext, Page } from 'playwright-core'

/** What a test may change in a window without a way back. */
const LASTING = [
  'addInitScript',
  'exposeBinding',
  'exposeFunction',
  'grantPermissions',
  'newCDPSession',
  'route',
  'routeWebSocket',
  'setExtraHTTPHeaders',
  'setOffline',
]
/** What tests listen to. Playwright itself waits for `close`. */
const EVENTS = ['console', 'dialog', 'pageerror', 'request', 'requestfailed', 'requestfinished', 'response']
/** What a page of the origin may have stored, but what belongs to the tab. */
const STORED = 'cookies,local_storage,indexeddb,cache_storage,service_workers'
/** A page of the origin without scripts: to another origin the browser would take another process. */
const NOTHING = '/healthz'

let spare: ReusableWindow | undefined

const keep = (window: ReusableWindow): void => void (spare = window)

/**
 * A window that goes from test to test in a process, as empty as a new one. The browser keeps the page's process, with the compiled scripts:
 * this saves a third of a second of processor time for each test. A window in which a test did something lasting is not given back.
 */
export class ReusableWindow {
  readonly context: BrowserContext
  readonly page: Page
  readonly #viewport: { width: number; height: number }
  #isLasting = false

  constructor({ context, page }: { context: BrowserContext; page: Page }, viewport: { width: number; height: number }) {
    this.context = context
    this.page = page
    this.#viewport = viewport
    const notice = (target: object, names: readonly string[]): void => {
      const methods = target as Record<string, ((...args: unknown[]) => unknown) | undefined>
      for (const name of names) {
        const method = methods[name]
        if (method === undefined) continue
        methods[name] = (...args) => {
          this.#isLasting = true
          return method.apply(target, args)
        }
      }
    }
    for (const target of [context, page]) notice(target, LASTING)
    notice(context.clock, ['install', 'pauseAt', 'setFixedTime', 'setSystemTime'])
  }

  /** A window that was given back, of this browser and on this service. */
  static take(browser: Browser, origin: string): ReusableWindow | undefined {
    const taken = spare
    if (taken === undefined || taken.context.browser() !== browser || !taken.page.url().startsWith(origin)) return undefined
    spare = undefined
    return taken
  }

  /** Empties the window for the next test. Returns false if it has to be closed. */
  async giveBack(): Promise<boolean> {
    const { context, page } = this
    if (spare !== undefined || this.#isLasting || page.isClosed() || context.serviceWorkers().length > 0) return false
    try {
      for (const event of EVENTS) {
        page.removeAllListeners(event)
        context.removeAllListeners(event)
      }
      for (const other of context.pages()) if (other !== page) await other.close()
      await page.goto(NOTHING, { timeout: 10_000 })
      await page.mouse.move(-1, -1)
      await page.evaluate(() => sessionStorage.clear())
      await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: null, contrast: null })
      await page.setViewportSize(this.#viewport)
      const session = await context.newCDPSession(page)
      await session.send('Storage.clearDataForOrigin', { origin: new URL(page.url()).origin, storageTypes: STORED })
      await session.send('Page.resetNavigationHistory')
      await session.detach()
      await context.clearCookies()
    } catch {
      // The service has stopped, or the page holds on to what it shows.
      return false
    }
    this.#isLasting = false
    keep(this)
    return true
  }
}

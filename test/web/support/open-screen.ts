import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/** Opens a screen of the dashboard, and waits until it has read what it shows: `networkidle` would wait half a second more. */
export const openScreen = (page: Page, address: string): Promise<void> =>
  untilRead(page, address, async () => void (await page.goto(`/dashboard${address}`)))

/**
 * Goes from one screen of the dashboard to another as a link does, and waits like `openScreen`. The page is not loaded anew, which costs three
 * times as much; `names.test.ts` loads each screen.
 */
export const goToScreen = (page: Page, address: string): Promise<void> =>
  untilRead(page, address, async () => {
    const isOpen = await page.evaluate(() => '__TSR_ROUTER__' in globalThis)
    if (!isOpen) await page.goto(`/dashboard${address}`)
    else
      await page.evaluate(async (href) => {
        const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__: Router }
        await router.navigate({ href })
        // The router has drawn the screen.
        while (router.state.status !== 'idle' || router.state.resolvedLocation?.href !== router.state.location.href)
          await new Promise((resolve) => setTimeout(resolve, 5))
      }, `/dashboard${address}`)
  })

/** The same, by way of another screen: what was opened on the screen is closed, and what it shows is read again. */
export async function goToScreenAfresh(page: Page, address: string): Promise<void> {
  await goToScreen(page, '/locations/labels')
  await goToScreen(page, address)
}

/** What the dashboard's router puts into the page for its developer tools. */
interface Router {
  navigate(to: { href: string }): Promise<void>
  state: { status: string; location: { href: string }; resolvedLocation?: { href: string } }
}

async function untilRead(page: Page, address: string, go: () => Promise<void>): Promise<void> {
  const underWay = new Set<Request>()
  const begin = (request: Request): void => void underWay.add(request)
  const end = (request: Request): void => void underWay.delete(request)
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  await go()
  await page.getByRole('heading', { level: 1 }).waitFor()
  const unread = async (): Promise<number> => underWay.size + (await page.locator('[aria-busy=true]').count())
  await expect
    .poll(
      async () => {
        const before = await unread()
        // What was read is drawn, and may have more to read.
        await twoFrames(page)
        return before + (await unread())
      },
      { message: `${address} is read`, interval: 20 },
    )
    .toBe(0)
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end)
}

/** Waits until what was changed is drawn. */
export const twoFrames = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/**
 * Gives the window this size, and waits until the page is drawn in it: a media query that scripts watch changes with the next frame, and what
 * they then draw comes with the one after.
 */
export async function resize(page: Page, width: number, height = 800): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.waitForFunction((wanted) => innerWidth === wanted, width)
  await twoFrames(page)
}

import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/** Opens a screen of the dashboard, and waits until it has read what it shows: `networkidle` would wait half a second more. */
export async function openScreen(page: Page, address: string): Promise<void> {
  const underWay = new Set<Request>()
  const begin = (request: Request): void => void underWay.add(request)
  const end = (request: Request): void => void underWay.delete(request)
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  await page.goto(`/dashboard${address}`)
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

import type { Locator } from 'playwright-core'

/** A click as with a mouse: the pointer comes first, and the page has time to act on it. */
export async function clickSlowly(target: Locator): Promise<void> {
  await target.hover()
  const page = target.page()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await target.click()
}

import type { Page, Route } from 'playwright-core'

/** Holds the first request of this kind; `end` lets it go on, or does this with it. */
export async function hold(page: Page, method: string, url: string) {
  const held = Promise.withResolvers<Route>()
  let hasHeld = false
  await page.route(url, (route) => {
    if (hasHeld || route.request().method() !== method) return route.continue()
    hasHeld = true
    held.resolve(route)
    return undefined
  })
  return {
    isHeld: held.promise,
    end: async (how: (route: Route) => Promise<unknown> = (route) => route.continue()) => how(await held.promise),
  }
}

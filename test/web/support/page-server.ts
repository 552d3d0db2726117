import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { TestTenant } from '../../support/service.ts'

const BUILT = new URL('../../../web/dist/dashboard/index.html', import.meta.url)

/**
 * Signs in with a key, and opens the screen at this address, if any. The sign-in screen is left out: it has tests of its own, and opening it
 * costs as much as many a test.
 */
export async function signIn(page: Page, key: string, path?: string): Promise<void> {
  if (!existsSync(BUILT)) throw new Error('The pages are not built: run npm run build')
  const headers = { 'sec-fetch-site': 'same-origin', 'x-page': 'dashboard' }
  const response = await page.context().request.post('/dashboard/session', { data: { key }, headers })
  if (!response.ok()) throw new Error(`the sign-in was refused: ${await response.text()}`)
  if (path === undefined) return
  await page.goto(`/dashboard${path}`)
  await page
    .getByRole('navigation', { name: 'Main' })
    .or(page.getByRole('button', { name: 'Menu' }))
    .first()
    .waitFor()
}

/** What the clipboard holds. */
export const clipboardOf = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

/** Creates records over the API; fails when the service refuses them. */
export async function seed(tenant: TestTenant, path: string, body: unknown, method = 'POST') {
  const answer = await tenant.request(method, path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

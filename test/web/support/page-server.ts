import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { TestTenant } from '../../support/service.ts'

const BUILT = new URL('../../../web/dist/dashboard/index.html', import.meta.url)

/** Signs in with a key, and waits for the screen at this address. */
export async function signIn(page: Page, key: string, path = '/'): Promise<void> {
  if (!existsSync(BUILT)) throw new Error('The pages are not built: run npm run build')
  const next = path === '/' ? '' : `?next=${encodeURIComponent(path)}`
  await page.goto(`/dashboard/sign-in${next}`)
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
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

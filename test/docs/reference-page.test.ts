import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { request } from 'undici'
import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'

const MAX_BYTES = 600_000
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const

/** `it` with `openReference`, and `get` for the files of the reference. */
const it = base
  .extend(
    'openReference',
    async ({ browser, service }) =>
      () =>
        openReference(browser, service.url),
  )
  .extend('get', async ({ service }) => async (path: string, headers: Record<string, string>) => {
    const { statusCode, headers: received, body } = await request(`${service.url}${path}`, { headers })
    return { statusCode, headers: received, body: Buffer.from(await body.arrayBuffer()) }
  })

/** An open page. `faults` are script errors, violations of the content security policy, and requests to other servers. */
interface Opened {
  page: Page
  faults: string[]
  /** Bytes of all response bodies so far, compressed. */
  bytes: () => Promise<number>
}

async function openReference(browser: Browser, origin: string): Promise<Opened> {
  const context = await browser.newContext({ viewport: SIZES[0] })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const faults: string[] = []
  const sizes: Promise<number>[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (sent) => {
    if (!sent.url().startsWith(origin) && !sent.url().startsWith('data:')) faults.push(`request to ${sent.url()}`)
  })
  page.on('response', (response) => {
    sizes.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize }) => responseBodySize),
    )
  })
  await page.goto(`${origin}/docs`)
  await operation(page, 'List products').waitFor()
  return { page, faults, bytes: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) }
}

const operation = (page: Page, summary: string) => page.locator('.opblock').filter({ hasText: summary }).first()

async function expand(page: Page, summary: string): Promise<void> {
  await operation(page, summary).locator('.opblock-summary-control').click()
  await operation(page, summary).locator('.responses-table').first().waitFor()
}

const overflow = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth - innerWidth')

/** Time limit for a page that draws a hundred operations on a busy machine. */
const PATIENCE_MS = 120_000

it(
  'the reference comes from this server alone, fits windows of 390 and 1,280 px, calls with a key, and forgets it',
  { timeout: 2 * PATIENCE_MS },
  async ({ tenant, openReference }) => {
    await tenant.request('POST', '/products', { name: 'Seen here', barcode: 'seen' })
    const { page, faults, bytes } = await openReference()
    const expectFit = async (): Promise<void> => {
      for (const { width, height } of SIZES) {
        await page.setViewportSize({ width, height })
        expect([width, Math.max(0, await overflow(page))]).toEqual([width, 0])
      }
    }
    await expectFit()
    const received = await bytes()
    expect(received).toBeGreaterThan(100_000)
    expect(received).toBeLessThan(MAX_BYTES)
    for (const summary of ['Create orders', 'List products']) await expand(page, summary)
    await expectFit()

    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    await page.locator('.auth-container input').fill(tenant.key)
    await page.getByRole('button', { name: 'Apply credentials' }).click()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    expect((await callListProducts(page)).status()).toBe(200)
    await operation(page, 'List products').getByText('"Seen here"').first().waitFor()
    await expectFit()
    expect(faults).toEqual([])
    expect(await storedText(page)).not.toContain(tenant.key)

    // An earlier version of the page stored keys like this.
    await page.evaluate(`localStorage.setItem('authorized', ${JSON.stringify(tenant.key)})`)
    await page.reload()
    // The URL names the operation, so the page opens it immediately.
    await operation(page, 'List products').locator('.responses-table').first().waitFor()
    expect(await storedText(page)).toBe('')
    expect((await callListProducts(page)).status()).toBe(401)

    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="globalThis.wasRun = true">')`)
    await expect(page.evaluate(`document.createElement('script').text = 'globalThis.wasRun = true'`)).rejects.toThrow(
      /TrustedScript/,
    )
    expect(await page.evaluate(`document.querySelector('img[src="data:,"]').outerHTML`)).not.toContain('onerror')
    await page.context().close()
  },
)

async function callListProducts(page: Page) {
  const list = operation(page, 'List products')
  await list.getByRole('button', { name: 'Try it out' }).click()
  const response = page.waitForResponse((response) => response.url().includes('/api/v1/products'))
  await list.getByRole('button', { name: 'Execute' }).click()
  return response
}

/** All data that the browser stores for the page. */
const storedText = (page: Page): Promise<string> =>
  page.evaluate(`[...Object.entries(localStorage), ...Object.entries(sessionStorage), document.cookie].flat().join('')`)

describe('the files of the reference', () => {
  const PATHS = ['/docs', '/docs/start.js', '/docs/assets/swagger-ui-bundle.js', '/docs/assets/swagger-ui.css', '/openapi.json']

  it('are compressed as the caller accepts, and the same in any encoding', async ({ get }) => {
    for (const path of PATHS) {
      const plain = await get(path, { 'accept-encoding': 'identity' })
      expect(plain.headers['content-encoding'], path).toBeUndefined()
      for (const [accepted, encoding, decode] of [
        ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
        ['br;q=0, gzip', 'gzip', gunzipSync],
      ] as const) {
        const response = await get(path, { 'accept-encoding': accepted })
        expect(response.headers, `${path} ${accepted}`).toMatchObject({ 'content-encoding': encoding, etag: plain.headers.etag })
        expect(String(response.headers.vary)).toContain('Accept-Encoding')
        expect(decode(response.body).equals(plain.body), `${path} ${accepted}`).toBe(true)
      }
    }
  })

  it('are not sent again to those that have them', async ({ get }) => {
    for (const path of PATHS) {
      const { headers } = await get(path, {})
      const again = await get(path, { 'if-none-match': `"other", ${String(headers.etag)}` })
      expect([again.statusCode, again.body.length], path).toEqual([304, 0])
      expect((await get(path, { 'if-none-match': '"other"' })).statusCode, path).toBe(200)
    }
  })

  it('come with a policy that allows nothing inline and nothing from elsewhere', async ({ get }) => {
    const policy = String((await get('/docs', {})).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })
})

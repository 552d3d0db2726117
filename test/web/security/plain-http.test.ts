import { expect } from 'vitest'
import { isBrowserSkipped, launchBrowser } from '../../support/browser.ts'
import { it } from '../../support/it.ts'

const PUBLIC_URL = 'http://stock.example'

it.skipIf(isBrowserSkipped)(
  'on plain HTTP off loopback each screen says Not encrypted, and copying selects the text',
  async ({ startService, onTestFinished }) => {
    const service = await startService({ publicUrl: PUBLIC_URL })
    const { key } = await service.newTenant()
    const browser = await launchBrowser([`--host-resolver-rules=MAP stock.example:80 ${new URL(service.url).host}`])
    onTestFinished(() => browser.close())
    const page = await (await browser.newContext({ baseURL: PUBLIC_URL })).newPage()
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))

    await page.goto('/dashboard/sign-in')
    const notice = page.getByText('Not encrypted', { exact: true })
    await notice.waitFor()
    // In the page: Node does not resolve this host.
    await page.getByRole('textbox', { name: 'API key' }).fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    for (const name of ['Orders', 'Audit']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      expect(await notice.isVisible()).toBe(true)
    }
    await page.getByRole('table', { name: 'Audit' }).waitFor()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const text = page.getByRole('dialog', { name: 'Copy this text' }).getByRole('textbox', { name: 'Text' })
    await text.waitFor()
    const selected = await page.evaluate(() => String(getSelection()))
    expect(selected).toBe(await text.inputValue())
    expect(selected).toMatch(/^curl 'http:\/\/stock\.example\/api\/v1\/audit-log/)
    expect(complaints).toEqual([])
  },
)

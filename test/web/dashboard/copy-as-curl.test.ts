import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it } from '../support/browser.ts'
import { goToScreen } from '../support/open-screen.ts'
import { clipboardOf, seed, signIn } from '../support/page-server.ts'
import { fillScreens, SCREENS } from '../support/screens.ts'

/** What the screen reads first, below /api/v1; for a form, what it sends. */
const MAIN: [screen: RegExp, call: string][] = [
  [/^\/$/, 'GET /products?'],
  [/^\/(products|stock)\/import$/, 'POST /$1/bulk/check'],
  [/^\/(orders|products|inbound|returns|counts|webhooks)\/new$/, 'POST /$1'],
  [/^\/keys\/new$/, 'POST /api-keys'],
  [/^\/reservations$/, 'GET /stock/reservations?'],
  [/^\/reservations\?show=holds$/, 'GET /holds?'],
  [/^\/movements$/, 'GET /stock/movements?'],
  [/^\/picking$/, 'GET /flows?state=started'],
  [/^\/picking\/batches\/(\d+)$/, 'GET /flow-batches/$1'],
  [/^\/picking\/(\d+)$/, 'GET /flows/$1'],
  [/^\/locations\/labels$/, 'GET /locations?'],
  [/^\/keys(.*)$/, 'GET /api-keys$1'],
  [/^\/devices$/, 'GET /sessions'],
  [/^\/usage$/, 'GET /reports/usage?'],
  [/^\/audit$/, 'GET /audit-log?'],
  [/^\/reconcile$/, 'GET /stock/reconcile?'],
  [/^\/webhooks\/\d+\/deliveries\/(.+)$/, 'GET /webhooks/deliveries/$1'],
  [/^(.*)$/, 'GET $1'],
]

const callOf = (screen: string): string => {
  const [pattern, call] = MAIN.find(([of]) => of.test(screen)) ?? [/^$/, '']
  return screen.replace(pattern, call)
}

it('Copy as curl is on every screen: what it reads, the main read first, one command a line', async ({
  window: { page },
  tenant,
}) => {
  // The sheet of command barcodes reads nothing.
  const screens = [...SCREENS, ...(await fillScreens(tenant))].filter((path) => path !== '/devices/commands')
  await signIn(page, tenant.key)
  const others: string[] = []
  for (const screen of screens) {
    await goToScreen(page, screen)
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await page.getByRole('main').getByRole('button', { name: 'Copy as curl' }).first().click()
    await expect.poll(() => clipboardOf(page), { message: screen }).not.toBe('')
    const commands = (await clipboardOf(page)).split('\n')
    const [method, path] = callOf(screen).split(' ')
    const start = `curl ${method === 'GET' ? '' : `-X ${method} `}'${tenant.url}/api/v1${path}`
    if (commands[0]?.startsWith(start) !== true) others.push(`${screen}: ${commands[0]}`)
    const isWhole = commands.every((command) => command.includes(`' -H "X-API-Key: $FULFILLMENT_API_KEY"`))
    if (!isWhole || commands.join().includes(tenant.key)) others.push(`${screen}: ${commands.join(' and ')}`)
  }
  expect(others).toEqual([])
})

describe('what cannot be sent leaves the clipboard as it is, and why is told', () => {
  const noNumber = 'This is not a number: write it as 1234.5, with a point and no commas'

  it('a form whose number is none, in the words of the button that sends it', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/products/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Tea')
    await page.getByRole('spinbutton', { name: 'Price' }).fill('12,50')
    await copyNothing(page, `Nothing was copied. Price: ${noNumber}`)
    await page.getByRole('button', { name: 'Create product' }).click()
    await page.getByText(noNumber, { exact: true }).waitFor()
    await page.getByRole('spinbutton', { name: 'Price' }).fill('12.50')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await expect.poll(() => clipboardOf(page)).toContain('"price":12.5')
  })

  it('a dialog whose number is none', async ({ window: { page }, tenant }) => {
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await signIn(page, tenant.key, `/products/${id}`)
    await page.getByRole('button', { name: 'Adjust stock' }).click()
    await page.getByRole('spinbutton', { name: 'Change' }).fill('1,5')
    await copyNothing(page, `Nothing was copied. Change: ${noNumber}`)
  })

  it('a screen whose address has no id', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders/abc')
    await page.getByText('Order abc does not exist').waitFor()
    await copyNothing(page, 'Nothing was copied: this screen sends no request')
  })
})

async function copyNothing(page: Page, why: string): Promise<void> {
  await page.evaluate(() => navigator.clipboard.writeText('keep'))
  await page.getByRole('button', { name: 'Copy as curl' }).last().click()
  await page.getByRole('status').getByText(/cop/i).waitFor()
  expect([await page.getByRole('status').textContent(), await clipboardOf(page)]).toEqual([why, 'keep'])
}

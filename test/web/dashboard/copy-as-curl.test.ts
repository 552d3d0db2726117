import { expect } from 'vitest'
import { it } from '../support/browser.ts'
import { goToScreen } from '../support/open-screen.ts'
import { clipboardOf, signIn } from '../support/page-server.ts'
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

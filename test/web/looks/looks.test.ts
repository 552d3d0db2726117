import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { it } from '../support/browser.ts'
import { coloursOf } from '../support/colours.ts'
import { layoutProblems } from '../support/layout.ts'
import { goToScreen, openScreen, resize } from '../support/open-screen.ts'
import { signIn } from '../support/page-server.ts'
import { fillScreens, SCREENS } from '../support/screens.ts'

/** For people to look at. Not committed. */
const OUT = path.join(import.meta.dirname, 'out')
/** Any text has more colours than this, by its antialiased edges. */
const FEW_COLOURS = 16

/** Of a test that opens every screen at each width and in each scheme, on a machine that others use too. */
const timeout = 300_000

const nameOf = (address: string): string =>
  address
    .slice(1)
    .replaceAll(/\/(?:evt_|dlv_)?[\w-]*\d[\w-]*/g, '-one')
    .replaceAll('/', '-') || 'home'

/** Writes screenshots of the screen in light and dark, wide and narrow. Returns what is wrong with them. */
async function look(page: Page, address: string): Promise<string[]> {
  const found: string[] = []
  for (const width of [1280, 320]) {
    await resize(page, width)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const picture = await page.screenshot()
      await writeFile(path.join(OUT, `${nameOf(address)}-${width}-${colorScheme}.png`), picture)
      if ((await coloursOf(page, picture)) < FEW_COLOURS) found.push(`${address} at ${width} px, ${colorScheme}: shows nothing`)
    }
    found.push(...(await layoutProblems(page)).map((problem) => `${address} at ${width} px: ${problem}`))
  }
  return found
}

it(
  'A2: no screen is blank, scrolls sideways, or cuts or overlaps its texts',
  { timeout },
  async ({ window: { page }, tenant }) => {
    await mkdir(OUT, { recursive: true })
    const addresses = [...SCREENS, ...(await fillScreens(tenant))]
    await page.goto('/dashboard/sign-in')
    await page.getByRole('heading').waitFor()
    const found = await look(page, '/sign-in')
    await signIn(page, tenant.key)
    for (const address of addresses) {
      await goToScreen(page, address)
      found.push(...(await look(page, address)))
    }
    expect(found).toEqual([])
  },
)

it('A2: a screen that shows nothing is found, though its texts are there', async ({ window: { page }, tenant }) => {
  await mkdir(OUT, { recursive: true })
  await signIn(page, tenant.key, '/orders')
  await openScreen(page, '/orders')
  await page.evaluate(() => document.querySelector('main')?.style.setProperty('filter', 'opacity(0)'))
  expect(await look(page, '/nothing')).toEqual(
    ['1280 px, light', '1280 px, dark', '320 px, light', '320 px, dark'].map((at) => `/nothing at ${at}: shows nothing`),
  )
})

it.for([
  [390, 40],
  [360, 40],
  [320, 24],
] as const)(
  'A2: on a phone of %d px the banner has one row, in which the name of the tenant has room',
  async ([width, nameWidth], { window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders')
    const banner = page.getByRole('banner')
    await resize(page, width, 700)
    await banner.getByRole('button', { name: 'Menu' }).waitFor()
    expect(await rowsOf(banner)).toHaveLength(1)
    expect((await banner.boundingBox())?.height).toBeLessThan(60)
    expect((await banner.getByText('test tenant').boundingBox())?.width).toBeGreaterThan(nameWidth)
    for (const role of ['button', 'radio'] as const) {
      for (const part of await banner.getByRole(role).all()) {
        const box = await part.boundingBox()
        const name = await part.getAttribute('aria-label')
        expect([name, (box?.x ?? 0) + (box?.width ?? 0) <= width]).toEqual([name, true])
        if (role === 'button') expect([name, (box?.width ?? 0) >= 32]).toEqual([name, true])
      }
    }
  },
)

/** The buttons of each row, by the height of their middle. */
async function rowsOf(banner: Locator): Promise<string[][]> {
  const rows = new Map<number, string[]>()
  for (const button of await banner.getByRole('button').all()) {
    const { y = 0, height = 0 } = (await button.boundingBox()) ?? {}
    const middle = Math.round(y + height / 2)
    rows.set(middle, [...(rows.get(middle) ?? []), (await button.getAttribute('aria-label')) ?? ''])
  }
  return [...rows.values()]
}

import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { it } from '../support/browser.ts'
import { openScreen, resize } from '../support/open-screen.ts'
import { signIn } from '../support/page-server.ts'
import { photograph } from './photograph.ts'

it('a screen that shows nothing is found, though its texts are there', async ({ window: { page }, tenant }) => {
  await signIn(page, tenant.key, '/orders')
  await openScreen(page, '/orders')
  await page.evaluate(() => document.querySelector('main')?.style.setProperty('filter', 'opacity(0)'))
  for (const width of [1280, 320]) {
    await resize(page, width)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect([width, colorScheme, await photograph(page, '/nothing', width, colorScheme)]).toEqual([
        width,
        colorScheme,
        ['shows nothing'],
      ])
    }
  }
})

it.for([
  [390, 40],
  [360, 40],
  [320, 24],
] as const)(
  'on a phone of %d px the banner has one row, in which the name of the tenant has room',
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

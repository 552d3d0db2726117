import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { it } from '../support/browser.ts'
import { layoutProblems } from '../support/layout.ts'
import { openScreen } from '../support/open-screen.ts'
import { signIn } from '../support/page-server.ts'
import { fillScreens, SCREENS } from '../support/screens.ts'

/** For people to look at. Not committed. */
const OUT = path.join(import.meta.dirname, 'out')
/** A picture of one colour is smaller. */
const BLANK_BYTES = 4_000

const nameOf = (address: string): string =>
  address
    .slice(1)
    .replaceAll(/\/(?:evt_|dlv_)?[\w-]*\d[\w-]*/g, '-one')
    .replaceAll('/', '-')

/** Writes screenshots of the screen in light and dark, wide and narrow. Returns what is wrong with them. */
async function look(page: Page, address: string): Promise<string[]> {
  const found: string[] = []
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const picture = await page.screenshot()
      await writeFile(path.join(OUT, `${nameOf(address)}-${width}-${colorScheme}.png`), picture)
      if (picture.length < BLANK_BYTES) found.push(`${address} at ${width} px, ${colorScheme}: is blank`)
    }
    found.push(...(await layoutProblems(page)).map((problem) => `${address} at ${width} px: ${problem}`))
  }
  return found
}

it('A2: no screen is blank, scrolls sideways, or cuts or overlaps its texts', async ({ window: { page }, tenant }) => {
  await mkdir(OUT, { recursive: true })
  const addresses = [...SCREENS, ...(await fillScreens(tenant))]
  await page.goto('/dashboard/sign-in')
  await page.getByRole('heading').waitFor()
  const found = await look(page, '/sign-in')
  await signIn(page, tenant.key)
  for (const address of addresses) {
    await openScreen(page, address)
    found.push(...(await look(page, address)))
  }
  expect(found).toEqual([])
})

it('A2: on a phone the banner has one row, in which the name of the tenant can be read', async ({ window: { page }, tenant }) => {
  await page.setViewportSize({ width: 390, height: 700 })
  await signIn(page, tenant.key, '/orders')
  const banner = await page.getByRole('banner').boundingBox()
  expect(banner?.height).toBeLessThan(60)
  const name = page.getByRole('banner').getByText('test tenant')
  expect((await name.boundingBox())?.width).toBeGreaterThan(40)
  for (const role of ['button', 'radio'] as const) {
    for (const part of await page.getByRole('banner').getByRole(role).all()) {
      const box = await part.boundingBox()
      expect([await part.getAttribute('aria-label'), (box?.x ?? 0) + (box?.width ?? 0) <= 390]).toEqual([
        await part.getAttribute('aria-label'),
        true,
      ])
    }
  }
})

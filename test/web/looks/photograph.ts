import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { coloursOf } from '../support/colours.ts'

/** Pictures for people to look at. Not committed. */
const OUT = path.join(import.meta.dirname, 'out')
/** Any text has more colours than this, by its antialiased edges. */
const FEW_COLOURS = 16

const nameOf = (address: string): string =>
  address
    .slice(1)
    .replaceAll(/\/(?:evt_|dlv_)?[\w-]*\d[\w-]*/g, '-one')
    .replaceAll('/', '-') || 'home'

/** Writes a screenshot of the screen as it is now. Returns what is wrong with it. */
export async function photograph(page: Page, address: string, width: number, colorScheme: string): Promise<string[]> {
  const picture = await page.screenshot()
  await mkdir(OUT, { recursive: true })
  await writeFile(path.join(OUT, `${nameOf(address)}-${width}-${colorScheme}.png`), picture)
  return (await coloursOf(page, picture, FEW_COLOURS)) < FEW_COLOURS ? ['shows nothing'] : []
}

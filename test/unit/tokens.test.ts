import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const WEB = fileURLToPath(new URL('../../web/', import.meta.url))
const COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(/gi

it('the style sheets of the pages take their colours from the tokens', async () => {
  const found: string[] = []
  for await (const file of glob('{dashboard,scan}/**/*.css', { cwd: WEB })) {
    const css = readFileSync(WEB + file, 'utf8').replaceAll(/@supports[^{]*/g, '')
    for (const [colour] of css.matchAll(COLOUR)) found.push(`${file}: ${colour}`)
  }
  expect(found).toEqual([])
})

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const TOKENS = readFileSync(new URL('../../web/shared/tokens.css', import.meta.url), 'utf8')

const TEXT = 4.5
const PARTS = 3

type Scheme = 'light' | 'dark'

const COLOURS = new Map(
  [...TOKENS.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
)

const SURFACES = ['surface-1', 'surface-2', 'surface-3']
const TINTED = ['accent-surface', 'ok-surface', 'warn-surface', 'bad-surface']
const STATES = ['state-1', 'state-2', 'state-3', 'state-5', 'state-7']

/** What is written on what. */
const TEXTS: [text: string, grounds: string[]][] = [
  ['text-1', [...SURFACES, ...TINTED]],
  ['text-2', [...SURFACES, ...TINTED]],
  ['text-3', ['surface-1', 'surface-2', 'warn-surface']],
  ['on-accent', ['accent']],
  ['on-success', ['success']],
  ['on-alarm', ['alarm']],
  ['ink', ['paper']],
  ['accent', ['surface-1', 'surface-2', 'surface-3', 'accent-surface', 'warn-surface']],
  ['ok', ['surface-1', 'surface-2', 'ok-surface', 'warn-surface']],
  ['warn', ['surface-1', 'surface-2', 'warn-surface']],
  ['bad', ['surface-1', 'surface-2', 'bad-surface', 'warn-surface']],
  ...STATES.map((state): [string, string[]] => [state, ['surface-1', 'surface-2', 'warn-surface']]),
]

/** Edges of fields and the ring around what has the focus. */
const EDGES: [part: string, grounds: string[]][] = [
  ['field-line', ['surface-1', 'surface-2']],
  ['focus', [...SURFACES, ...TINTED]],
  ['paper-line', ['paper']],
]

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

const colour = (name: string, scheme: Scheme): string => {
  const found = COLOURS.get(name)
  if (found === undefined) throw new Error(`tokens.css has no colour --${name}`)
  return found[scheme]
}

/** Of print and signals: they are the same in both schemes, and stand on each other alone. */
const FIXED = new Set(['paper', 'paper-line', 'ink', 'success', 'on-success', 'alarm', 'on-alarm'])
/** Colours neither of texts nor of what is behind them. */
const LINES = new Set(['line', 'field-line', 'backdrop', 'shadow'])

const tooWeak = (pairs: [string, string[]][], least: number, scheme: Scheme): string[] =>
  pairs.flatMap(([front, grounds]) =>
    grounds
      .map((ground) => ({ ground, ratio: contrast(colour(front, scheme), colour(ground, scheme)) }))
      .filter(({ ratio }) => ratio < least)
      .map(({ ground, ratio }) => `${front} on ${ground}: ${ratio.toFixed(2)}`),
  )

describe.for<Scheme>(['light', 'dark'])('the colours of the pages, %s', (scheme) => {
  it('have a contrast of 4.5 between text and what is behind it', () => {
    expect(tooWeak(TEXTS, TEXT, scheme)).toEqual([])
  })

  it('have a contrast of 3 between edges and what is behind them', () => {
    expect(tooWeak(EDGES, PARTS, scheme)).toEqual([])
  })
})

it('every colour is compared with another', () => {
  const compared = new Set([...TEXTS, ...EDGES].flatMap(([front, grounds]) => [front, ...grounds]))
  // A line between rows is decoration: the rows are told apart without it.
  expect([...COLOURS.keys()].filter((name) => !compared.has(name))).toEqual(['line'])
})

it('black on white is 21', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

// The tests of the pages look at them wide in one scheme and narrow in the other.
describe('what can be read in one scheme can be read in the other', () => {
  it('of any two colours', () => {
    const names = [...COLOURS.keys()].filter((name) => !FIXED.has(name) && !LINES.has(name))
    const [inLight, inDark] = (['light', 'dark'] as const).map((scheme) =>
      names.flatMap((front) =>
        names
          .filter((ground) => contrast(colour(front, scheme), colour(ground, scheme)) >= TEXT)
          .map((ground) => `${front} on ${ground}`),
      ),
    )
    expect(inDark).toEqual(inLight)
  })

  it('of no other colours: those of the tokens are all that the pages have', () => {
    const root = new URL('../../web/', import.meta.url)
    const sheets = globSync('{dashboard,scan,shared}/**/*.css', { cwd: root }).filter((file) => !file.endsWith('tokens.css'))
    expect(sheets.length).toBeGreaterThan(20)
    const others = sheets.flatMap((file) =>
      [
        ...readFileSync(new URL(file, root), 'utf8').matchAll(
          /[^\n]*(?:#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch|color)\(|prefers-color-scheme)[^\n]*/gi,
        ),
      ]
        .map(([line]) => `${file}: ${line.trim()}`)
        .filter((line) => !line.includes('@supports')),
    )
    expect(others).toEqual([])
  })
})

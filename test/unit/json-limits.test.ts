import { describe, expect, it } from 'vitest'
import { jsonLimitExceeded, MAX_DEPTH, MAX_ITEMS, TOO_DEEP, TOO_MANY_ITEMS } from '@fulfillment/server/http/body/json-limits.ts'

const excess = (text: string): string | undefined => jsonLimitExceeded(Buffer.from(text))
const nested = (depth: number, innermost = ''): string => '['.repeat(depth) + innermost + ']'.repeat(depth)
const list = (count: number, item = '1'): string => `[${Array<string>(count).fill(item).join()}]`

describe('the depth of a JSON text', () => {
  it('may be the limit, and not one more, in arrays and objects alike', () => {
    expect(excess(nested(MAX_DEPTH))).toBeUndefined()
    expect(excess(nested(MAX_DEPTH + 1))).toBe(TOO_DEEP)
    const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    expect(excess(objects(MAX_DEPTH))).toBeUndefined()
    expect(excess(objects(MAX_DEPTH + 1))).toBe(TOO_DEEP)
    expect(excess(`${'[{"a":'.repeat(MAX_DEPTH / 2)}[]${'}]'.repeat(MAX_DEPTH / 2)}`)).toBe(TOO_DEEP)
  })

  it('is that of what is open at the same time', () => {
    expect(excess(list(100, nested(MAX_DEPTH - 1)))).toBeUndefined()
    expect(excess(list(100, nested(MAX_DEPTH)))).toBe(TOO_DEEP)
  })

  it('has nothing to do with brackets in strings, or behind an escaped quote', () => {
    const brackets = '[{'.repeat(MAX_DEPTH)
    expect(excess(`["${brackets}"]`)).toBeUndefined()
    expect(excess(`{"${brackets}":1}`)).toBeUndefined()
    expect(excess(`["\\"${brackets}"]`)).toBeUndefined()
    expect(excess(`["\\\\",${nested(MAX_DEPTH)}]`)).toBe(TOO_DEEP)
  })
})

describe('the items of a JSON text', () => {
  it('may be as many as the limit in one array, and not one more', () => {
    expect(excess(list(MAX_ITEMS))).toBeUndefined()
    expect(excess(list(MAX_ITEMS + 1))).toBe(TOO_MANY_ITEMS)
  })

  it('may be as many as the limit in one object, and not one more', () => {
    const fields = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"${n}":1`).join()}}`
    expect(excess(fields(MAX_ITEMS))).toBeUndefined()
    expect(excess(fields(MAX_ITEMS + 1))).toBe(TOO_MANY_ITEMS)
  })

  it('are counted for each array by itself', () => {
    expect(excess(list(100, list(MAX_ITEMS / 10)))).toBeUndefined()
    // The outer array goes on where it was when an inner one ends.
    expect(excess(list(MAX_ITEMS, '[1,2,3]'))).toBeUndefined()
    expect(excess(list(MAX_ITEMS + 1, '[1,2,3]'))).toBe(TOO_MANY_ITEMS)
  })

  it('are not the commas in strings', () => {
    expect(excess(`["${','.repeat(2 * MAX_ITEMS)}"]`)).toBeUndefined()
  })
})

it.each(['', '"', '"\\', ']]]]', '[}', '{', 'null', '[1,', '\u0000'])('what is no JSON is left to the parser: %j', (text) => {
  expect(excess(text)).toBeUndefined()
})

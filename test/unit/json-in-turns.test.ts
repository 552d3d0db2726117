import { describe, expect, it } from 'vitest'
import { parseJsonInTurns } from '@fulfillment/server/http/body/json-in-turns.ts'
import { MAX_DEPTH, MAX_ITEMS, TOO_DEEP, TOO_MANY_CONTAINERS, TOO_MANY_ITEMS } from '@fulfillment/server/http/body/json-limits.ts'

/** Refuses half a character, as the API does. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

const NAMES = ['a', '__proto__', '2', '10', 'é', 'k"q', 'constructor', 'b\\', '']

/** A repeatable source of numbers: the same texts in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function valueOf(next: (below: number) => number, depth = 0): unknown {
  const count = next(depth < 2 ? 40 : 6)
  switch (next(depth > 5 ? 4 : 7)) {
    case 0:
      return next(1e9) / 7
    case 1:
      return null
    case 2:
      return 'x",[{é\\"'.repeat(next(60))
    case 3:
      return -next(100)
    case 4:
      return Array.from({ length: count }, () => valueOf(next, depth + 1))
    default:
      return Object.fromEntries(
        Array.from({ length: count }, () => [
          next(4) === 0 ? NAMES[next(NAMES.length)] : `k${next(5_000)}`,
          valueOf(next, depth + 1),
        ]),
      )
  }
}

const outcomeOf = async (parse: () => unknown): Promise<string> => {
  try {
    return JSON.stringify(await parse())
  } catch {
    return 'refused'
  }
}

it.each([1, 2, 3])('a large text means what JSON.parse says, also when a byte of it is wrong (%s)', async (seed) => {
  const next = numbers(seed)
  const value = Array.from({ length: 3 }, () => [
    valueOf(next),
    { inner: { list: Array.from({ length: 30 }, () => valueOf(next)) } },
  ])
  const text = Buffer.from(JSON.stringify(value, undefined, seed === 3 ? 1 : 0))
  // Dozens of the pieces that are parsed in a turn.
  expect(text.length).toBeGreaterThan(1_000_000)
  expect(JSON.stringify(await parseJsonInTurns(text)) === JSON.stringify(value)).toBe(true)
  for (let times = 0; times < 15; times++) {
    const at = next(text.length)
    const wrong = Buffer.concat([text.subarray(0, at), Buffer.from(',]}"[{ 1\\'.charAt(next(9))), text.subarray(at + next(2))])
    const expected = await outcomeOf(() => JSON.parse(utf8.decode(wrong)))
    // Not compared by `expect`, which would print megabytes.
    expect((await outcomeOf(() => parseJsonInTurns(wrong))) === expected, `at byte ${at}`).toBe(true)
  }
})

it.each([',', '1,', '[]]', '[1}', '{"a":[1]', '"', '', ' ', '[1 2]', '{"a":1,}'])('%s is refused', async (text) => {
  await expect(parseJsonInTurns(Buffer.from(text))).rejects.toThrow(/valid JSON|too early/)
})

describe('a large text', () => {
  const large = Buffer.from(`[${Array.from({ length: 5_000 }, (_, n) => `{"k${n}":[${Array(200).fill(n).join()}]}`).join()}]`)

  it('is parsed in turns: others are served in between', async () => {
    expect(large.length).toBeGreaterThan(4_000_000)
    let served = 0
    let isParsed = false
    const serve = (): void => {
      if (isParsed) return
      served++
      setImmediate(serve)
    }
    setImmediate(serve)
    const value = await parseJsonInTurns(large)
    isParsed = true
    expect(value).toHaveLength(5_000)
    // A turn takes 2 ms, and the text more than 10 on any machine.
    expect(served).toBeGreaterThan(3)
  })

  it('keeps a field that is named __proto__, and sets no prototype by it', async () => {
    const filler = `[${Array(9_000).fill('"0123456789"').join()}]`
    const value = (await parseJsonInTurns(Buffer.from(`{"__proto__":${filler},"a":1}`))) as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__', 'a'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it.each([
    [`${'['.repeat(MAX_DEPTH + 1)}${']'.repeat(MAX_DEPTH + 1)}`, TOO_DEEP],
    [
      `[${Array(MAX_ITEMS + 1)
        .fill('1')
        .join()}]`,
      TOO_MANY_ITEMS,
    ],
  ])('has the limits of a small one (%#)', async (text, message) => {
    await expect(parseJsonInTurns(Buffer.from(text))).rejects.toThrow(message)
  })

  it('may have as many objects and arrays as a body of its size that means something', async () => {
    const groups = (count: number): string =>
      `[${Array(count)
        .fill(`[${Array(9_999).fill('{}').join()}]`)
        .join()}]`
    expect(await parseJsonInTurns(Buffer.from(groups(9)))).toHaveLength(9)
    await expect(parseJsonInTurns(Buffer.from(groups(11)))).rejects.toThrow(TOO_MANY_CONTAINERS)
  })

  it('may be as deep, and have as many items, as a small one', async () => {
    const text = `[${'['.repeat(MAX_DEPTH - 1)}${']'.repeat(MAX_DEPTH - 1)},[${Array(MAX_ITEMS).fill('1').join()}]]`
    expect(await parseJsonInTurns(Buffer.from(text))).toEqual(JSON.parse(text))
  })

  it('that is not UTF-8 is refused as such', async () => {
    await expect(parseJsonInTurns(Buffer.from([0x22, 0xff, 0x22]))).rejects.toThrow('is not valid UTF-8')
  })
})

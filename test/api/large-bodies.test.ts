import { expect, it } from 'vitest'
import { parseJsonInTurns } from '../../server/src/http/json-in-turns.ts'

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
  const value = Array.from({ length: 12 }, () => [
    valueOf(next),
    { inner: { list: Array.from({ length: 30 }, () => valueOf(next)) } },
  ])
  const text = Buffer.from(JSON.stringify(value, undefined, seed === 3 ? 1 : 0))
  expect(text.length).toBeGreaterThan(100_000)
  expect(JSON.stringify(await parseJsonInTurns(text)) === JSON.stringify(value)).toBe(true)
  for (let times = 0; times < 40; times++) {
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

/**
 * Inverts Postgres's `hashtextextended`, which is Bob Jenkins's lookup3. lookup3 is fast but not cryptographic: each step is invertible.
 * For a text of 12 bytes, the hash determines two of the three words of the final state, and the third word is free.
 * https://burtleburtle.net/bob/c/lookup3.c
 */

type State = [a: number, b: number, c: number]

const rotated = (value: number, bits: number): number => ((value << bits) | (value >>> (32 - bits))) >>> 0
const sum = (...values: number[]): number => values.reduce((total, value) => (total + value) >>> 0, 0)
const difference = (from: number, value: number): number => (from - value) >>> 0

const MIX = [4, 6, 8, 16, 19, 4] as const
const FINAL = [14, 11, 25, 16, 4, 14, 24] as const

function mixed(state: State): State {
  let [a, b, c] = state
  for (const bits of MIX) {
    a = (difference(a, c) ^ rotated(c, bits)) >>> 0
    c = sum(c, b)
    // Rotates the names: the next step treats b as this one treated a.
    ;[a, b, c] = [b, c, a]
  }
  return [a, b, c]
}

function unmixed(state: State): State {
  let [a, b, c] = state
  for (const bits of MIX.toReversed()) {
    ;[a, b, c] = [c, a, b]
    c = difference(c, b)
    a = sum((a ^ rotated(c, bits)) >>> 0, c)
  }
  return [a, b, c]
}

/** Inverts the final step of the hash: returns the state before it. */
function unfinished(state: State): State {
  const [a, b, c] = state
  const parts = [a, b, c]
  // The steps change c, a, b, c, a, b, c in this order. Each step depends on the word changed before.
  for (let step = FINAL.length - 1; step >= 0; step--) {
    const changed = (step + 2) % 3
    const by = parts[(changed + 2) % 3] as number
    parts[changed] = (sum(parts[changed] as number, rotated(by, FINAL[step] as number)) ^ by) >>> 0
  }
  return parts as State
}

const LENGTH = 12
const PRINTABLE = /^[!-~]{12}$/

/** Returns a text for which `hashtextextended(text, seed)` is `target`. */
export function keyHashedTo(target: bigint, seed: number): string {
  const start = sum(0x9e3779b9, LENGTH, 3_923_095)
  const begun = mixed([sum(start, Math.floor(seed / 2 ** 32)), sum(start, seed >>> 0), start])
  const [b, c] = [Number(BigInt.asUintN(64, target) >> 32n), Number(BigInt.asUintN(32, target))]
  for (let a = 0; a < 2 ** 32; a++) {
    const words = unmixed(unfinished([a, b, c])).map((word, index) => difference(word, begun[index] as number))
    if (!words.every((word) => (word & 0x80808080) === 0)) continue
    const text = Buffer.from(Uint32Array.from(words).buffer).toString('latin1')
    if (PRINTABLE.test(text)) return text
  }
  throw new Error('no text was found')
}

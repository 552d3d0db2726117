/** Numbers that look random and are the same for the same seed (sfc32, seeded by a hash of a text). */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    const next = hashes(seed)
    this.#a = next()
    this.#b = next()
    this.#c = next()
    for (let rounds = 0; rounds < 12; rounds++) this.next()
  }

  /** From 0 to below 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 4_294_967_296
  }

  /** An integer, both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** True in this share of all cases. */
  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)]
    if (item === undefined) throw new Error('Nothing to pick from')
    return item
  }
}

/** Hashes of a text, another one at each call (xmur3). */
function hashes(text: string): () => number {
  let hash = 1_779_033_703 ^ text.length
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 3_432_918_353)
    hash = (hash << 13) | (hash >>> 19)
  }
  return () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507)
    hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909)
    hash ^= hash >>> 16
    return hash | 0
  }
}

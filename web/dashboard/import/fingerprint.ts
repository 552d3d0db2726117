const SEEDS = [0xde_ad_be_ef, 0x41_c6_ce_57] as const
const FACTORS = [2_654_435_761, 1_597_334_677] as const

/**
 * Tells whether two texts are the same, by 64 bits of a multiplicative hash, however the text is cut into pieces. Not by `crypto.subtle`: a
 * page over plain HTTP does not have it.
 */
export class Fingerprint {
  #first: number = SEEDS[0]
  #second: number = SEEDS[1]

  add(piece: string): void {
    let first = this.#first
    let second = this.#second
    for (let index = 0; index < piece.length; index++) {
      const code = piece.charCodeAt(index)
      first = Math.imul(first ^ code, FACTORS[0])
      second = Math.imul(second ^ code, FACTORS[1])
      // Without it, the upper half of a character would never reach the lower bits.
      first ^= first >>> 15
      second ^= second >>> 13
    }
    this.#first = first
    this.#second = second
  }

  get text(): string {
    return [this.#first, this.#second].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
  }
}

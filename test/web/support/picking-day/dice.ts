/** Random decisions that a seed repeats. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** True in this share of the throws. */
  falls(share: number): boolean {
    return this.#next() < share
  }

  /** A whole number between these two, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1))
  }

  one<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('Nothing to choose from')
    return choices[this.between(0, choices.length - 1)] as T
  }

  /** One of the names, each as often as its weight says. */
  weighted<T extends string>(weights: Record<T, number>): T {
    const entries = Object.entries<number>(weights) as [T, number][]
    let left = this.#next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return entries[0]?.[0] as T
  }

  /** Mulberry32: between 0 and 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

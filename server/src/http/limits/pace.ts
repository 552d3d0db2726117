/** An average rate, as a token bucket. More can be taken than is left; the difference is a debt. */
export class Pace {
  readonly #perSecond: number
  readonly #most: number
  readonly #least: number
  #left: number
  #countedAtMs = performance.now()

  /** Up to `saved` tokens accumulate. A debt is at most `debt` tokens. */
  constructor(perSecond: number, { saved, debt }: { saved: number; debt: number }) {
    this.#perSecond = perSecond
    this.#most = saved
    this.#least = -debt
    this.#left = saved
  }

  /** Whether tokens are left. */
  get isAllowed(): boolean {
    return this.#count() > 0
  }

  /** Time until tokens are left. */
  get waitMs(): number {
    return Math.max(0, (-this.#count() * 1_000) / this.#perSecond)
  }

  /** Whether all tokens are left that can accumulate. */
  get isFull(): boolean {
    return this.#count() === this.#most
  }

  take(amount: number): void {
    this.#left = Math.max(this.#count() - amount, this.#least)
  }

  #count(): number {
    const nowMs = performance.now()
    this.#left = Math.min(this.#most, this.#left + ((nowMs - this.#countedAtMs) * this.#perSecond) / 1_000)
    this.#countedAtMs = nowMs
    return this.#left
  }
}

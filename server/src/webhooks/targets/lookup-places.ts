/** Names that are looked up at the same time, of one tenant and of all. */
const MAX_OF_TENANT = 4
const MAX_OF_ALL = 256

/** How long one waits for its turn. */
const LONGEST_WAIT_MS = 5_000

interface Waiting {
  take: () => void
}

/** Places for looking up names, so that those of one tenant whose servers do not answer never hold up another's. */
export class LookupPlaces {
  readonly #taken = new Map<number, number>()
  /** In the order of the tenants' turns. */
  readonly #waiting = new Map<number, Waiting[]>()
  #total = 0

  /** Takes a place if there is one. */
  tryTake(tenantId: number): boolean {
    const taken = this.#taken.get(tenantId) ?? 0
    if (taken >= MAX_OF_TENANT || this.#total >= MAX_OF_ALL) return false
    this.#taken.set(tenantId, taken + 1)
    this.#total += 1
    return true
  }

  /** Waits for a place, and rejects when it has waited too long. */
  async take(tenantId: number): Promise<void> {
    if (this.tryTake(tenantId)) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const queue = this.#waiting.get(tenantId) ?? []
    const waiting = { take: resolve }
    this.#waiting.set(tenantId, [...queue, waiting])
    const timer = setTimeout(() => {
      this.#leave(tenantId, waiting)
      reject(new Error('Too many host names are being looked up'))
    }, LONGEST_WAIT_MS)
    await promise.finally(() => clearTimeout(timer))
  }

  /** Gives a place back, to the next tenant that waits for one. */
  release(tenantId: number): void {
    const taken = (this.#taken.get(tenantId) ?? 1) - 1
    if (taken === 0) this.#taken.delete(tenantId)
    else this.#taken.set(tenantId, taken)
    this.#total -= 1
    for (const [waitingTenant, [first]] of this.#waiting) {
      if (first === undefined || !this.tryTake(waitingTenant)) continue
      this.#leave(waitingTenant, first)
      first.take()
      return
    }
  }

  /** Takes one out of its tenant's queue, which goes behind the others'. */
  #leave(tenantId: number, waiting: Waiting): void {
    const rest = (this.#waiting.get(tenantId) ?? []).filter((other) => other !== waiting)
    this.#waiting.delete(tenantId)
    if (rest.length > 0) this.#waiting.set(tenantId, rest)
  }
}

/** Concurrent lookups per tenant and in all. */
const MAX_OF_TENANT = 4
const MAX_OF_ALL = 256

/** Longest wait for a slot. */
const LONGEST_WAIT_MS = 5_000

interface Waiting {
  take: () => void
}

/** Slots for host name lookups: a tenant whose name servers do not respond never holds up the lookups of another tenant. */
export class LookupSlots {
  readonly #taken = new Map<number, number>()
  /** The next tenant comes first. */
  readonly #waiting = new Map<number, Waiting[]>()
  #total = 0

  /** Takes a slot if one is free. */
  tryTake(tenantId: number): boolean {
    const taken = this.#taken.get(tenantId) ?? 0
    if (taken >= MAX_OF_TENANT || this.#total >= MAX_OF_ALL) return false
    this.#taken.set(tenantId, taken + 1)
    this.#total += 1
    return true
  }

  /** Waits for a slot; rejects after `LONGEST_WAIT_MS`. */
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

  /** Releases a slot to the next waiting tenant. */
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

  /** Removes an entry from its tenant's queue, and moves the queue behind those of all other tenants. */
  #leave(tenantId: number, waiting: Waiting): void {
    const rest = (this.#waiting.get(tenantId) ?? []).filter((other) => other !== waiting)
    this.#waiting.delete(tenantId)
    if (rest.length > 0) this.#waiting.set(tenantId, rest)
  }
}

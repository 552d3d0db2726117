import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../procedures/errors.ts'

const POLL_MS = 20
const LONGEST_WAIT_MS = 10_000
const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 2

/** The tenant id for requests without a known key. */
export const NOBODY = 0

/**
 * Shares memory among tenants. A tenant holds at most its limit. Once the process holds its own limit, a tenant holds at most an equal share
 * of it. A tenant that holds nothing is admitted until the process holds twice its limit.
 */
export class ByteShares {
  readonly #perTenant: number
  readonly #inAll: number
  readonly #held = new Map<number, number>()
  readonly #waiting = new Map<number, number>()
  #total = 0

  constructor({ perTenant, inAll }: { perTenant: number; inAll: number }) {
    this.#perTenant = perTenant
    this.#inAll = inAll
  }

  /** Bytes currently held by all tenants. */
  get total(): number {
    return this.#total
  }

  /** Counts bytes until the returned function is called, even above the limit. */
  hold(tenantId: number, bytes: number): () => void {
    this.#add(tenantId, bytes)
    return () => this.#add(tenantId, -bytes)
  }

  /** Throws `service_unavailable` if the tenant has reached its limit. */
  requireRoom(tenantId: number): void {
    if (this.#isFull(tenantId)) throw refusal()
  }

  /** Like `hold`, but waits for free memory. Throws `service_unavailable` after a timeout, or if too many requests wait already. */
  async holdWhenFree(tenantId: number, bytes: number): Promise<() => void> {
    const giveUpAt = performance.now() + LONGEST_WAIT_MS
    const waiting = this.#waiting.get(tenantId) ?? 0
    if (!this.#isFull(tenantId, bytes)) return this.hold(tenantId, bytes)
    if (waiting >= MAX_WAITING) throw refusal()
    this.#waiting.set(tenantId, waiting + 1)
    try {
      while (this.#isFull(tenantId, bytes)) {
        if (performance.now() > giveUpAt) throw refusal()
        await delay(POLL_MS)
      }
      return this.hold(tenantId, bytes)
    } finally {
      const left = (this.#waiting.get(tenantId) ?? 1) - 1
      if (left === 0) this.#waiting.delete(tenantId)
      else this.#waiting.set(tenantId, left)
    }
  }

  #isFull(tenantId: number, more = 0): boolean {
    const held = this.#held.get(tenantId) ?? 0
    if (held > 0 && held + more > this.#perTenant) return true
    const total = this.#total + more
    return total > 2 * this.#inAll || (total > this.#inAll && held > this.#inAll / this.#held.size)
  }

  #add(tenantId: number, bytes: number): void {
    this.#total += bytes
    const held = (this.#held.get(tenantId) ?? 0) + bytes
    if (held === 0) this.#held.delete(tenantId)
    else this.#held.set(tenantId, held)
  }
}

function refusal(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'This tenant has too much data in transit: read the pending responses, and send fewer large bodies at the same time',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}

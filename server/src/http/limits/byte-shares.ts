import { ServiceError } from '../../errors/service-error.ts'
import { type ActiveTenants, activeTenants } from '../../runtime/event-loop/active-tenants.ts'

const POLL_MS = 20
const LONGEST_WAIT_MS = 10_000
const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 2

/** The tenant id for requests without a known key. */
export const NOBODY = 0

/** Gives memory back: all of it, or what exceeds `kept` bytes. */
export type Release = (kept?: number) => void

/** A request that waits for memory. */
interface Waiting {
  readonly bytes: number
  readonly giveUpAtMs: number
  readonly resolve: (release: Release) => void
  readonly reject: (error: Error) => void
}

/** The limits of a tenant while it is alone and while others are active, and the size from which the limits of a process shrink. */
export interface ByteLimits {
  perTenant: number
  perSharing: number
  inAll: number
}

/**
 * Shares memory among tenants. A tenant holds at most its limit. Once the process holds its own limit, a tenant holds at most an equal share
 * of it. A tenant that holds nothing is admitted until the process holds twice its limit.
 */
export class ByteShares {
  readonly #limits: ByteLimits
  readonly #tenants: ActiveTenants
  readonly #held = new Map<number, number>()
  readonly #waiting = new Map<number, Waiting[]>()
  #timer: NodeJS.Timeout | undefined
  #total = 0

  constructor(limits: ByteLimits, tenants = activeTenants) {
    this.#limits = limits
    this.#tenants = tenants
  }

  /** Bytes currently held by all tenants. */
  get total(): number {
    return this.#total
  }

  /** Counts bytes until the returned function is called, even above the limit. */
  hold(tenantId: number, bytes: number): Release {
    let held = bytes
    this.#add(tenantId, held)
    return (kept = 0) => {
      const left = Math.min(held, kept)
      this.#add(tenantId, left - held)
      held = left
    }
  }

  /** Throws `service_unavailable` if the tenant has reached its limit. */
  requireRoom(tenantId: number): void {
    if (this.#isFull(tenantId)) throw refusal()
  }

  /** Like `hold`, but waits for free memory. Throws `service_unavailable` after a timeout, or if too many requests wait already. */
  async holdWhenFree(tenantId: number, bytes: number): Promise<Release> {
    // Those that wait and fit come first. Otherwise requests that arrive all the time could leave them waiting until they are refused.
    this.#lookAt(tenantId)
    if (!this.#isFull(tenantId, bytes)) return this.hold(tenantId, bytes)
    const line = this.#waiting.get(tenantId) ?? []
    if (line.length >= MAX_WAITING) throw refusal()
    this.#waiting.set(tenantId, line)
    return await new Promise<Release>((resolve, reject) => {
      line.push({ bytes, giveUpAtMs: performance.now() + LONGEST_WAIT_MS, resolve, reject })
      this.#timer ??= setInterval(() => this.#look(), POLL_MS)
    })
  }

  /** Admits those that fit now. One timer for all: a hundred requests that each looked for themselves would take a tenth of the loop's time. */
  #look(): void {
    for (const tenantId of this.#waiting.keys()) this.#lookAt(tenantId)
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #lookAt(tenantId: number): void {
    const nowMs = performance.now()
    const left = this.#waiting.get(tenantId)?.filter((waiting) => !this.#settle(tenantId, waiting, nowMs)) ?? []
    if (left.length === 0) this.#waiting.delete(tenantId)
    else this.#waiting.set(tenantId, left)
  }

  #settle(tenantId: number, { bytes, giveUpAtMs, resolve, reject }: Waiting, nowMs: number): boolean {
    if (!this.#isFull(tenantId, bytes)) resolve(this.hold(tenantId, bytes))
    else if (nowMs > giveUpAtMs) reject(refusal())
    else return false
    return true
  }

  #isFull(tenantId: number, more = 0): boolean {
    const held = this.#held.get(tenantId) ?? 0
    const { perTenant, perSharing, inAll } = this.#limits
    if (held > 0 && held + more > (this.#tenants.isAlone(tenantId) ? perTenant : perSharing)) return true
    // What those without a key leave unread must not keep any tenant waiting.
    const heldByNobody = tenantId === NOBODY ? undefined : this.#held.get(NOBODY)
    const total = this.#total - (heldByNobody ?? 0) + more
    const sharers = this.#held.size - (heldByNobody === undefined ? 0 : 1)
    return total > 2 * inAll || (total > inAll && held > inAll / sharers)
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

import { DatabaseConnectionError, TooManyCallsError } from '../errors.ts'

/** The tenant of the service's own work, such as maintenance and the lookup of API keys. */
export const INTERNAL = 0

export interface FairSlotsOptions {
  /** The number of slots. */
  slots: number
  /** The number of slots reserved for internal work. */
  reserved?: number
  /** The maximum number of slots of a tenant. It also never holds more slots than are free. */
  perTenant?: number
  /** Minimum time between two slots of a tenant, unless it has released the first one. */
  nextAfterMs?: () => number
}

interface Waiter {
  /** By the clock of `FairSlots`. */
  untilMs: number
  grant: () => void
  refuse: (error: Error) => void
}

interface Tenant {
  id: number
  held: number
  grantedAtMs: number
  line: Waiter[]
}

/** Longer queues would only take memory: requests further back would time out. */
export const MAX_LINE = 500
const MAX_WAIT_MS = 5_000
const TICK_MS = 100

/**
 * Assigns slots to tenants in turn. A tenant gets at most as many slots as then remain free, so a single tenant holds half of them and the
 * next one need not wait (dynamic thresholds, Choudhury and Hahne, 1998). Requests above this threshold wait in the queue of their tenant. A
 * released slot goes to the next tenant in the ring of waiting tenants. Requests that wait too long are rejected, and so are new requests
 * when the tenant's queue is full.
 */
export class FairSlots {
  readonly #slots: number
  readonly #reserved: number
  readonly #perTenant: number
  readonly #nextAfterMs: () => number
  readonly #tenants = new Map<number, Tenant>()
  /** Tenants with waiting requests, in the order of their turns. */
  readonly #ring = new Set<Tenant>()
  #held = 0
  #nowMs = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ slots, reserved = 0, perTenant = slots, nextAfterMs = () => 0 }: FairSlotsOptions) {
    this.#slots = slots
    this.#reserved = reserved
    this.#perTenant = perTenant
    this.#nextAfterMs = nextAfterMs
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return [...this.#ring].reduce((sum, { line }) => sum + line.length, 0)
  }

  /** Takes a slot, immediately if it returns undefined. Rejects with `TooManyCallsError` if the tenant has too many requests in progress. */
  take(tenantId: number): Promise<void> | undefined {
    if (this.#isClosed) return Promise.reject(new DatabaseConnectionError())
    let tenant = this.#tenants.get(tenantId)
    if (tenant === undefined) this.#tenants.set(tenantId, (tenant = { id: tenantId, held: 0, grantedAtMs: 0, line: [] }))
    if (tenant.line.length === 0 && this.#isFreeFor(tenant)) return this.#grant(tenant)
    if (tenant.line.length >= MAX_LINE) return Promise.reject(new TooManyCallsError())
    return this.#wait(tenant)
  }

  /** Releases a slot. */
  giveBack(tenantId: number): void {
    const tenant = this.#tenants.get(tenantId)
    if (tenant === undefined || tenant.held === 0) throw new Error(`tenant ${tenantId} holds no slot`)
    tenant.held--
    this.#held--
    this.#serve()
    this.#forget(tenant)
  }

  /** Rejects waiting and new requests. */
  close(): void {
    this.#isClosed = true
    for (const { line } of this.#ring) for (const { refuse } of line.splice(0)) refuse(new DatabaseConnectionError())
    this.#ring.clear()
    this.#stopTimer()
  }

  #isFreeFor({ id, held, grantedAtMs }: Tenant): boolean {
    const free = this.#slots - this.#held
    if (id === INTERNAL) return free > 0
    if (held > 0 && performance.now() - grantedAtMs < this.#nextAfterMs()) return false
    const kept = Math.max(0, this.#reserved - (this.#tenants.get(INTERNAL)?.held ?? 0))
    return held < Math.min(this.#perTenant, free - kept)
  }

  #grant(tenant: Tenant): undefined {
    tenant.grantedAtMs = performance.now()
    tenant.held++
    this.#held++
  }

  #wait(tenant: Tenant): Promise<void> {
    this.#ring.add(tenant)
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref()
    return new Promise((grant, refuse) => {
      tenant.line.push({ untilMs: this.#nowMs + MAX_WAIT_MS, grant, refuse })
    })
  }

  /** Requests still waiting afterwards are above the threshold. So a new request below it overtakes nobody. */
  #serve(): void {
    for (let served = true; served;) {
      served = false
      for (const tenant of this.#ring) {
        if (!this.#isFreeFor(tenant)) continue
        this.#grant(tenant)
        tenant.line.shift()?.grant()
        // Move the tenant to the end of the ring.
        this.#ring.delete(tenant)
        if (tenant.line.length > 0) this.#ring.add(tenant)
        served = true
        break
      }
    }
    if (this.#ring.size === 0) this.#stopTimer()
  }

  /** A late tick counts once: a blocked process could not serve requests. */
  #tick(): void {
    this.#nowMs += TICK_MS
    for (const tenant of this.#ring) {
      while (tenant.line[0] !== undefined && tenant.line[0].untilMs <= this.#nowMs)
        tenant.line.shift()?.refuse(new TooManyCallsError())
      if (tenant.line.length > 0) continue
      this.#ring.delete(tenant)
      this.#forget(tenant)
    }
    // A tenant may get its next slot after `nextAfterMs` alone.
    this.#serve()
  }

  #forget(tenant: Tenant): void {
    if (tenant.held === 0 && tenant.line.length === 0) this.#tenants.delete(tenant.id)
  }

  #stopTimer(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

import { ServiceError } from '../errors.ts'
import { ConnectionFailure } from './errors.ts'

/** The tenant of the service's own work, such as maintenance and the lookup of API keys. */
export const INTERNAL = 0

export interface TurnOptions {
  /** How many may be held at a time. */
  places: number
  /** Of them, how many only internal work gets. */
  reserved?: number
  /** The most that one tenant holds. Never more than are free beside it. */
  perTenant?: number
}

interface Waiter {
  /** By the clock of `Turns`. */
  untilMs: number
  grant: () => void
  refuse: (error: Error) => void
}

interface Tenant {
  id: number
  held: number
  line: Waiter[]
}

/** Longer lines only take memory: what stands further back would be refused when its time is up. */
export const MAX_LINE = 500
const MAX_WAIT_MS = 5_000
const TICK_MS = 100

/**
 * Gives places to tenants in turn. A tenant gets no more places than are then left free, so one alone holds half of them, and the next one
 * that comes need not wait for it (the dynamic thresholds of Choudhury and Hahne, 1998). Who is over that waits in a line of its tenant;
 * a place that is given back goes to the next tenant in the ring of those that wait. What stands in a line for too long is refused, and
 * what comes to a full one: only the tenant that floods has such a line.
 */
export class Turns {
  readonly #places: number
  readonly #reserved: number
  readonly #perTenant: number
  readonly #tenants = new Map<number, Tenant>()
  /** Tenants with a line, in the order of their turns. */
  readonly #ring = new Set<Tenant>()
  #held = 0
  #nowMs = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ places, reserved = 0, perTenant = places }: TurnOptions) {
    this.#places = places
    this.#reserved = reserved
    this.#perTenant = perTenant
  }

  /** How many stand in all lines. */
  get waiting(): number {
    return [...this.#ring].reduce((sum, { line }) => sum + line.length, 0)
  }

  /** Takes a place: at once when it returns undefined. Rejects with `service_unavailable` when the tenant has too much under way. */
  take(tenantId: number): Promise<void> | undefined {
    if (this.#isClosed) return Promise.reject(new ConnectionFailure())
    let tenant = this.#tenants.get(tenantId)
    if (tenant === undefined) this.#tenants.set(tenantId, (tenant = { id: tenantId, held: 0, line: [] }))
    if (tenant.line.length === 0 && this.#isFreeFor(tenant)) return this.#grant(tenant)
    if (tenant.line.length >= MAX_LINE) return Promise.reject(tooMuchUnderWay())
    return this.#wait(tenant)
  }

  /** Gives a place back. */
  giveBack(tenantId: number): void {
    const tenant = this.#tenants.get(tenantId)
    if (tenant === undefined || tenant.held === 0) throw new Error(`tenant ${tenantId} holds no place`)
    tenant.held--
    this.#held--
    this.#serve()
    this.#forget(tenant)
  }

  /** Refuses those that wait, and those that come. */
  close(): void {
    this.#isClosed = true
    for (const { line } of this.#ring) for (const { refuse } of line.splice(0)) refuse(new ConnectionFailure())
    this.#ring.clear()
    this.#stopTimer()
  }

  #isFreeFor({ id, held }: Tenant): boolean {
    const free = this.#places - this.#held
    if (id === INTERNAL) return free > 0
    const kept = Math.max(0, this.#reserved - (this.#tenants.get(INTERNAL)?.held ?? 0))
    return held < Math.min(this.#perTenant, free - kept)
  }

  #grant(tenant: Tenant): undefined {
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

  /** Whoever still waits after it is over the threshold, so one who comes and is not overtakes nobody. */
  #serve(): void {
    for (let served = true; served;) {
      served = false
      for (const tenant of this.#ring) {
        if (!this.#isFreeFor(tenant)) continue
        this.#grant(tenant)
        tenant.line.shift()?.grant()
        // To the end of the ring.
        this.#ring.delete(tenant)
        if (tenant.line.length > 0) this.#ring.add(tenant)
        served = true
        break
      }
    }
    if (this.#ring.size === 0) this.#stopTimer()
  }

  /** A late tick counts as one: while the process itself was busy, nobody could be served. */
  #tick(): void {
    this.#nowMs += TICK_MS
    for (const tenant of this.#ring) {
      while (tenant.line[0] !== undefined && tenant.line[0].untilMs <= this.#nowMs) tenant.line.shift()?.refuse(tooMuchUnderWay())
      if (tenant.line.length > 0) continue
      this.#ring.delete(tenant)
      this.#forget(tenant)
    }
    if (this.#ring.size === 0) this.#stopTimer()
  }

  #forget(tenant: Tenant): void {
    if (tenant.held === 0 && tenant.line.length === 0) this.#tenants.delete(tenant.id)
  }

  #stopTimer(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** The refusal of a tenant that floods: others are served meanwhile. */
export function tooMuchUnderWay(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'Too many requests of this tenant are under way; try again with fewer at a time',
    {
      retryAfterSeconds: 1,
    },
  )
}

/** Requests in flight in this process. A single active tenant gets half of them; the other half stays free for the next tenant. */
const MAX_IN_FLIGHT = 512

/** Part of a tenant's slots reserved for its idle lanes, so that its slow receivers never take all of them. */
const RESERVED_PART = 0.25

/**
 * The request slots of this process, shared by all tenants. A tenant may hold as many slots as stay free, so n tenants with unlimited
 * demand get 1/(n + 1) of the slots each. A tenant with nothing in flight gets a slot as long as one is free.
 */
export class RequestSlots {
  readonly #taken = new Map<number, number>()
  #free = MAX_IN_FLIGHT

  constructor(requests: readonly { tenantId: number; requests: number }[]) {
    for (const { tenantId, requests: count } of requests) this.#add(tenantId, count)
  }

  /** Free slots. */
  get free(): number {
    return Math.max(0, this.#free)
  }

  /** Tenants that cannot take another slot now. */
  get fullTenants(): number[] {
    return [...this.#taken.keys()].filter((tenantId) => this.#roomOf(tenantId) === 0)
  }

  /** Takes up to `wanted` slots for a lane, and returns how many it took. */
  take(tenantId: number, wanted: number, laneIsIdle: boolean): number {
    const room = this.#roomOf(tenantId)
    const reserved = Math.floor(this.#shareOf(tenantId) * RESERVED_PART)
    const available = laneIsIdle ? Math.max(Math.min(1, room), room - reserved) : Math.max(0, room - reserved)
    const given = Math.min(wanted, available)
    this.#add(tenantId, given)
    return given
  }

  #roomOf(tenantId: number): number {
    const taken = this.#taken.get(tenantId) ?? 0
    const least = taken === 0 ? Math.min(1, this.free) : 0
    return Math.max(least, this.#shareOf(tenantId) - taken)
  }

  #shareOf(tenantId: number): number {
    return Math.floor((this.free + (this.#taken.get(tenantId) ?? 0)) / 2)
  }

  #add(tenantId: number, count: number): void {
    this.#taken.set(tenantId, (this.#taken.get(tenantId) ?? 0) + count)
    this.#free -= count
  }
}

/** Requests in flight in this process. A tenant alone gets half of them: the others stay free for whoever comes next. */
const MAX_IN_FLIGHT = 512

/** The part of a tenant's places that is kept for lanes that have nothing in flight, so that its slow receivers never take the last one. */
const RESERVED_PART = 0.25

/**
 * The places for requests of all tenants. A tenant may have as many requests in flight as places stay free beside it, so that n tenants that
 * want all get 1/(n + 1) of them each; and one that has nothing in flight gets a place as long as any is free.
 */
export class Places {
  readonly #taken = new Map<number, number>()
  #free = MAX_IN_FLIGHT

  constructor(requests: readonly { tenant_id: number; requests: number }[]) {
    for (const { tenant_id, requests: count } of requests) this.#add(tenant_id, count)
  }

  /** Places that nobody has. */
  get free(): number {
    return Math.max(0, this.#free)
  }

  /** Tenants that get no more places now. */
  get fullTenants(): number[] {
    return [...this.#taken.keys()].filter((tenantId) => this.#roomOf(tenantId) === 0)
  }

  /** Takes up to so many places for a lane, and returns how many. */
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

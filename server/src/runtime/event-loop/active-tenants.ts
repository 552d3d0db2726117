/** A tenant stays active for one to two of these intervals after its last call. */
const ACTIVE_MS = 1_000

/** Tracks whether several tenants are active in this process. */
export class ActiveTenants {
  #active = new Set<number>()
  #before = new Set<number>()
  #sinceMs = 0

  see(tenantId: number): void {
    const nowMs = performance.now()
    if (nowMs - this.#sinceMs > ACTIVE_MS) {
      this.#before = nowMs - this.#sinceMs > 2 * ACTIVE_MS ? new Set() : this.#active
      this.#active = new Set()
      this.#sinceMs = nowMs
    }
    this.#active.add(tenantId)
  }

  /** Whether several tenants are active. */
  get areSeveral(): boolean {
    return this.#active.size > 1 || this.#before.size > 1 || !isNobodyBut([...this.#active][0], this.#before)
  }

  /** Whether no other tenant is active. */
  isAlone(tenantId: number): boolean {
    return isNobodyBut(tenantId, this.#active) && isNobodyBut(tenantId, this.#before)
  }
}

function isNobodyBut(tenantId: number | undefined, tenants: ReadonlySet<number>): boolean {
  return tenants.size === 0 || (tenants.size === 1 && (tenantId === undefined || tenants.has(tenantId)))
}

/** The active tenants of this process. */
export const activeTenants = new ActiveTenants()

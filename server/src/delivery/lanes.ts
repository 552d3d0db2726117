import { activeTenants } from '../runtime/event-loop/active-tenants.ts'
import type { Claimed, LaneRoom, LockedLane } from './claim-deliveries.ts'
import type { KeptLane, LaneKey } from './keep-lanes.ts'
import { NO_LOWER_BOUND, Lane } from './lane.ts'
import { RequestSlots } from './request-slots.ts'
import type { LaneStatus } from './record-results.ts'
import type { Target } from './target.ts'

/** Deliveries, of all tenants, that one claim may take beyond the free slots. A bound keeps the claim quick. */
const MAX_AHEAD_OF_CLAIM = 2_000

/** Deliveries of a tenant in one claim while other tenants are active: sending hundreds at once would hold up their requests. */
const SHARED_CLAIM = 32

/** Pending deliveries of an inactive subscription that one claim skips, and the number of such subscriptions. */
const SKIP_BATCH = 500
const MAX_INACTIVE_LANES = 2

/** All lanes from which this process has claimed deliveries. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  get all(): Lane[] {
    return [...this.#lanes.values()]
  }

  get sending(): number {
    return this.all.reduce((sum, lane) => sum + lane.sending, 0)
  }

  /** The slots in use: one for each request that is in flight or waits behind another of its lane. */
  slots(): RequestSlots {
    return new RequestSlots(this.all.map(({ tenantId, load, cap }) => ({ tenantId, requests: Math.min(load, cap) })))
  }

  /** Divides the free slots among the lanes. */
  choose(locked: readonly LockedLane[]): LaneRoom[] {
    const active = locked.filter((row) => row.active)
    const inactive = locked.filter((row) => !row.active).slice(0, MAX_INACTIVE_LANES)
    return [
      ...this.#roomsOf(active),
      ...inactive.map((row) => Object.assign(row, { room: SKIP_BATCH, dueSince: NO_LOWER_BOUND })),
    ]
  }

  #roomsOf(active: readonly LockedLane[]): LaneRoom[] {
    const slots = this.slots()
    const aheadOfTenant = Math.floor(MAX_AHEAD_OF_CLAIM / new Set(active.map(({ tenantId }) => tenantId)).size)
    const aheadLeft = new Map<number, number>()
    const isShared = activeTenants.areSeveral
    const claimLeft = new Map<number, number>()
    return active.flatMap((row) => {
      const claimable = claimLeft.get(row.tenantId) ?? (isShared ? SHARED_CLAIM : Infinity)
      if (claimable === 0) return []
      const lane = this.#lanes.get(keyOf(row))
      const { load, cap, ahead } = lane ?? { load: 0, cap: row.cap, ahead: 0 }
      const wanted = Math.min(claimable, Math.max(0, cap - load))
      const given = slots.take(row.tenantId, wanted, load === 0)
      if (wanted > 0 && given === 0) return []
      const left = aheadLeft.get(row.tenantId) ?? aheadOfTenant
      const givenAhead = Math.min(ahead, left, claimable - given)
      aheadLeft.set(row.tenantId, left - givenAhead)
      claimLeft.set(row.tenantId, claimable - given - givenAhead)
      return [Object.assign(row, { room: given + givenAhead, dueSince: lane?.dueSince ?? NO_LOWER_BOUND })]
    })
  }

  /** Adds claimed deliveries to their lanes, and returns these lanes. */
  add(rooms: readonly LaneRoom[], claimed: readonly Claimed[], targetOf: (row: LaneRoom) => Target): Lane[] {
    const taken = Map.groupBy(claimed, keyOf)
    return rooms.map((row) => {
      const key = keyOf(row)
      const lane = this.#lanes.get(key) ?? new Lane(row, targetOf(row))
      lane.target = targetOf(row)
      lane.add(taken.get(key) ?? [], row)
      if (lane.load > 0) this.#lanes.set(key, lane)
      return lane
    })
  }

  status(): LaneStatus[] {
    return this.all.map(({ tenantId, subscriptionId, cap, load, more }) => ({
      tenantId,
      subscriptionId,
      cap,
      idle: load === 0,
      more,
    }))
  }

  /** Takes what waits for subscriptions that do not exist any more or, but for manual retries, are not active. */
  takeUnwanted(kept: readonly KeptLane[]): Claimed[] {
    const isActive = new Map(kept.map((lane) => [keyOf(lane), lane.active]))
    return this.all.flatMap((lane) => {
      const active = isActive.get(keyOf(lane))
      if (active === true) return []
      return lane.takeWaiting(active === undefined ? undefined : ({ trigger }) => trigger !== 'manual')
    })
  }

  /** Forgets the lanes that were written as idle. */
  forget(written: readonly LaneStatus[]): void {
    written.filter(({ idle }) => idle).forEach((status) => this.#lanes.delete(keyOf(status)))
  }
}

const keyOf = ({ tenantId, subscriptionId }: LaneKey): string => `${tenantId}/${subscriptionId}`

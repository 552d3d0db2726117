import type { Claimed, LaneRoom, LockedLane } from './claim-deliveries.ts'
import { ALWAYS, Lane } from './lane.ts'
import { Places } from './places.ts'
import type { LaneStatus } from './record-results.ts'
import type { Target } from './target.ts'

/** Deliveries that one claim may take ahead of free places, for all tenants, so that it stays quick. */
const MAX_AHEAD = 2_000

/** How many waiting deliveries of an inactive subscription a claim skips, and of how many such subscriptions. */
const SKIP_BATCH = 500
const MAX_INACTIVE_LANES = 2

/** All lanes of which this process has claimed deliveries. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  get all(): Lane[] {
    return [...this.#lanes.values()]
  }

  get sending(): number {
    return this.all.reduce((sum, lane) => sum + lane.sending, 0)
  }

  /** The places as they are now: requests in flight, and those that only wait for one of the same lane, have one. */
  places(): Places {
    return new Places(this.all.map(({ tenant_id, load, cap }) => ({ tenant_id, requests: Math.min(load, cap) })))
  }

  /** Shares out the free places. */
  choose(locked: readonly LockedLane[]): LaneRoom[] {
    const active = locked.filter((row) => row.active)
    const inactive = locked.filter((row) => !row.active).slice(0, MAX_INACTIVE_LANES)
    return [...this.#roomsOf(active), ...inactive.map((row) => Object.assign(row, { room: SKIP_BATCH, dueSince: ALWAYS }))]
  }

  #roomsOf(active: readonly LockedLane[]): LaneRoom[] {
    const places = this.places()
    const aheadOfTenant = Math.floor(MAX_AHEAD / new Set(active.map(({ tenant_id }) => tenant_id)).size)
    const aheadLeft = new Map<number, number>()
    return active.flatMap((row) => {
      const lane = this.#lanes.get(keyOf(row))
      const { load, cap, ahead } = lane ?? { load: 0, cap: row.cap, ahead: 0 }
      const wanted = Math.max(0, cap - load)
      const given = places.take(row.tenant_id, wanted, load === 0)
      if (wanted > 0 && given === 0) return []
      const left = aheadLeft.get(row.tenant_id) ?? aheadOfTenant
      const givenAhead = Math.min(ahead, left)
      aheadLeft.set(row.tenant_id, left - givenAhead)
      return [Object.assign(row, { room: given + givenAhead, dueSince: lane?.dueSince ?? ALWAYS })]
    })
  }

  /** Puts what was claimed into its lanes, and returns those. */
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
    return this.all.map(({ tenant_id, subscription_id, cap, load, more }) => ({
      tenant_id,
      subscription_id,
      cap,
      idle: load === 0,
      more,
    }))
  }

  /** Forgets lanes whose status has been written as idle. */
  forget(written: readonly LaneStatus[]): void {
    written.filter(({ idle }) => idle).forEach((status) => this.#lanes.delete(keyOf(status)))
  }
}

const keyOf = ({ tenant_id, subscription_id }: { tenant_id: number; subscription_id: number }): string =>
  `${tenant_id}/${subscription_id}`

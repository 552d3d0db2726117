import type { Claimed, LaneRoom, LockedLane } from './claim-deliveries.ts'
import { ALWAYS, Lane } from './lane.ts'
import type { LaneStatus } from './record-results.ts'
import type { Target } from './target.ts'

/** Requests in flight in this process. */
const MAX_IN_FLIGHT = 256

/** Kept for lanes that have nothing in flight, so that slow receivers never take the last place. */
const RESERVED = 64

/** All lanes of which this process has claimed deliveries. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  get all(): Lane[] {
    return [...this.#lanes.values()]
  }

  get sending(): number {
    return this.all.reduce((sum, lane) => sum + lane.sending, 0)
  }

  /** Requests that may be begun besides those that are in flight or wait only for one of the same lane. */
  get places(): number {
    return MAX_IN_FLIGHT - this.all.reduce((sum, lane) => sum + Math.min(lane.load, lane.cap), 0)
  }

  /** Shares out the free places. */
  choose(locked: readonly LockedLane[]): LaneRoom[] {
    let places = this.places
    return locked.flatMap((row) => {
      const lane = this.#lanes.get(keyOf(row))
      const { load, cap, ahead } = lane ?? { load: 0, cap: row.cap, ahead: 0 }
      const wanted = Math.max(0, cap - load)
      const available = load === 0 && places > 0 ? Math.max(1, places - RESERVED) : Math.max(0, places - RESERVED)
      if (wanted > 0 && available === 0) return []
      const given = Math.min(wanted, available)
      places -= given
      return [Object.assign(row, { room: given + ahead, dueSince: lane?.dueSince ?? ALWAYS })]
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

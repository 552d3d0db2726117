import type { Claimed, LaneRoom, LockedLane } from './claim-deliveries.ts'
import { Lane } from './lane.ts'
import type { LaneStatus } from './record-results.ts'

/** Requests of the process that are in flight or wait in a lane for its cap. */
const MAX_CLAIMED = 256

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

  get free(): number {
    return MAX_CLAIMED - this.all.reduce((sum, lane) => sum + lane.load, 0)
  }

  /** Shares out the free places. */
  choose(locked: readonly LockedLane[]): LaneRoom[] {
    let free = this.free
    return locked.flatMap((row) => {
      const lane = this.#lanes.get(keyOf(row)) ?? new Lane(row)
      const places = lane.load === 0 && free > 0 ? Math.max(1, free - RESERVED) : free - RESERVED
      if (places <= 0 && lane.room > 0) return []
      const room = Math.min(lane.room, Math.max(0, places))
      free -= room
      return [{ ...row, room }]
    })
  }

  /** Puts what was claimed into its lanes, and returns those. */
  add(rooms: readonly LaneRoom[], claimed: readonly Claimed[]): Lane[] {
    const taken = Map.groupBy(claimed, keyOf)
    return rooms.map((row) => {
      const key = keyOf(row)
      const deliveries = taken.get(key) ?? []
      const lane = this.#lanes.get(key) ?? new Lane(row)
      lane.more = deliveries.length >= row.room
      deliveries.forEach((delivery) => lane.add(delivery))
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

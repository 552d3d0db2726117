import type { Claimed, LaneRoom, LockedLane } from './claim-deliveries.ts'
import type { Target } from './target.ts'

/** Requests in flight to one subscription's receiver. */
const MAX_CAP = 10

/** For a fast receiver, the work of this time is claimed ahead, so that it need not wait for the next claim. */
const AHEAD_MS = 1_000
const MAX_AHEAD_OF_LANE = 1_000

/** Before all times. */
export const NO_LOWER_BOUND = '-infinity'

/** Longest wait of a delivery that became due before those already claimed, while there is a backlog. */
const SEARCH_ALL_EVERY_MS = 1_000

/** The deliveries of one subscription that this process has claimed. */
export class Lane {
  readonly tenantId: number
  readonly subscriptionId: number
  /** Requests that may be in flight at once: halved when the receiver struggles, raised by one with each success. */
  cap: number
  /** The last claim may have left due deliveries. */
  more = false
  target: Target
  sending = 0
  readonly #waiting: Claimed[] = []
  #lastDurationMs = Infinity
  /** When the last delivery of the last claim was due. */
  #claimedUntil = NO_LOWER_BOUND
  #searchedAllAt = -Infinity

  constructor({ tenantId, subscriptionId, cap }: LockedLane, target: Target) {
    this.tenantId = tenantId
    this.subscriptionId = subscriptionId
    this.cap = cap
    this.target = target
  }

  /** Deliveries claimed and not yet done. */
  get load(): number {
    return this.#waiting.length + this.sending
  }

  /** Number of deliveries to claim beyond the cap. */
  get ahead(): number {
    const ahead = this.cap === MAX_CAP ? Math.min(MAX_AHEAD_OF_LANE, Math.floor((this.cap * AHEAD_MS) / this.#lastDurationMs)) : 0
    return Math.max(0, ahead - Math.max(this.load, this.cap))
  }

  /**
   * Due time at which the next claim begins. Before it there are mostly dead index entries of claimed deliveries, many when a receiver is
   * fast; once a second the claim looks there too.
   */
  get dueSince(): string {
    return this.more && performance.now() - this.#searchedAllAt < SEARCH_ALL_EVERY_MS ? this.#claimedUntil : NO_LOWER_BOUND
  }

  /** Adds claimed deliveries. */
  add(claimed: readonly Claimed[], { room, dueSince }: LaneRoom): void {
    this.more = claimed.length >= room
    if (room > 0 && dueSince === NO_LOWER_BOUND) this.#searchedAllAt = performance.now()
    for (const delivery of claimed) {
      this.#waiting.push(delivery)
      if (this.#claimedUntil === NO_LOWER_BOUND || delivery.dueAt > this.#claimedUntil) this.#claimedUntil = delivery.dueAt
    }
  }

  /** Takes the next delivery to send if the cap allows one. */
  next(): Claimed | undefined {
    return this.sending < this.cap ? this.#waiting.shift() : undefined
  }

  /** Takes all deliveries that are not sent yet, or those of them that `isTaken` names, to hand them back. */
  takeWaiting(isTaken: (delivery: Claimed) => boolean = () => true): Claimed[] {
    const { taken = [], left = [] } = Object.groupBy(this.#waiting.splice(0), (one) => (isTaken(one) ? 'taken' : 'left'))
    this.#waiting.push(...left)
    return taken
  }

  succeeded(durationMs: number): void {
    this.cap = Math.min(MAX_CAP, this.cap + 1)
    this.#lastDurationMs = durationMs
  }

  struggled(): void {
    this.cap = Math.max(1, Math.floor(this.cap / 2))
  }
}

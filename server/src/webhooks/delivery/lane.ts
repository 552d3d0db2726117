import type { Claimed, LaneRoom, LockedLane } from './claim-deliveries.ts'
import type { Target } from './target.ts'

/** Requests in flight to one subscription's receiver. */
const MAX_CAP = 10

/** A receiver that answers fast gets the work of this time claimed ahead, so that it need not wait for the next claims. */
const AHEAD_MS = 1_000
const MAX_AHEAD = 1_000

/** Before all times. */
export const ALWAYS = '-infinity'

/** How long what has become due before what was claimed already can wait, while there is more than can be sent. */
const SEARCH_ALL_EVERY_MS = 1_000

/** The deliveries of one subscription that this process has claimed. */
export class Lane {
  readonly tenant_id: number
  readonly subscription_id: number
  /** Requests that may be in flight at once: halved when the receiver struggles, raised by one with each success. */
  cap: number
  /** The last claim may have left deliveries behind that were due. */
  more = false
  target: Target
  sending = 0
  readonly #waiting: Claimed[] = []
  #lastDurationMs = Infinity
  /** When the last delivery of the last claim was due. */
  #claimedUntil = ALWAYS
  #searchedAllAt = -Infinity

  constructor({ tenant_id, subscription_id, cap }: LockedLane, target: Target) {
    this.tenant_id = tenant_id
    this.subscription_id = subscription_id
    this.cap = cap
    this.target = target
  }

  /** Deliveries that are claimed and not done. */
  get load(): number {
    return this.#waiting.length + this.sending
  }

  /** How many more than the cap allows at once are to be claimed. */
  get ahead(): number {
    const ahead = this.cap === MAX_CAP ? Math.min(MAX_AHEAD, Math.floor((this.cap * AHEAD_MS) / this.#lastDurationMs)) : 0
    return Math.max(0, ahead - Math.max(this.load, this.cap))
  }

  /**
   * Where the next claim begins. Before that there are only the index entries of what was claimed, which are many when a receiver is fast;
   * every second it looks there too.
   */
  get dueSince(): string {
    return this.more && performance.now() - this.#searchedAllAt < SEARCH_ALL_EVERY_MS ? this.#claimedUntil : ALWAYS
  }

  /** Takes up what a claim has taken. */
  add(claimed: readonly Claimed[], { room, dueSince }: LaneRoom): void {
    this.more = claimed.length >= room
    if (room > 0 && dueSince === ALWAYS) this.#searchedAllAt = performance.now()
    for (const delivery of claimed) {
      this.#waiting.push(delivery)
      if (this.#claimedUntil === ALWAYS || delivery.due_at > this.#claimedUntil) this.#claimedUntil = delivery.due_at
    }
  }

  /** Takes the next delivery to send, when the cap allows one. */
  next(): Claimed | undefined {
    return this.sending < this.cap ? this.#waiting.shift() : undefined
  }

  /** Takes all that wait to be sent, to be handed back. */
  takeWaiting(): Claimed[] {
    return this.#waiting.splice(0)
  }

  succeeded(durationMs: number): void {
    this.cap = Math.min(MAX_CAP, this.cap + 1)
    this.#lastDurationMs = durationMs
  }

  struggled(): void {
    this.cap = Math.max(1, Math.floor(this.cap / 2))
  }
}

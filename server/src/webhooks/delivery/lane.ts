import type { Claimed } from './claim-deliveries.ts'

/** Requests in flight to one subscription's receiver. */
const MAX_CAP = 10

/** A receiver that answers fast gets the work of this time claimed ahead, so that it need not wait for the next claim. */
const AHEAD_MS = 1_000
const MAX_AHEAD = 128

/** The deliveries of one subscription that this process has claimed. */
export class Lane {
  readonly tenant_id: number
  readonly subscription_id: number
  /** Requests that may be in flight at once: halved when the receiver struggles, raised by one with each success. */
  cap: number
  /** The last claim may have left deliveries behind that were due. */
  more = false
  sending = 0
  readonly #waiting: Claimed[] = []
  #lastDurationMs = Infinity

  constructor({ tenant_id, subscription_id, cap }: { tenant_id: number; subscription_id: number; cap: number }) {
    this.tenant_id = tenant_id
    this.subscription_id = subscription_id
    this.cap = cap
  }

  /** Deliveries that are claimed and not done. */
  get load(): number {
    return this.#waiting.length + this.sending
  }

  /** How many more deliveries to claim. */
  get room(): number {
    const ahead = this.cap === MAX_CAP ? Math.min(MAX_AHEAD, this.cap * Math.floor(AHEAD_MS / this.#lastDurationMs)) : 0
    return Math.max(0, Math.max(this.cap, ahead) - this.load)
  }

  add(delivery: Claimed): void {
    this.#waiting.push(delivery)
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

import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'

/** How fast the demo goes. */
export class Pace {
  readonly #signal: AbortSignal
  /** Time between two orders. */
  readonly orderMs: number

  constructor(ordersPerMinute: number, signal: AbortSignal) {
    this.#signal = signal
    this.orderMs = 60_000 / ordersPerMinute
  }

  /** Time between two picks: two operators keep up with the orders. */
  get pickMs(): number {
    return this.orderMs / 3
  }

  /** Time between two steps at the dock: it keeps up with the deliveries and returns of all orders. */
  get dockMs(): number {
    return this.orderMs / 2
  }

  get isOver(): boolean {
    return this.#signal.aborted
  }

  /** Waits about that long; ends at once when the demo is over. */
  async wait(ms: number, random: Random): Promise<void> {
    await sleep(ms * (0.5 + random.next()), undefined, { signal: this.#signal }).catch(() => {})
  }
}

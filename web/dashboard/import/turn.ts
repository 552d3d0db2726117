/** After this long the page gets a turn. */
const TURN_MS = 8

/** Cuts long work into turns, so that the page stays responsive: `if (turn.isOver) await turn.next()`. */
export class Turn {
  readonly #signal: AbortSignal
  #beganAt = performance.now()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  get isOver(): boolean {
    return performance.now() - this.#beganAt >= TURN_MS
  }

  /** Lets the page do what waits. Throws when the work is to end. */
  async next(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve))
    this.#signal.throwIfAborted()
    this.#beganAt = performance.now()
  }
}

/** Samples of two minutes. After that, the newest sample is replaced, because the oldest ones determine the lag. */
const MAX_SAMPLES = 120

/**
 * The lag of a replica, measured by one clock. Once the replica reaches the position of a sample, it has everything that the primary had
 * when the sample was taken.
 */
export class ReplicaLag {
  /** Positions of the primary that are not replayed yet, oldest first. */
  readonly #samples: { position: number; atMs: number }[] = []
  #currentAtMs: number | undefined

  /** Adds the primary's position at a time. */
  sampled(position: number, atMs: number): void {
    if (this.#samples.length === MAX_SAMPLES) this.#samples.pop()
    this.#samples.push({ position, atMs })
  }

  /** Sets the position that the replica has replayed. */
  replayed(position: number): void {
    while (this.#samples[0] !== undefined && this.#samples[0].position <= position)
      this.#currentAtMs = this.#samples.shift()?.atMs
  }

  /** The maximum age of the replica's data, in seconds; undefined when it is not known. */
  seconds(nowMs: number): number | undefined {
    return this.#currentAtMs === undefined ? undefined : (nowMs - this.#currentAtMs) / 1_000
  }
}

/** Enough to know a lag of two minutes; the older of what is kept beyond that tells as much. */
const MAX_SAMPLES = 120

/**
 * How far a replica is behind, by one clock: it has everything that the primary had when a sample was taken, once its position is the
 * sample's or beyond.
 */
export class ReplicaLag {
  /** Of the primary, not yet replayed, oldest first. */
  readonly #samples: { position: number; atMs: number }[] = []
  #currentAtMs: number | undefined

  /** The primary's position at a moment. */
  sampled(position: number, atMs: number): void {
    if (this.#samples.length === MAX_SAMPLES) this.#samples.pop()
    this.#samples.push({ position, atMs })
  }

  /** The replica's position. */
  replayed(position: number): void {
    while (this.#samples[0] !== undefined && this.#samples[0].position <= position)
      this.#currentAtMs = this.#samples.shift()?.atMs
  }

  /** How long ago the primary had no more than the replica has; undefined when that is not known. */
  seconds(nowMs: number): number | undefined {
    return this.#currentAtMs === undefined ? undefined : (nowMs - this.#currentAtMs) / 1_000
  }
}

/** A scanner reads a code twice when the trigger stays pressed. */
const TRIGGER_MS = 300
/** Time out of sight after which a code that the camera sees counts again. */
const OUT_OF_SIGHT_MS = 1_500

/** Where a scan comes from. */
export type ScanSource = 'wedge' | 'camera'

/** Says whether a scan is an earlier one, read again. */
export class RepeatFilter {
  /** The last scan that was not a repeat. */
  #text: string | undefined
  #at = -Infinity
  /** When each code that was scanned and is not out of sight yet was last seen. */
  readonly #seenAt = new Map<string, number>()

  isRepeat(text: string, at: number, source: ScanSource): boolean {
    this.#forget(at)
    // Of several codes in view, the camera takes now this one and now that one: none is a new scan by that.
    const isRepeat = source === 'camera' ? this.#seenAt.has(text) : text === this.#text && at - this.#at < TRIGGER_MS
    if (!isRepeat) [this.#text, this.#at] = [text, at]
    this.#seenAt.set(text, at)
    return isRepeat
  }

  /** The camera sees a code, whether or not it takes it: one that was scanned has not been out of sight. */
  see(text: string, at: number): void {
    this.#forget(at)
    if (this.#seenAt.has(text)) this.#seenAt.set(text, at)
  }

  #forget(now: number): void {
    for (const [text, at] of this.#seenAt) if (now - at >= OUT_OF_SIGHT_MS) this.#seenAt.delete(text)
  }
}

/** Scanners read a code twice when the trigger stays pressed, and cameras as long as they see it. */
const SAME_SCAN_MS = { wedge: 300, camera: 1_500 }

/** Where a scan comes from. */
export type ScanSource = keyof typeof SAME_SCAN_MS

/** Says whether a scan is the one before, read again. */
export class RepeatFilter {
  #text: string | undefined
  #at = -Infinity

  isRepeat(text: string, at: number, source: ScanSource): boolean {
    const isRepeat = text === this.#text && at - this.#at < SAME_SCAN_MS[source]
    // A camera must have looked away from the code before it counts again.
    if (!isRepeat || source === 'camera') this.#at = at
    this.#text = text
    return isRepeat
  }
}

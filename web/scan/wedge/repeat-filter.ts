/** Scanners and cameras read a code twice when the trigger stays pressed. */
const SAME_SCAN_MS = { wedge: 300, camera: 1_500 }

/** Where a scan comes from. */
export type ScanSource = keyof typeof SAME_SCAN_MS

/** Says whether a scan is the one before, read again. */
export class RepeatFilter {
  #text: string | undefined
  #at = -Infinity

  isRepeat(text: string, at: number, source: ScanSource): boolean {
    if (text === this.#text && at - this.#at < SAME_SCAN_MS[source]) return true
    this.#text = text
    this.#at = at
    return false
  }
}

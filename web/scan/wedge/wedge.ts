import { usCharacter } from './us-layout.ts'

/** What the wedge reads of a `KeyboardEvent`. */
export type WedgeKey = Pick<
  KeyboardEvent,
  'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing' | 'repeat' | 'timeStamp'
>

/** Settings of the device for its scanner. */
export interface WedgeSettings {
  /** Longest pause between two characters of a scan, 20 to 120 ms. */
  gapMs: number
  /** The scanner ends its codes without Enter or Tab: silence ends them. */
  endsInSilence: boolean
}

/** A scan as it was typed. */
export interface WedgeScan {
  text: string
  /** The text if the scanner has a US keyboard, whatever the layout of the device. */
  usText: string
  /** Time of the last key. */
  at: number
}

/**
 * What a key is: no part of a burst, the first or a further character of one, the end of a scan, or one more end of the same scan. After `scan`
 * and `tail` the key's default must be prevented; what the characters did to a text field since `first` must be undone.
 */
export type WedgeStep = { kind: 'other' | 'first' | 'more' | 'tail' } | { kind: 'scan'; scan: WedgeScan }

export const DEFAULT_WEDGE: WedgeSettings = { gapMs: 35, endsInSilence: false }

/** Times for scanners of the usual gap. A slow one sends Enter as late as its characters, and is not silent between two of them. */
const SILENCE_MS = 80
const LONGER_THAN_GAP_MS = 20
const END_WITHIN_MS = 60
const MIN_CHARACTERS = 2
const MIN_CHARACTERS_IN_SILENCE = 6
/** Separates the fields of GS1 codes. Some scanners type it as Ctrl and `]`. */
const GROUP_SEPARATOR = '\u001D'
const OTHER: WedgeStep = { kind: 'other' }
const TAIL: WedgeStep = { kind: 'tail' }

/** Finds scans in key presses by their speed: a scanner types faster than a person. It remembers one burst and knows no clock. */
export class Wedge {
  settings: WedgeSettings
  #text = ''
  #usText = ''
  #lastAt = -Infinity
  /** When the last key came that ended a scan. */
  #endedAt = -Infinity

  constructor(settings: WedgeSettings = DEFAULT_WEDGE) {
    this.settings = settings
  }

  /** Reads a key. */
  press(key: WedgeKey): WedgeStep {
    if (key.isComposing || key.repeat || key.altKey || key.metaKey) return OTHER
    if (key.key === 'Enter' || key.key === 'Tab') return key.ctrlKey ? OTHER : this.#end(key.timeStamp)
    const character = characterOf(key)
    if (character === undefined) return OTHER
    const isFirst = this.#text === '' || key.timeStamp - this.#lastAt > this.settings.gapMs
    if (isFirst) this.#forget()
    this.#text += character
    this.#usText += character === GROUP_SEPARATOR ? character : (usCharacter(key.code, key.shiftKey) ?? character)
    this.#lastAt = key.timeStamp
    return { kind: isFirst ? 'first' : 'more' }
  }

  /** Silence after which a burst without Enter is a scan. */
  get silenceMs(): number {
    return Math.max(SILENCE_MS, this.settings.gapMs + LONGER_THAN_GAP_MS)
  }

  /** Call it when no key came for `silenceMs`: the burst may be a scan. */
  silence(now: number): WedgeStep {
    const isScan =
      this.settings.endsInSilence && this.#text.length >= MIN_CHARACTERS_IN_SILENCE && now - this.#lastAt >= this.silenceMs
    return isScan ? this.#scan(this.#lastAt) : OTHER
  }

  #end(at: number): WedgeStep {
    const withinMs = Math.max(END_WITHIN_MS, this.settings.gapMs)
    const isScan = this.#text.length >= MIN_CHARACTERS && at - this.#lastAt <= withinMs
    // Some scanners end a code with two Enters, for CR and LF, or with Enter and Tab: the second must not press the button that has the focus.
    const isTail = this.#text === '' && at - this.#endedAt <= withinMs
    if (isScan || isTail) this.#endedAt = at
    if (isScan) return this.#scan(at)
    this.#forget()
    return isTail ? TAIL : OTHER
  }

  #scan(at: number): WedgeStep {
    const scan = { text: this.#text, usText: this.#usText, at }
    this.#forget()
    return { kind: 'scan', scan }
  }

  #forget(): void {
    this.#text = ''
    this.#usText = ''
    this.#lastAt = -Infinity
  }
}

function characterOf({ key, code, shiftKey, ctrlKey }: WedgeKey): string | undefined {
  if (ctrlKey) return key === ']' || code === 'BracketRight' ? GROUP_SEPARATOR : undefined
  // An accent of the layout, for a letter after it: the scanner means a character of its own.
  if (key === 'Dead') return usCharacter(code, shiftKey)
  return Array.from(key).length === 1 ? key : undefined
}

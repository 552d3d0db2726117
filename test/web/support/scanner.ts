import { setTimeout } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { ENTER, type Keystroke, keystrokes, TAB } from './bursts.ts'

export interface BurstOptions {
  /** Pause between two keys. */
  gapMs?: number
  end?: 'enter' | 'two enters' | 'tab' | 'none'
  layout?: 'us' | 'german'
}

const VIRTUAL_KEYS: Record<string, number> = { Enter: 13, Tab: 9, ' ': 32 }
const TEXTS: Record<string, string> = { Enter: '\r', Tab: '', Dead: '' }
/** Longer than the time in which the same code is one scan. */
const AIM_SECONDS = 0.32
/** Enter belongs to a scan for 60 ms after the last character. */
const LATE_ENTER_SECONDS = 0.03
const SHIFT = 8
const CTRL = 2

/** A wedge scanner at the browser: it presses keys over the debugging protocol, at times that no load of the machine changes. */
export class Scanner {
  readonly #cdp: CDPSession
  /** Seconds since 1970, as the protocol counts. */
  #lastAt = 0

  private constructor(cdp: CDPSession) {
    this.#cdp = cdp
  }

  static async at(page: Page): Promise<Scanner> {
    return new Scanner(await page.context().newCDPSession(page))
  }

  async scan(text: string, { gapMs = 8, end = 'enter', layout = 'us' }: BurstOptions = {}): Promise<void> {
    const ends = { enter: [ENTER], 'two enters': [ENTER, ENTER], tab: [TAB], none: [] }[end]
    const keys = [...keystrokes(text, layout), ...ends]
    let at = await this.#begin((keys.length * gapMs) / 1000)
    const presses: Promise<void>[] = []
    for (const key of keys) {
      const press = this.#press(key, at)
      presses.push(press)
      // Where silence ends a scan, real time counts: the next key must not wait until this process has heard of the one before.
      if (end !== 'none') await press
      at += gapMs / 1000
    }
    await Promise.all(presses)
    this.#lastAt = at
  }

  /** Scans in real time: the last key has the time at which it is sent, so that the browser measures from there. */
  async scanNow(text: string, gapMs = 12): Promise<void> {
    let at = await this.#begin(0)
    const presses: Promise<void>[] = []
    for (const key of keystrokes(text)) {
      // A scanner does not wait until the browser has seen a key.
      presses.push(this.#press(key, at))
      at += gapMs / 1000
      await setTimeout(gapMs)
    }
    // Not later than Enter may come, should this process have been held up.
    this.#lastAt = Math.min(Date.now() / 1000, at + LATE_ENTER_SECONDS)
    await Promise.all([...presses, this.#press(ENTER, this.#lastAt)])
  }

  /** Scans one code right after the other. */
  async scanAll(texts: readonly string[], gapMs = 8): Promise<void> {
    const keys = texts.flatMap((text) => [...keystrokes(text), ENTER])
    let at = await this.#begin((keys.length * gapMs) / 1000)
    for (const key of keys) {
      await this.#press(key, at)
      at += gapMs / 1000
    }
    this.#lastAt = at
  }

  /** Time of the first key of a burst that takes so long: after a person has aimed again, and so that no key is in the future. */
  async #begin(seconds: number): Promise<number> {
    const waitMs = (this.#lastAt + AIM_SECONDS + seconds) * 1000 - Date.now()
    if (waitMs > 0) await setTimeout(waitMs)
    return Date.now() / 1000 - seconds
  }

  async #press({ key, code, shiftKey, ctrlKey }: Keystroke, timestamp: number): Promise<void> {
    const common = {
      key,
      code,
      modifiers: (shiftKey ? SHIFT : 0) + (ctrlKey ? CTRL : 0),
      ...(VIRTUAL_KEYS[key] === undefined ? {} : { windowsVirtualKeyCode: VIRTUAL_KEYS[key] }),
      timestamp,
    }
    const text = ctrlKey ? '' : (TEXTS[key] ?? key)
    await this.#cdp.send('Input.dispatchKeyEvent', { ...common, type: text === '' ? 'rawKeyDown' : 'keyDown', text })
    await this.#cdp.send('Input.dispatchKeyEvent', { ...common, type: 'keyUp' })
  }
}

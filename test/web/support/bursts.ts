import { usCharacter } from '../../../web/scan/wedge/us-layout.ts'
import type { WedgeKey } from '../../../web/scan/wedge/wedge.ts'

/** A key as the browser reports it. */
export type Keystroke = Pick<WedgeKey, 'key' | 'code' | 'shiftKey' | 'ctrlKey'>

/** What a German keyboard gives where it differs from the US one, by `code`, without and with Shift. Its accents are dead keys. */
const GERMAN: Record<string, string | readonly string[]> = {
  KeyY: 'zZ',
  KeyZ: 'yY',
  Minus: 'ß?',
  Slash: '-_',
  Semicolon: 'öÖ',
  Digit7: '7/',
  BracketRight: '+*',
  Equal: ['Dead', 'Dead'],
}

const CODES = [
  ...Array.from('0123456789', (digit) => `Digit${digit}`),
  ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (letter) => `Key${letter}`),
  'Space',
  'Minus',
  'Equal',
  'BracketLeft',
  'BracketRight',
  'Backslash',
  'Semicolon',
  'Quote',
  'Comma',
  'Period',
  'Slash',
]

/** The keys that a scanner with a US keyboard presses for a text, on a device with this layout. GS is Ctrl and `]`. */
export function keystrokes(text: string, layout: 'us' | 'german' = 'us'): Keystroke[] {
  return Array.from(text, (character) => {
    if (character === '\u001D') return { key: layout === 'us' ? ']' : '+', code: 'BracketRight', shiftKey: false, ctrlKey: true }
    const [code, shiftKey] = CODES.flatMap((code) => [[code, false] as const, [code, true] as const]).find(
      ([code, isShifted]) => usCharacter(code, isShifted) === character,
    ) ?? ['', false]
    const key = layout === 'us' ? character : (GERMAN[code]?.[shiftKey ? 1 : 0] ?? character)
    return { key, code, shiftKey, ctrlKey: false }
  })
}

export const ENTER: Keystroke = { key: 'Enter', code: 'Enter', shiftKey: false, ctrlKey: false }
export const TAB: Keystroke = { key: 'Tab', code: 'Tab', shiftKey: false, ctrlKey: false }

/** Key presses at these times, with the press of Shift that a scanner sends before a capital letter. */
export function burst(keys: readonly Keystroke[], at: (index: number) => number): WedgeKey[] {
  const rest = { altKey: false, metaKey: false, isComposing: false, repeat: false }
  return keys.flatMap((key, index) => {
    const press: WedgeKey = { ...key, ...rest, timeStamp: at(index) }
    const shift: WedgeKey = { ...press, key: 'Shift', code: 'ShiftLeft' }
    return key.shiftKey ? [shift, press] : [press]
  })
}

import { isNumber } from '@fulfillment/codes/is-number.ts'
import type { KeyboardEvent } from 'react'
import { t } from '../../shared/texts/texts.ts'

/**
 * What makes an input one for a number. Its type is text: of a number's input, browsers leave out what they cannot read, so that `3,5` would
 * become 35.
 */
export const numberInput = (value: string | undefined, onChange: ((value: string) => void) | undefined) => ({
  type: 'text',
  role: 'spinbutton',
  inputMode: 'decimal' as const,
  'aria-valuenow': value !== undefined && isNumber(value) ? Number(value) : undefined,
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>): void => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    const { value: text, readOnly } = event.currentTarget
    if (step === undefined || readOnly || !isNumber(text || '0')) return
    event.preventDefault()
    // Without the error of binary fractions: 0.7 + 1 is 1.7.
    onChange?.(String(Number((Number(text) + step).toFixed(6))))
  },
})

/** Whether the input is one for a number and has another text. */
export const isNoNumber = (input: HTMLInputElement): boolean =>
  input.getAttribute('role') === 'spinbutton' && input.value.trim() !== '' && !isNumber(input.value)

/** The number of a field. An empty one is not sent: the server says that it is required. NaN for a text that is no number. */
export const numberOf = (text: string): number => (text.trim() === '' ? (undefined as unknown as number) : Number(text))

/** The number of a field that can be emptied: an empty one is null. */
export const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** The same as `numberOf`. Throws an error that says how to write a number. */
export function checkedNumber(text: string): number {
  if (text.trim() !== '' && !isNumber(text)) throw new Error(t.states.noNumber)
  return numberOf(text)
}

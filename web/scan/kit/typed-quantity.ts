import { t } from '../../shared/texts/scan-texts.ts'

/** Three digits after a comma may be thousands: `1,234` is neither 1.234 nor 1234. `0,125` is 0.125. */
const withPoint = (typed: string): string => (/^[1-9]\d*,\d{3}$/.test(typed) ? typed : typed.replace(',', '.'))

const MAX_DIGITS = 9
const MAX_DECIMALS = 3

/** The quantity that was typed, with a point or a comma; undefined if it is none, or a fraction where only whole pieces are possible. */
export function quantityOf(typed: string, isWhole = false): number | undefined {
  return /\d/.test(typed) && problemOf(typed, isWhole) === undefined ? Number(withPoint(typed)) : undefined
}

/** What is wrong with what was typed; undefined if it is a quantity, or the beginning of one: nothing, or a point alone. */
export function problemOf(typed: string, isWhole: boolean): string | undefined {
  const text = withPoint(typed)
  if (!/^\d*\.?\d*$/.test(text)) return t.quantity.noNumber
  if (isWhole && !Number.isInteger(Number(text))) return t.quantity.wholeOnly
  const [digits = '', decimals = ''] = text.split('.')
  if (digits.length > MAX_DIGITS) return t.quantity.tooManyDigits(MAX_DIGITS)
  return decimals.length > MAX_DECIMALS ? t.quantity.tooManyDecimals(MAX_DECIMALS) : undefined
}

import { t } from '../../shared/texts/scan-texts.ts'

/** Three digits after a comma may be thousands: `1,234` is neither 1.234 nor 1234. `0,125` is 0.125. */
const withPoint = (typed: string): string => (/^[1-9]\d*,\d{3}$/.test(typed) ? typed : typed.replace(',', '.'))

/** The quantity that was typed, with a point or a comma; undefined if it is none, or a fraction where only whole pieces are possible. */
export function quantityOf(typed: string, isWhole = false): number | undefined {
  const text = withPoint(typed)
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(text)) return undefined
  const quantity = Number(text)
  return isWhole && !Number.isInteger(quantity) ? undefined : quantity
}

/** What is wrong with what was typed; undefined if it is a quantity, or the beginning of one. */
export function problemOf(typed: string, isWhole: boolean): string | undefined {
  const text = withPoint(typed)
  if (!/^\d*\.?\d*$/.test(text)) return t.quantity.noNumber
  return isWhole && !Number.isInteger(Number(text)) ? t.quantity.wholeOnly : undefined
}

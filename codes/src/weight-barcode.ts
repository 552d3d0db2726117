import { hasCheckDigit } from './gtin.ts'

/** A pattern of EAN-13 codes that contain a weight: fixed digits, `I` for the item, `W` for the weight, `X` for digits that mean nothing, `C`. */
export interface WeightPattern {
  pattern: string
  /** Of the weight in kilograms. */
  decimals: number
}

/** What a code with a weight says. */
export interface WeighedItem {
  /** The code up to its last digit of the item: the product's barcode. */
  item: string
  /** In kilograms. */
  weight: number
}

/** An EAN-13 with a valid check digit. A UPC-A, which scanners send as 12 digits, is the EAN-13 with a 0 before it. Undefined for other texts. */
export const ean13Of = (code: string): string | undefined =>
  /^\d{12,13}$/.test(code) && hasCheckDigit(code) ? code.padStart(13, '0') : undefined

/** What an EAN-13 or UPC-A says by the first pattern that it fits; undefined if it fits none. */
export function readWeight(code: string, patterns: readonly WeightPattern[]): WeighedItem | undefined {
  const ean13 = ean13Of(code)
  if (ean13 === undefined) return undefined
  const fitting = patterns.find(({ pattern }) => fits(ean13, pattern))
  if (fitting === undefined) return undefined
  const { pattern, decimals } = fitting
  const digits = ean13.slice(pattern.indexOf('W'), pattern.lastIndexOf('W') + 1)
  return { item: ean13.slice(0, pattern.lastIndexOf('I') + 1), weight: Number(`${digits}e-${decimals}`) }
}

const fits = (code: string, pattern: string): boolean =>
  Array.from(pattern).every((letter, index) => !/\d/.test(letter) || letter === code[index])

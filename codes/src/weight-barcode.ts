import { hasCheckDigit } from './gtin.ts'

/** A pattern of EAN-13 codes that contain a weight: fixed digits, `I` for the item, `W` for the weight, `X` for digits that mean nothing, `C`. */
export interface WeightPattern {
  pattern: string
  /** Of the weight in kilograms. */
  decimals: number
}

/** What an EAN-13 with a weight says. */
export interface WeighedItem {
  /** The code up to its last digit of the item: the product's barcode. */
  item: string
  /** In kilograms. */
  weight: number
}

/** Whether a code has 13 digits with a valid check digit. */
export const isEan13 = (code: string): boolean => /^\d{13}$/.test(code) && hasCheckDigit(code)

/** What an EAN-13 says by the first pattern that it fits; undefined if it fits none. */
export function readWeight(code: string, patterns: readonly WeightPattern[]): WeighedItem | undefined {
  const fitting = isEan13(code) ? patterns.find(({ pattern }) => fits(code, pattern)) : undefined
  if (fitting === undefined) return undefined
  const { pattern, decimals } = fitting
  const digits = code.slice(pattern.indexOf('W'), pattern.lastIndexOf('W') + 1)
  return { item: code.slice(0, pattern.lastIndexOf('I') + 1), weight: Number(`${digits}e-${decimals}`) }
}

const fits = (code: string, pattern: string): boolean =>
  Array.from(pattern).every((letter, index) => !/\d/.test(letter) || letter === code[index])

const GTIN = /^(?:\d{8}|\d{12,14})$/
const LENGTHS = [14, 13, 12, 8] as const
const LONGEST = LENGTHS[0]

/**
 * Whether the last digit is the check digit of the others, as in every GTIN: from the right, digits count three times and once in turn
 * (GS1 General Specifications, 7.9.1).
 */
export const hasCheckDigit = (digits: string): boolean => weightedSum(digits) % 10 === 0

function weightedSum(digits: string): number {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const weight = (digits.length - index) % 2 === 0 ? 3 : 1
    sum += weight * Number(digits[index])
  }
  return sum
}

/** The digits and their check digit. */
export const withCheckDigit = (digits: string): string => `${digits}${(10 - (weightedSum(`${digits}0`) % 10)) % 10}`

/** A GTIN-8, 12, 13 or 14 as 14 digits. Undefined for other texts, and for a wrong check digit. */
export function gtinOf(text: string): string | undefined {
  return GTIN.test(text) && hasCheckDigit(text) ? text.padStart(LONGEST, '0') : undefined
}

/** Whether two codes name the same product: they are equal, or the same GTIN in two lengths. */
export function isSameCode(one: string, other: string): boolean {
  const gtin = gtinOf(one)
  return one === other || (gtin !== undefined && gtin === gtinOf(other))
}

/** The codes that mean a GTIN of 14 digits: itself, and without leading zeros. The longest first. */
export function spellingsOf(gtin: string): string[] {
  return LENGTHS.filter((length) => /^0*$/.test(gtin.slice(0, LONGEST - length))).map((length) => gtin.slice(LONGEST - length))
}

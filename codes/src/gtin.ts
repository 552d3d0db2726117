const GTIN = /^(?:\d{8}|\d{12,14})$/
/** Only UPC-A with prefix 0 have one. Most are also valid as a GTIN-8. */
const UPC_E = /^0\d{7}$/
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

/** The GTIN of a UPC-E symbol that a scanner sends as its 8 digits, as 14 digits. Undefined for other texts, and for a wrong check digit. */
export const gtinOfUpcE = (text: string): string | undefined => (UPC_E.test(text) ? gtinOf(upcAOf(text)) : undefined)

/** The UPC-A of a UPC-E, by the digit that says where it leaves out zeros (GS1 General Specifications, 5.2.2.4.2). */
function upcAOf(upcE: string): string {
  const rule = Number(upcE[6])
  const length = rule < 3 ? 3 : Math.min(rule + 1, 6)
  const start = upcE.slice(0, length) + (rule < 3 ? rule : '')
  const end = upcE.slice(length, 6) + (rule > 4 ? rule : '')
  return `${start}${end.padStart(11 - start.length, '0')}${upcE[7]}`
}

/** Whether a scanned code names the product with a barcode: they are equal, the same GTIN in two lengths, or the code is a UPC-E of it. */
export const isCodeOf = (code: string, barcode: string): boolean =>
  code === barcode || [gtinOf(code), gtinOfUpcE(code)].some((gtin) => gtin !== undefined && gtin === gtinOf(barcode))

/** The codes that mean a GTIN of 14 digits: itself, and without leading zeros. The longest first. */
export function spellingsOf(gtin: string): string[] {
  return LENGTHS.filter((length) => /^0*$/.test(gtin.slice(0, LONGEST - length))).map((length) => gtin.slice(LONGEST - length))
}

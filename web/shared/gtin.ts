const GTIN = /^(?:\d{8}|\d{12,14})$/
const LONGEST = 14

/** Whether two product codes name the same product: they are equal, or the same GTIN-8, 12, 13 or 14 but for leading zeros. */
export function isSameCode(one: string, other: string): boolean {
  return one === other || (GTIN.test(one) && GTIN.test(other) && one.padStart(LONGEST, '0') === other.padStart(LONGEST, '0'))
}

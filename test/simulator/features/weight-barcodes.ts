import type { ClientState, Product } from '../client-state.ts'

/** Codes of goods weighed in a shop: section 9 of the extensions. Each client of a tenant has item numbers of its own. */

/** Items of a client. */
export const MAX_ITEMS = 2_000
const ITEM = /^21\d{5}$/

/** The setting of all tenants: two fixed digits, the item, and the weight in grams. */
export const WEIGHT_BARCODES = [{ pattern: '21IIIIIWWWWWC', decimals: 3 }]

/** The barcode of an item, which its weighed codes begin with. */
export const itemBarcode = ({ name }: ClientState, item: number): string =>
  `21${String(Number(name.split('-').at(-1)) * MAX_ITEMS + item).padStart(5, '0')}`

/** The barcode of a product whose codes tell a weight, if it has one. */
export const itemBarcodeOf = ({ weighable, barcodes }: Product): string | undefined =>
  weighable ? barcodes.find(({ barcode }) => ITEM.test(barcode))?.barcode : undefined

/** The code of so many kilograms of an item: an EAN-13. */
export function weighedCode(barcode: string, kilograms: number): string {
  const digits = `${barcode}${String(Math.round(kilograms * 1_000)).padStart(5, '0')}`
  const sum = digits.split('').reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

import { NO_TOLERANCE } from './tolerance.ts'

/** The fields of a product that a bulk call can set. */
export interface BulkFields {
  name: string
  sku: string | null
  category: string | null
  price: number | null
  weight: number | null
  /** null as an item's value is 0. */
  pick_tolerance_percent: number | null
}

/** A product before the call. */
export interface StoredProduct extends BulkFields {
  /** The ctid of its row. */
  tuple_id: string
  barcode: string
  weighable: boolean
}

/** A product during the call. A product that the call creates has no row yet. */
type Product = Omit<StoredProduct, 'tuple_id'> & { tuple_id: string | null }

/** An item with its given fields, or why it is invalid. */
export type BulkItem = ValidBulkItem | InvalidItem
export type ValidBulkItem = { barcode: string } & { [field in keyof BulkFields]?: BulkFields[field] | undefined }
interface InvalidItem {
  barcode: string
  error: string
}

/** A change by an item, and the product right after it. */
export interface ProductChange {
  product: Product
  /** Undefined when the item created the product. */
  updatedFields: (keyof BulkFields)[] | undefined
}

export interface BulkOutcome {
  created: number
  updated: number
  errors: { barcode: string; error: string; index: number }[]
  /** Actual changes only, in item order. */
  changes: ProductChange[]
}

const FIELDS = [
  'name',
  'sku',
  'category',
  'price',
  'weight',
  'pick_tolerance_percent',
] as const satisfies readonly (keyof BulkFields)[]

/**
 * Applies the items one after the other, in memory. `stored` must hold every product with the barcode of an item. For a correct result of
 * items that set an SKU, it must also hold the products with those SKUs. `additional` are the barcodes of items that are additional ones: no
 * new product gets one.
 */
export function applyBulkItems(
  stored: readonly StoredProduct[],
  items: readonly BulkItem[],
  additional: ReadonlySet<string> = new Set(),
): BulkOutcome {
  const products = new Map<string, Product>(stored.map((product) => [product.barcode, product]))
  const barcodeOfSku = new Map<string | null, string>(stored.map(({ sku, barcode }) => [sku, barcode]))
  const outcome: BulkOutcome = { created: 0, updated: 0, errors: [], changes: [] }

  for (const [index, item] of items.entries()) {
    const { barcode } = item
    const before = products.get(barcode)
    const after = 'error' in item ? item.error : applied(item, before, { barcodeOfSku, additional })
    if (typeof after === 'string') {
      outcome.errors.push({ barcode, error: after, index })
      continue
    }
    products.set(barcode, after)
    if (before !== undefined) barcodeOfSku.delete(before.sku)
    barcodeOfSku.set(after.sku, barcode)
    outcome[before === undefined ? 'created' : 'updated']++
    const change = changeOf(before, after)
    if (change !== undefined) outcome.changes.push(change)
  }
  return outcome
}

/** The outcome when each valid item has updated its product. Without the changes. */
export function allUpdated(items: readonly BulkItem[]): BulkOutcome {
  const errors = items.flatMap((item, index) => ('error' in item ? [{ ...item, index }] : []))
  return { created: 0, updated: items.length - errors.length, errors, changes: [] }
}

/** The SKUs and additional barcodes that are taken. */
interface Names {
  barcodeOfSku: ReadonlyMap<string | null, string>
  additional: ReadonlySet<string>
}

/** The product after the item, or why the item fails. */
function applied(item: ValidBulkItem, before: Product | undefined, { barcodeOfSku, additional }: Names): Product | string {
  const { barcode } = item
  if (before === undefined && additional.has(barcode)) return 'barcode: is an additional barcode of another product'
  const name = item.name ?? before?.name
  if (name === undefined) return 'name: is required for a new product'
  const sku = given(item.sku, before?.sku)
  if (sku !== null && (barcodeOfSku.get(sku) ?? barcode) !== barcode) return 'sku: another product has this sku'
  const tolerance = given(item.pick_tolerance_percent, before?.pick_tolerance_percent) ?? 0
  // A product that the call creates is not weighable.
  if (tolerance > 0 && before?.weighable !== true) return `pick_tolerance_percent: ${NO_TOLERANCE}`
  // Field by field: copying whole objects took a tenth of the call.
  return {
    tuple_id: before?.tuple_id ?? null,
    barcode,
    name,
    sku,
    category: given(item.category, before?.category),
    price: given(item.price, before?.price),
    weight: given(item.weight, before?.weight),
    pick_tolerance_percent: tolerance,
    weighable: before?.weighable === true,
  }
}

const given = <Value>(value: Value | null | undefined, before: Value | null | undefined): Value | null =>
  value === undefined ? (before ?? null) : value

function changeOf(before: Product | undefined, product: Product): ProductChange | undefined {
  const updatedFields = before === undefined ? undefined : FIELDS.filter((field) => before[field] !== product[field])
  return updatedFields?.length === 0 ? undefined : { product, updatedFields }
}

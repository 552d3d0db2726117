/** What a bulk call can set of a product. */
export interface BulkFields {
  name: string
  sku: string | null
  category: string | null
  price: number | null
  weight: number | null
}

/** A product as it is before the call. */
export interface StoredProduct extends BulkFields {
  id: number
  barcode: string
}

/** A product during the call: it has no id yet when the call creates it. */
type Product = Omit<StoredProduct, 'id'> & { id?: number }

/** An item of the call, or why it is not one. */
export type BulkItem = { barcode: string; fields: Partial<BulkFields> } | { barcode: string; error: string }

/** What an item did to a product, and the product as it was right after it. */
export interface ProductChange {
  topic: 'product/created' | 'product/updated'
  product: Product
  updated_fields: (keyof BulkFields)[]
}

export interface BulkOutcome {
  created: number
  updated: number
  errors: { barcode: string; error: string; index: number }[]
  /** Only real changes, in the order of the items. */
  changes: ProductChange[]
}

const FIELDS = ['name', 'sku', 'category', 'price', 'weight'] as const satisfies readonly (keyof BulkFields)[]
const NOTHING = { sku: null, category: null, price: null, weight: null }

/** Plays the items through, one after the other. `stored` holds every product that has the barcode or the SKU of an item. */
export function applyBulkItems(stored: readonly StoredProduct[], items: readonly BulkItem[]): BulkOutcome {
  const products = new Map<string, Product>(stored.map((product) => [product.barcode, product]))
  const barcodeOfSku = new Map(stored.map(({ sku, barcode }) => [sku, barcode]))
  const outcome: BulkOutcome = { created: 0, updated: 0, errors: [], changes: [] }

  for (const [index, item] of items.entries()) {
    const { barcode } = item
    const before = products.get(barcode)
    const after = 'error' in item ? item.error : applied(item, before, barcodeOfSku)
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

/** The product after the item, or what stands against it. */
function applied(
  { barcode, fields }: Extract<BulkItem, { fields: unknown }>,
  before: Product | undefined,
  barcodeOfSku: ReadonlyMap<string | null, string>,
): Product | string {
  const { name = before?.name, ...given } = fields
  if (name === undefined) return 'name: is required for a new product'
  const after = { ...(before ?? NOTHING), ...given, barcode, name }
  const isTaken = after.sku !== null && (barcodeOfSku.get(after.sku) ?? barcode) !== barcode
  return isTaken ? 'sku: another product has this sku' : after
}

function changeOf(before: Product | undefined, product: Product): ProductChange | undefined {
  if (before === undefined) return { topic: 'product/created', product, updated_fields: [] }
  const updatedFields = FIELDS.filter((field) => before[field] !== product[field])
  return updatedFields.length === 0 ? undefined : { topic: 'product/updated', product, updated_fields: updatedFields }
}

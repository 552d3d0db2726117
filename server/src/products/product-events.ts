import { isoTimestamp } from '../events/index.ts'

const identity = (product: string): string =>
  `'product_id', ${product}.id, 'sku', ${product}.external_id, 'barcode', ${product}.barcode, 'name', ${product}.name`

/** SQL for the data of `product/created`; `product` is a row of the table. */
export function productCreated(product: string): string {
  return `json_build_object(${identity(product)}, 'description', ${product}.description, 'category', ${product}.category, 'price', ${product}.price,
    'cost', ${product}.cost, 'weight', ${product}.weight, 'created_at', ${isoTimestamp(`${product}.created_at`)})`
}

/** SQL for the data of `product/updated`; `updatedFields` becomes a JSON array. */
export function productUpdated(product: string, updatedFields: string): string {
  return `json_build_object(${identity(product)}, 'updated_fields', ${updatedFields}, 'updated_at', ${isoTimestamp(`${product}.updated_at`)})`
}

/** SQL for the data of `product/deleted`; the product was deleted by the change that `updated_at` tells. */
export function productDeleted(product: string): string {
  return `json_build_object(${identity(product)}, 'deleted_at', ${isoTimestamp(`${product}.updated_at`)})`
}

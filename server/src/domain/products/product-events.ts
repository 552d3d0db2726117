import { productCreated, productDeleted, productUpdated } from './product-topics.ts'
import { eventData } from '../events/index.ts'

// SQL for the `data` of product events. `product` is the alias of a row of the table.

const identity = (product: string) => ({
  product_id: `${product}.id`,
  sku: `${product}.external_id`,
  barcode: `${product}.barcode`,
  name: `${product}.name`,
})

/** Data of `product/created`. */
export function productCreatedData(product: string): string {
  return eventData(productCreated, {
    ...identity(product),
    description: `${product}.description`,
    category: `${product}.category`,
    price: `${product}.price`,
    cost: `${product}.cost`,
    weight: `${product}.weight`,
    created_at: `${product}.created_at`,
  })
}

/** Data of `product/updated`. `updatedFields` is SQL for an array of names, or for one as json; `updatedAt` for the time of the change. */
export function productUpdatedData(product: string, updatedFields: string, updatedAt = `${product}.updated_at`): string {
  return eventData(productUpdated, {
    ...identity(product),
    updated_fields: updatedFields,
    updated_at: updatedAt,
  })
}

/** Data of `product/deleted`. `updated_at` is the time of deletion. */
export function productDeletedData(product: string): string {
  return eventData(productDeleted, { ...identity(product), deleted_at: `${product}.updated_at` })
}

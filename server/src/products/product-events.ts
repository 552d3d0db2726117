import { eventData } from '../events/index.ts'

// What `data` of the events about products holds, as SQL. `product` is the alias of a row of the table.

const identity = (product: string) => ({
  product_id: `${product}.id`,
  sku: `${product}.external_id`,
  barcode: `${product}.barcode`,
  name: `${product}.name`,
})

/** Data of `product/created`. */
export function productCreated(product: string): string {
  return eventData('product/created', {
    ...identity(product),
    description: `${product}.description`,
    category: `${product}.category`,
    price: `${product}.price`,
    cost: `${product}.cost`,
    weight: `${product}.weight`,
    created_at: `${product}.created_at`,
  })
}

/** Data of `product/updated`. `updatedFields` is SQL for an array of names, or for one as json. */
export function productUpdated(product: string, updatedFields: string): string {
  return eventData('product/updated', {
    ...identity(product),
    updated_fields: updatedFields,
    updated_at: `${product}.updated_at`,
  })
}

/** Data of `product/deleted`; the product was deleted by the change that `updated_at` tells. */
export function productDeleted(product: string): string {
  return eventData('product/deleted', { ...identity(product), deleted_at: `${product}.updated_at` })
}

import type { z } from 'zod'
import { bulkItem } from '../../domain/products/index.ts'
import { stockUpdate } from '../../domain/stock/index.ts'
import type { FulfillmentClient } from '../sdk.ts'

/** One item of a request. */
export type Item = Record<string, unknown>

/** The result of a batch: the number of items per result, and the errors of the items that were not applied. */
export interface BatchResult {
  counts: Record<string, number>
  errors: { index: number; error: string }[]
}

/** A bulk endpoint that a file can be imported into. */
export interface ImportTarget {
  name: 'products' | 'stock'
  description: string
  /** The API's own schema of an item: its fields are the columns. */
  schema: z.ZodType
  /** Other names of fields, as used in the API's responses. */
  aliases: Readonly<Record<string, string>>
  createsLocations: boolean
  /** The name of an item in messages. */
  labelOf(item: Item): string
  send(client: FulfillmentClient, items: Item[], idempotencyKey: string): Promise<BatchResult>
}

const PRODUCTS: ImportTarget = {
  name: 'products',
  description: 'Create and update products, matched by barcode',
  schema: bulkItem,
  aliases: { external_id: 'sku' },
  createsLocations: false,
  labelOf: ({ barcode }) => `barcode ${textOf(barcode)}`,
  send: async (client, items, idempotencyKey) => {
    const { created, updated, errors } = await client.products.bulk({ products: items as never }, { idempotencyKey })
    return { counts: { created, updated }, errors }
  },
}

const STOCK: ImportTarget = {
  name: 'stock',
  description: 'Set stock levels of products at locations. A location that does not exist is created',
  schema: stockUpdate,
  aliases: {},
  createsLocations: true,
  labelOf: ({ product_id, sku, location_id }) =>
    `${product_id === undefined ? `SKU ${textOf(sku)}` : `product ${textOf(product_id)}`} at ${textOf(location_id)}`,
  send: async (client, items, idempotencyKey) => {
    const { success, errors } = await client.stock.bulk({ updates: items as never }, { idempotencyKey })
    return { counts: { set: success }, errors }
  },
}

export const IMPORT_TARGETS = [PRODUCTS, STOCK]

const MAX_LABEL = 80

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '(none)')
  return text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text
}

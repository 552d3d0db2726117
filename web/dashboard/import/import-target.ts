import type { FulfillmentClient, WriteOptions } from '@fulfillment/sdk'
import type { Scope } from '../data/scopes.ts'

/** One item of a bulk call, as the server gets it. */
export type Item = Record<string, string | number>

/** What became of the items of a batch, or would become of them. */
export interface BatchOutcome {
  /** Items that created a record. */
  created: number
  /** Items that changed one. */
  changed: number
  errors: readonly { index: number; error: string }[]
}

type Send = (client: FulfillmentClient, items: readonly Item[], options: WriteOptions) => Promise<BatchOutcome>

/** A bulk call that a file is imported with. */
export interface ImportTarget {
  name: 'products' | 'stock'
  scope: Scope
  /** The fields of an item, those that it cannot do without first. */
  fields: readonly string[]
  /** At least one field of each group must have a column. */
  required: readonly (readonly string[])[]
  /** Fields with codes, whose digits count. */
  codes: ReadonlySet<string>
  /** Fields that are numbers. */
  numbers: ReadonlySet<string>
  /** Other names of columns, in small letters with underscores. */
  aliases: Readonly<Record<string, string>>
  /** Rows with the same field belong to one record: they are sent together, in their order. */
  recordField: string | undefined
  check: Send
  send: Send
}

interface ProductsOutcome {
  created: number
  updated: number
  errors: BatchOutcome['errors']
}

const ofProducts = ({ created, updated, errors }: ProductsOutcome): BatchOutcome => ({ created, changed: updated, errors })

const PRODUCTS: ImportTarget = {
  name: 'products',
  scope: 'write:products',
  fields: ['barcode', 'name', 'sku', 'category', 'price', 'weight', 'pick_tolerance_percent'],
  required: [['barcode']],
  codes: new Set(['barcode', 'sku']),
  numbers: new Set(['price', 'weight', 'pick_tolerance_percent']),
  aliases: { external_id: 'sku', ean: 'barcode', gtin: 'barcode', upc: 'barcode', product_name: 'name', title: 'name' },
  recordField: 'barcode',
  check: async (client, items, options) => ofProducts(await client.products.checkBulk({ products: items as never }, options)),
  send: async (client, items, options) => ofProducts(await client.products.bulk({ products: items as never }, options)),
}

interface StockOutcome {
  success: number
  errors: BatchOutcome['errors']
}

const ofStock = ({ success, errors }: StockOutcome): BatchOutcome => ({ created: 0, changed: success, errors })

const STOCK: ImportTarget = {
  name: 'stock',
  scope: 'write:stock',
  fields: ['sku', 'product_id', 'location_id', 'quantity', 'expected_quantity'],
  required: [['sku', 'product_id'], ['location_id'], ['quantity']],
  codes: new Set(['sku']),
  numbers: new Set(['product_id', 'quantity', 'expected_quantity']),
  aliases: { external_id: 'sku', location: 'location_id', location_code: 'location_id', qty: 'quantity', stock: 'quantity' },
  recordField: undefined,
  check: async (client, items, options) => ofStock(await client.stock.checkBulk({ updates: items as never }, options)),
  send: async (client, items, options) => ofStock(await client.stock.bulk({ updates: items as never }, options)),
}

export const IMPORT_TARGETS = { products: PRODUCTS, stock: STOCK }

import { z } from 'zod'
import {
  amount,
  id,
  itemIndex,
  pageQuery,
  pagination,
  pathId,
  quantity,
  queryBoolean,
  text,
  timestamp,
  trimmedText,
} from '../fields.ts'

const MAX_BULK_ITEMS = 1_000

const barcode = trimmedText(255)
  .describe('Unique. White space around it is removed.')
  .meta({ examples: ['4006381333931'] })
const name = trimmedText(255)
  .describe('White space around it is removed.')
  .meta({ examples: ['Green tea 100 g'] })
const sku = text(255, { minLength: 1 })
  .nullish()
  .describe('Unique when present; returned as `external_id`.')
  .meta({ examples: ['TEA-G-100'] })
const category = text(255)
  .nullish()
  .meta({ examples: ['Tea'] })
const price = amount
  .nullish()
  .describe('Unit price.')
  .meta({ examples: [4.9] })
const weight = amount
  .nullish()
  .describe('Kilograms.')
  .meta({ examples: [0.12] })
const salesUnit = z.int().min(1).describe('How many base units one sale unit holds.')
const photoUrl = text(2_048)
  .refine((value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value), 'must be an http or https URL')
  .describe('Address of an image.')

/** What a product need not have. */
const optionalFields = {
  sku,
  category,
  description: text(4_000).nullish(),
  price,
  weight,
  width: amount.nullish().describe('Centimetres.'),
  height: amount.nullish().describe('Centimetres.'),
  depth: amount.nullish().describe('Centimetres.'),
  photo_url: photoUrl.nullish(),
  cost: amount.nullish().describe('Purchase price of a unit.'),
  minimum_threshold: quantity
    .nullish()
    .describe("`stock/low_alert` is sent when the product's total in a warehouse falls below it."),
  reorder_quantity: quantity.nullish().describe('What `stock/low_alert` suggests to reorder.'),
}

export const newProduct = z.object({
  name,
  barcode,
  ...optionalFields,
  weighable: z.boolean().nullish().describe('True when sold by weight. Default: false.'),
  sales_unit: salesUnit.nullish().describe('How many base units one sale unit holds. Default: 1.'),
})

export const productChanges = z.object({
  id: pathId,
  name: name.optional(),
  ...optionalFields,
  weighable: z.boolean().optional().describe('True when sold by weight.'),
  sales_unit: salesUnit.optional(),
  is_active: z.boolean().optional().describe('True brings a deleted product back; false does what DELETE does.'),
})

/** One item of a bulk call. Items are checked one by one, so that a bad one does not stop the others. */
export const bulkItem = z.object({ barcode, name: name.optional(), sku, category, price, weight })
const { $schema: _, ...bulkItemDocument } = z.toJSONSchema(bulkItem, { io: 'input' })

export const bulkInput = z.object({
  products: z
    .array(z.unknown().meta(bulkItemDocument))
    .max(MAX_BULK_ITEMS, `must have at most ${MAX_BULK_ITEMS} items`)
    .describe(`Up to ${MAX_BULK_ITEMS} products, applied in order; 100 are recommended.`),
})

export const bulkOutput = z.object({
  created: z.int().describe('Number of items that created a product.'),
  updated: z.int().describe('Number of items that matched a product, whether or not they changed it.'),
  errors: z
    .array(
      z.object({
        barcode: z.string().describe("The item's barcode; empty when it has none."),
        error: z.string(),
        index: itemIndex,
      }),
    )
    .describe('The items that were not applied, in order.'),
})

const attributes = {
  id,
  barcode: z.string(),
  external_id: z.string().nullable().describe('The SKU.'),
  name: z.string(),
  description: z.string().nullable(),
  category: z.string().nullable(),
  price: z.number().nullable().describe('Unit price.'),
  weight: z.number().nullable().describe('Kilograms.'),
  width: z.number().nullable().describe('Centimetres.'),
  height: z.number().nullable().describe('Centimetres.'),
  depth: z.number().nullable().describe('Centimetres.'),
  sales_unit: salesUnit,
  weighable: z.boolean().describe('True when sold by weight.'),
  photo_url: z.string().nullable(),
  is_active: z.boolean().describe('False once the product was deleted.'),
}
const record = {
  created_at: timestamp,
  updated_at: timestamp,
  cost: z.number().nullable().describe('Purchase price of a unit.'),
  minimum_threshold: z
    .number()
    .nullable()
    .describe("`stock/low_alert` is sent when the product's total in a warehouse falls below it."),
  reorder_quantity: z.number().nullable().describe('What `stock/low_alert` suggests to reorder.'),
}
const level = { location_id: z.string(), quantity: z.number() }

export const product = z.object({ ...attributes, ...record }).meta({ id: 'Product', description: 'An entry of the catalog.' })
export const productWithStock = z
  .object({
    ...attributes,
    stock: z
      .array(z.object({ location_id: z.string(), location_code: z.string(), quantity: z.number() }))
      .describe('Ordered by location.'),
    ...record,
  })
  .meta({ id: 'ProductWithStock', description: 'A product and where it lies.' })

export const createdProduct = product.pick({
  id: true,
  barcode: true,
  external_id: true,
  name: true,
  category: true,
  price: true,
  weight: true,
  is_active: true,
  created_at: true,
})
export const updatedProduct = product.pick({ id: true, barcode: true, name: true, category: true, price: true, updated_at: true })

export const productId = z.object({ id: pathId })
export const deletedProduct = z.object({ message: z.string(), product_id: id })

export const productSku = z.object({ sku: text(255).describe('The `external_id` of the product.') })
export const productBySku = product
  .pick({ id: true, barcode: true, external_id: true, name: true, category: true, price: true })
  .extend({ stock: z.array(z.object(level)).describe('Ordered by location.') })

export const productQuery = z.object({
  ...pageQuery,
  search: text(255).describe('Only products whose name, barcode or SKU contains this, ignoring case.').optional(),
  category: text(255).describe('Only products of exactly this category.').optional(),
  is_active: queryBoolean.default(true).describe('False lists the deleted products instead.'),
})
export const productList = z.object({ products: z.array(product), pagination })

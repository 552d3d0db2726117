import { z } from 'zod'
import { returned } from '../answer-fields.ts'
import { amount, itemIndex, pageQuery, pagination, pathId, quantity, queryBoolean, text, trimmedText } from '../fields.ts'

const MAX_BULK_ITEMS = 1_000

const barcode = trimmedText(255)
  .describe('Barcode, unique in the tenant. White space around it is removed.')
  .meta({ examples: ['4006381333931'] })
const name = trimmedText(255)
  .describe('Name of the product. White space around it is removed.')
  .meta({ examples: ['Green tea 100 g'] })
const sku = text(255, { minLength: 1 })
  .nullish()
  .describe('SKU, unique in the tenant when present. Returned as `external_id`.')
  .meta({ examples: ['TEA-G-100'] })
const category = text(255)
  .nullish()
  .describe('Category of the product, free text.')
  .meta({ examples: ['Tea'] })
const price = amount
  .nullish()
  .describe("Unit price, in the tenant's own currency. An order line without a price takes this one.")
  .meta({ examples: [4.9] })
const weight = amount
  .nullish()
  .describe('Weight of a unit in kilograms.')
  .meta({ examples: [0.12] })
const salesUnit = z.int().min(1).describe('Number of base units in one sale unit.')
const photoUrl = text(2_048).refine(
  (value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value),
  'must be an http or https URL',
)

/** What a product need not have. */
const optionalFields = {
  sku,
  category,
  description: text(4_000).nullish().describe('Description of the product, free text.'),
  price,
  weight,
  width: amount.nullish().describe('Width of a unit in centimetres.'),
  height: amount.nullish().describe('Height of a unit in centimetres.'),
  depth: amount.nullish().describe('Depth of a unit in centimetres.'),
  photo_url: photoUrl.nullish().describe('http or https address of an image of the product.'),
  cost: amount.nullish().describe("Purchase price of a unit, in the tenant's own currency."),
  minimum_threshold: quantity
    .nullish()
    .describe("`stock/low_alert` is sent when the product's total in a warehouse falls below this quantity."),
  reorder_quantity: quantity
    .nullish()
    .describe(
      'Quantity that `stock/low_alert` suggests to reorder. Default: the quantity that brings stock to twice `minimum_threshold`.',
    ),
}

export const newProduct = z.object({
  name,
  barcode,
  ...optionalFields,
  weighable: z.boolean().nullish().describe('True when sold by weight, so that picks may have decimals. Default: false.'),
  sales_unit: salesUnit.nullish().describe('Number of base units in one sale unit. Default: 1.'),
})

const productPathId = pathId.describe('Id of the product.')

export const productChanges = z.object({
  id: productPathId,
  name: name.optional(),
  ...optionalFields,
  weighable: z.boolean().optional().describe('True when sold by weight, so that picks may have decimals.'),
  sales_unit: salesUnit.optional(),
  is_active: z.boolean().optional().describe('True restores a deleted product; false deletes it, as DELETE does.'),
})

/** One item of a bulk call. Items are checked one by one, so that a bad one does not stop the others. */
export const bulkItem = z.object({ barcode, name: name.optional(), sku, category, price, weight })
const { $schema: _, ...bulkItemDocument } = z.toJSONSchema(bulkItem, { io: 'input' })

export const bulkInput = z.object({
  products: z
    .array(z.unknown().meta(bulkItemDocument))
    .max(MAX_BULK_ITEMS, `must have at most ${MAX_BULK_ITEMS} items`)
    .describe(`Products, applied in order: at most ${MAX_BULK_ITEMS}, 100 recommended.`),
})

export const bulkOutput = z.object({
  created: z.int().describe('Number of products created.'),
  updated: z.int().describe('Number of items that matched a product, changed or not.'),
  errors: z
    .array(
      z.object({
        barcode: z.string().describe("The item's barcode; empty when it has none."),
        error: z.string().describe('Why the item was not applied, and what to change.'),
        index: itemIndex,
      }),
    )
    .describe('Items that were not applied, in order.'),
})

const attributes = {
  id: returned.product_id,
  barcode: returned.barcode,
  external_id: returned.sku,
  name: returned.product_name,
  description: z.string().nullable().describe('Description of the product; null when it has none.'),
  category: returned.category,
  price: returned.price,
  weight: returned.weight,
  width: z.number().nullable().describe('Width of a unit in centimetres; null when it is not known.'),
  height: z.number().nullable().describe('Height of a unit in centimetres; null when it is not known.'),
  depth: z.number().nullable().describe('Depth of a unit in centimetres; null when it is not known.'),
  sales_unit: salesUnit,
  weighable: z.boolean().describe('True when sold by weight.'),
  photo_url: z.string().nullable().describe('Address of an image of the product; null when it has none.'),
  is_active: z.boolean().describe('False when the product is deleted.'),
}
const record = {
  created_at: returned.created_at,
  updated_at: returned.updated_at,
  cost: returned.cost,
  minimum_threshold: z
    .number()
    .nullable()
    .describe("`stock/low_alert` is sent when the product's total in a warehouse falls below this quantity; null: never."),
  reorder_quantity: z
    .number()
    .nullable()
    .describe('Quantity that `stock/low_alert` suggests to reorder; null: what brings stock to twice `minimum_threshold`.'),
}
const level = { location_id: returned.location_id, quantity: z.number().describe('Quantity of the product at the location.') }

export const product = z.object({ ...attributes, ...record }).meta({ id: 'Product', description: 'An entry of the catalog.' })
export const productWithStock = z
  .object({
    ...attributes,
    stock: z
      .array(z.object({ location_id: level.location_id, location_code: returned.location_code, quantity: level.quantity }))
      .describe('Stock of the product by location, ordered by location id.'),
    ...record,
  })
  .meta({ id: 'ProductWithStock', description: 'A product with its stock by location.' })

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

export const productId = z.object({ id: productPathId })
export const deletedProduct = z.object({ message: returned.message, product_id: returned.product_id })

export const productSku = z.object({ sku: text(255).describe('SKU of the product, its `external_id`.') })
export const productBySku = product
  .pick({ id: true, barcode: true, external_id: true, name: true, category: true, price: true })
  .extend({ stock: z.array(z.object(level)).describe('Stock of the product by location, ordered by location id.') })

export const productQuery = z.object({
  ...pageQuery,
  search: text(255).describe('Only products whose name, barcode or SKU contains this text, ignoring case.').optional(),
  category: text(255).describe('Only products of exactly this category, case included.').optional(),
  is_active: queryBoolean.default(true).describe('False lists deleted products instead of active ones. Default: true.'),
})
export const productList = z.object({ products: z.array(product).describe('Products of this page, newest first.'), pagination })

import { z } from 'zod'
import { documentedAs } from '../../procedures/documented-as.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import {
  CHECK_ALSO_WHEN_INVALID,
  amount,
  httpUrl,
  itemIndex,
  pageQuery,
  pagination,
  pathId,
  quantity,
  queryBoolean,
  text,
  trimmedText,
} from '../../procedures/fields/fields.ts'
import { availability } from '../reservation-core/index.ts'
import { hasTolerance, NO_TOLERANCE } from './tolerance.ts'

const MAX_BULK_ITEMS = 1_000

const barcode = trimmedText(255)
  .describe('Barcode, unique in the tenant. Surrounding whitespace is removed.')
  .meta({ examples: ['4006381333931'] })
const name = trimmedText(255)
  .describe('Name of the product. Surrounding whitespace is removed.')
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
  .describe("Unit price, in the tenant's own currency. Used for order lines without a price.")
  .meta({ examples: [4.9] })
const weight = amount
  .nullish()
  .describe('Weight of a unit in kilograms.')
  .meta({ examples: [0.12] })
const salesUnit = z.int().min(1).describe('Number of base units in one sale unit.')
const pickTolerance = quantity.max(50)
const PICK_TOLERANCE =
  'Percentage, 0 to 50 with at most 3 decimal places, by which picks of a line may differ from the ordered quantity. Above 0 for weighable products only.'

/** Optional fields of a product. */
const optionalFields = {
  sku,
  category,
  description: text(4_000).nullish().describe('Description of the product, free text.'),
  price,
  weight,
  width: amount.nullish().describe('Width of a unit in centimetres.'),
  height: amount.nullish().describe('Height of a unit in centimetres.'),
  depth: amount.nullish().describe('Depth of a unit in centimetres.'),
  photo_url: httpUrl.nullish().describe('http or https address of an image of the product.'),
  cost: amount.nullish().describe("Purchase price of a unit, in the tenant's own currency."),
  minimum_threshold: quantity
    .nullish()
    .describe("`stock/low_alert` is sent when the product's total in a warehouse falls below this quantity."),
  reorder_quantity: quantity
    .nullish()
    .describe(
      'Quantity that `stock/low_alert` suggests to reorder. Default: the quantity that raises stock to twice `minimum_threshold`.',
    ),
}

export const createProductInput = z
  .object({
    name,
    barcode,
    ...optionalFields,
    weighable: z.boolean().nullish().describe('True if sold by weight: picks can then have decimal quantities. Default: false.'),
    sales_unit: salesUnit.nullish().describe('Number of base units in one sale unit. Default: 1.'),
    pick_tolerance_percent: pickTolerance.nullish().describe(`${PICK_TOLERANCE} Default: 0.`),
  })
  .refine((fields) => fields.weighable === true || !hasTolerance(fields), {
    ...CHECK_ALSO_WHEN_INVALID,
    path: ['pick_tolerance_percent'],
    message: NO_TOLERANCE,
  })

const productPathId = pathId.describe('Id of the product.')

export const updateProductInput = z.object({
  id: productPathId,
  name: name.optional(),
  ...optionalFields,
  weighable: z.boolean().optional().describe('True if sold by weight: picks can then have decimal quantities.'),
  sales_unit: salesUnit.optional(),
  pick_tolerance_percent: pickTolerance
    .nullish()
    .describe(`${PICK_TOLERANCE} null sets 0. Later orders have it; lines of earlier orders keep theirs.`),
  is_active: z
    .boolean()
    .optional()
    .describe('True restores a deleted product; false deletes it, as `DELETE /products/{id}` does.'),
})

/** One item of a bulk call. Items are checked one by one, so that an invalid item does not stop the others. */
export const bulkItem = z.object({
  barcode,
  name: name.optional(),
  sku,
  category,
  price,
  weight,
  pick_tolerance_percent: pickTolerance.nullish().describe(`${PICK_TOLERANCE} null sets 0.`),
})

export const bulkUpsertProductsInput = z.object({
  products: z
    .array(documentedAs(bulkItem))
    .max(MAX_BULK_ITEMS, `must have at most ${MAX_BULK_ITEMS} items`)
    .describe(`Products, applied in order: at most ${MAX_BULK_ITEMS}, 100 recommended.`),
})

export const bulkUpsertProductsOutput = z.object({
  created: z.int().describe('Number of products created.'),
  updated: z.int().describe('Number of items that matched an existing product, whether it changed or not.'),
  errors: z
    .array(
      z.object({
        barcode: z.string().describe("The item's barcode; empty when it has none."),
        error: z.string().describe('Why the item failed and how to fix it.'),
        index: itemIndex,
      }),
    )
    .describe('Failed items, in the order submitted.'),
})

const attributes = {
  id: returned.product_id,
  barcode: returned.barcode,
  external_id: returned.sku,
  name: returned.product_name,
  description: z.string().nullable().describe('Description of the product; null if it has none.'),
  category: returned.category,
  price: returned.price,
  weight: returned.weight,
  width: z.number().nullable().describe('Width of a unit in centimetres; null if unknown.'),
  height: z.number().nullable().describe('Height of a unit in centimetres; null if unknown.'),
  depth: z.number().nullable().describe('Depth of a unit in centimetres; null if unknown.'),
  sales_unit: salesUnit,
  weighable: z.boolean().describe('True if sold by weight.'),
  photo_url: z.string().nullable().describe('Address of an image of the product; null if it has none.'),
  is_active: z.boolean().describe('False when the product is deleted.'),
}
const record = {
  created_at: returned.created_at,
  updated_at: returned.updated_at,
  cost: returned.cost,
  minimum_threshold: z
    .number()
    .nullable()
    .describe(
      "`stock/low_alert` is sent when the product's total in a warehouse falls below this quantity; null: no alert is sent.",
    ),
  reorder_quantity: z
    .number()
    .nullable()
    .describe(
      'Quantity that `stock/low_alert` suggests to reorder; null: the quantity that raises stock to twice `minimum_threshold`.',
    ),
}
/** The last field of a product. */
const tolerance = {
  pick_tolerance_percent: z
    .number()
    .optional()
    .describe(
      'Percentage by which picks of a line may differ from the ordered quantity, with at most 3 decimal places. Absent if it is 0.',
    ),
}
const level = { location_id: returned.location_id, quantity: z.number().describe('Quantity of the product at the location.') }

export const product = z
  .object({ ...attributes, ...record, ...tolerance })
  .meta({ id: 'Product', description: 'A product of the catalog.' })
export const getProductOutput = z
  .object({
    ...attributes,
    stock: z
      .array(z.object({ location_id: level.location_id, location_code: returned.location_code, quantity: level.quantity }))
      .describe('Stock of the product by location, ordered by location id.'),
    ...record,
    ...tolerance,
    availability: availability.optional(),
  })
  .meta({ id: 'ProductWithStock', description: 'A product with its stock by location.' })

export const createProductOutput = product.pick({
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
export const updateProductOutput = product.pick({
  id: true,
  barcode: true,
  name: true,
  category: true,
  price: true,
  updated_at: true,
})

export const productId = z.object({ id: productPathId })
export const deleteProductOutput = z.object({ message: returned.message, product_id: returned.product_id })

export const getProductBySkuInput = z.object({ sku: text(255).describe('SKU of the product, its `external_id`.') })
export const getProductBySkuOutput = product
  .pick({ id: true, barcode: true, external_id: true, name: true, category: true, price: true })
  .extend({
    stock: z.array(z.object(level)).describe('Stock of the product by location, ordered by location id.'),
    availability: availability.optional(),
  })

export const listProductsInput = z.object({
  ...pageQuery,
  search: text(255)
    .describe(
      'Only products whose name, barcode or SKU contains this text, ignoring case. Fewer than 3 characters take longer: they are compared with every product.',
    )
    .optional(),
  category: text(255).describe('Only products with exactly this category, case-sensitive.').optional(),
  is_active: queryBoolean.default(true).describe('False lists deleted products instead of active ones. Default: true.'),
})
export const listProductsOutput = z.object({
  products: z.array(product).describe('Products of this page, newest first.'),
  pagination,
})

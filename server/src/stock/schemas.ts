import { z } from 'zod'
import { until } from '../events/index.ts'
import {
  MAX_QUANTITY,
  cursorQuery,
  date,
  id,
  itemIndex,
  oneCursor,
  pageQuery,
  pagination,
  pathId,
  positiveQuantity,
  quantity,
  queryInteger,
  signedQuantity,
  text,
  timestamp,
} from '../fields.ts'
import { namesProduct, productName } from './named-product.ts'

const MOVEMENT_TYPES = ['IN', 'OUT', 'TRANSFER', 'ADJUSTMENT'] as const
const MAX_UPDATES = 1_000

const locationId = text(64, { minLength: 1 })
const changedLocation = locationId
  .describe('Location; it is created, in the default warehouse, when it is first named.')
  .meta({ examples: ['A-01-03'] })
const product = { ...productName, sku: productName.sku.meta({ examples: ['TEA-G-100'] }) }
const reason = text(1_000)
  .nullish()
  .describe('Kept in the movement. In `stock/updated` it is the reason when it is one of the values that the event allows.')
const level = z.number().describe(`From 0 to ${MAX_QUANTITY}, with at most 3 decimal places.`)
const movementId = z.string().describe('Id of the movement that was written.')

export const setLevelInput = z.object({
  productId: pathId,
  location_id: changedLocation,
  quantity: quantity.describe('The new absolute quantity, at most 3 decimal places.').meta({ examples: [120] }),
  reason,
})
export const setLevelOutput = z.object({
  product_id: z.int(),
  location_id: z.string(),
  previous_quantity: level,
  new_quantity: level,
  movement_id: movementId,
})

export const adjustInput = z
  .object({
    ...product,
    location_id: changedLocation,
    adjustment_quantity: signedQuantity
      .refine((value) => value !== 0, 'must not be zero')
      .describe('Positive adds, negative removes; at most 3 decimal places.')
      .meta({ examples: [-5] }),
    reason,
  })
  .refine(...namesProduct)
export const adjustOutput = z.object({
  type: z.enum(['addition', 'removal']),
  quantity_adjusted: z.number().describe('Signed: negative for a removal.'),
  stock: z.object({ product_id: z.int(), location_id: z.string(), previous_quantity: level, new_quantity: level }),
})

export const transferInput = z
  .object({
    ...product,
    from_location_id: locationId.describe('Location that the stock leaves.').meta({ examples: ['A-01-03'] }),
    to_location_id: changedLocation.meta({ examples: ['B-02-01'] }),
    quantity: positiveQuantity.describe('How much is moved, at most 3 decimal places.').meta({ examples: [12] }),
    reason,
  })
  .refine(...namesProduct)
  .refine((input) => input.from_location_id !== input.to_location_id, {
    path: ['to_location_id'],
    message: 'must be another location than from_location_id',
  })
const transferSide = z.object({ location_id: z.string(), previous_quantity: level, new_quantity: level, movement_id: movementId })
export const transferOutput = z.object({ product_id: z.int(), quantity: z.number(), from: transferSide, to: transferSide })

/** One item of a bulk update. Items are checked one by one, so that a bad one does not stop the others. */
export const stockUpdate = z
  .object({
    ...product,
    location_id: changedLocation,
    quantity: quantity.describe('The new absolute quantity, at most 3 decimal places.').meta({ examples: [120] }),
  })
  .refine(...namesProduct)
const { $schema: _, ...stockUpdateDocument } = z.toJSONSchema(stockUpdate, { io: 'input' })

export const bulkInput = z.object({
  updates: z
    .array(z.unknown().meta(stockUpdateDocument))
    .max(MAX_UPDATES, `must have at most ${MAX_UPDATES} items`)
    .describe(`Up to ${MAX_UPDATES} new quantities, applied in order.`),
})
export const bulkOutput = z.object({
  success: z.int().describe('Number of updates that were applied.'),
  errors: z
    .array(
      z.object({
        product_id: z.int().describe("The item's product_id; 0 when it has none or its SKU was not found."),
        error: z.string(),
        index: itemIndex,
      }),
    )
    .describe('The items that were not applied, in order.'),
})

export const movementsInput = z.object({
  ...pageQuery,
  product_id: queryInteger().optional().describe('Only movements of this product.'),
  location_id: locationId.optional().describe('Only movements at this location.'),
  movement_type: z.enum(MOVEMENT_TYPES).optional().describe('Only movements of this type.'),
  start_date: date.optional().describe('From the beginning of this day (UTC).'),
  end_date: date.optional().describe('Until the end of this day (UTC).'),
  order_id: queryInteger().optional().describe('Only movements of this order.'),
})
export const stockMovement = z
  .object({
    id: z.string(),
    product_id: z.int(),
    product_name: z.string().describe("The product's present name."),
    location_id: z.string(),
    movement_type: z
      .enum(MOVEMENT_TYPES)
      .describe(
        '`IN`: stock added (receiving, returns). `OUT`: stock removed (orders, damages). `TRANSFER`: moved between locations. `ADJUSTMENT`: inventory count correction.',
      ),
    quantity: z.number().describe('How much was moved. Signed for `TRANSFER` and `ADJUSTMENT`.'),
    previous_quantity: level,
    new_quantity: level,
    reason: z.string().nullable(),
    user_id: z.int().optional().describe('The operator, where one is known.'),
    order_id: z.int().optional().describe('The order, on order-related movements.'),
    created_at: timestamp,
  })
  .meta({ id: 'StockMovement', description: 'One change of a stock level. Movements are never altered or deleted.' })
export const movementsOutput = z.object({ movements: z.array(stockMovement), pagination })

export const getBySkuInput = z.object({
  sku: text(255),
  as_of: until
    .optional()
    .describe('Stock as it was then, worked out from the movements: a timestamp, or a date for the end of that day (UTC).')
    .meta({ examples: ['2026-11-30'] }),
})
export const getBySkuOutput = z.object({
  product_id: id,
  sku: z.string(),
  product_name: z.string(),
  total_quantity: z.number(),
  locations: z
    .array(z.object({ location_id: z.string(), quantity: level }))
    .describe('Every location where the product has or had stock, ordered by id.'),
})

/** Goes on behind one level: its product's id and its location's, as `next_cursor` gives them. */
const levelCursor = z
  .string()
  .max(100)
  .regex(/^\d{1,15}\/[^\0]{1,64}$/s, 'must be the next_cursor of an earlier answer')
  .refine((value) => value.isWellFormed(), 'must not contain a lone surrogate')
  .transform((value) => ({ productId: Number.parseInt(value, 10), locationId: value.slice(value.indexOf('/') + 1) }))

export const levelsInput = z
  .object({
    ...cursorQuery(levelCursor, 'Go on behind this level: the `next_cursor` of the answer before.'),
    limit: pageQuery.limit,
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))
export const stockLevel = z
  .object({
    product_id: id,
    sku: z.string().nullable(),
    barcode: z.string(),
    product_name: z.string(),
    is_active: z.boolean().describe('False when the product was deleted.'),
    location_id: z.string(),
    location_code: z.string(),
    warehouse_id: z.int(),
    quantity: level,
  })
  .meta({ id: 'StockLevel', description: 'How much of a product lies at a location.' })
export const levelsOutput = z.object({
  levels: z.array(stockLevel).describe('Ordered by product and location; levels of zero are among them.'),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` for the next levels; null after the last one.'),
})

export const reconcileInput = z
  .object({
    ...cursorQuery(queryInteger(0), 'Go on behind this product: the `next_cursor` of the answer before.'),
    limit: pageQuery.limit.describe('How many products to check. More than 100 is served as 100.'),
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after ?? 0 }))
export const reconcileOutput = z.object({
  is_balanced: z.boolean().describe('True when nothing differs.'),
  products_checked: z.int(),
  levels_checked: z.int(),
  movements_checked: z.int(),
  differences: z
    .array(
      z.object({
        kind: z
          .enum(['level', 'warehouse_total'])
          .describe("A level that is not the sum of its movements, or a warehouse's total that is not the sum of its levels."),
        product_id: z.int(),
        location_id: z.string().nullable().describe('Of a level.'),
        warehouse_id: z.int().nullable(),
        recorded: z.number().describe('What is stored.'),
        expected: z.number().describe('The sum.'),
      }),
    )
    .describe('Empty, unless somebody has changed the database by hand.'),
  next_cursor: z.int().nullable().describe('Pass it as `cursor` to check more products; null when all are checked.'),
})

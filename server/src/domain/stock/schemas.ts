import { z } from 'zod'
import { documentedAs } from '../../procedures/documented-as.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import {
  cursorQuery,
  date,
  itemIndex,
  MAX_QUANTITY,
  oneCursor,
  pageQuery,
  pagination,
  pathId,
  positiveQuantity,
  quantity,
  queryBoolean,
  queryInteger,
  signedQuantity,
  text,
} from '../../procedures/fields/fields.ts'
import { until } from '../../procedures/fields/moments.ts'
import { availability } from '../reservation-core/index.ts'
import { namesProduct, productByIdOrSku } from './product-by-id-or-sku.ts'

const MOVEMENT_TYPES = ['IN', 'OUT', 'TRANSFER', 'ADJUSTMENT'] as const
const MAX_UPDATES = 1_000

const locationId = text(64, { minLength: 1 })
const changedLocation = locationId
  .describe('Id of the location. A location that does not exist is created in the default warehouse.')
  .meta({ examples: ['A-01-03'] })
const product = { ...productByIdOrSku, sku: productByIdOrSku.sku.meta({ examples: ['TEA-G-100'] }) }
const reason = text(1_000)
  .nullish()
  .describe('Reason, stored with the movement. `stock/updated` includes it if it is among the reasons of that event.')
const levelQuantity = (what: string): z.ZodNumber =>
  z.number().describe(`${what}, from 0 to ${MAX_QUANTITY} with at most 3 decimal places.`)
const level = {
  previous_quantity: levelQuantity('Quantity at the location before the change'),
  new_quantity: levelQuantity('Quantity at the location after the change'),
}
const expectedQuantity = quantity
  .nullish()
  .describe(
    'Expected current level: the change is made only if the level equals it at that moment. A level that does not exist is 0. Default: no check.',
  )
const movementId = z.string().describe('Id of the recorded movement.')

export const setLevelInput = z.object({
  productId: pathId.describe('Id of the product.'),
  location_id: changedLocation,
  quantity: quantity.describe('The new absolute quantity, at most 3 decimal places.').meta({ examples: [120] }),
  expected_quantity: expectedQuantity,
  reason,
})
export const setLevelOutput = z.object({
  product_id: returned.product_id,
  location_id: returned.location_id,
  ...level,
  movement_id: movementId,
})

export const adjustStockInput = z
  .object({
    ...product,
    location_id: changedLocation,
    adjustment_quantity: signedQuantity
      .refine((value) => value !== 0, 'must not be zero')
      .describe('Quantity to add; negative to remove. Not zero; at most 3 decimal places.')
      .meta({ examples: [-5] }),
    expected_quantity: expectedQuantity,
    reason,
  })
  .refine(...namesProduct)
export const adjustStockOutput = z.object({
  type: z.enum(['addition', 'removal']).describe('Direction of the change.'),
  quantity_adjusted: z.number().describe('Quantity added; negative for a removal.'),
  stock: z
    .object({ product_id: returned.product_id, location_id: returned.location_id, ...level })
    .describe('Stock level that changed.'),
})

export const transferStockInput = z
  .object({
    ...product,
    from_location_id: locationId.describe('Id of the location to move stock from.').meta({ examples: ['A-01-03'] }),
    to_location_id: changedLocation.meta({ examples: ['B-02-01'] }),
    quantity: positiveQuantity.describe('Quantity to move, above 0, at most 3 decimal places.').meta({ examples: [12] }),
    reason,
  })
  .refine(...namesProduct)
  .refine((input) => input.from_location_id !== input.to_location_id, {
    path: ['to_location_id'],
    message: 'must be another location than from_location_id',
  })
const transferSide = z.object({ location_id: returned.location_id, ...level, movement_id: movementId })
export const transferStockOutput = z.object({
  product_id: returned.product_id,
  quantity: z.number().describe('Quantity moved.'),
  from: transferSide.describe('Stock level at the source location.'),
  to: transferSide.describe('Stock level at the destination location.'),
})

/** One item of a bulk update. Items are checked one by one, so that an invalid item does not stop the others. */
export const stockUpdate = z
  .object({
    ...product,
    location_id: changedLocation,
    quantity: quantity.describe('The new absolute quantity, at most 3 decimal places.').meta({ examples: [120] }),
    expected_quantity: expectedQuantity,
  })
  .refine(...namesProduct)

export const bulkSetLevelsInput = z.object({
  updates: z
    .array(documentedAs(stockUpdate))
    .max(MAX_UPDATES, `must have at most ${MAX_UPDATES} items`)
    .describe(`New quantities, applied in order: at most ${MAX_UPDATES}, 100 recommended.`),
})
export const bulkSetLevelsOutput = z.object({
  success: z.int().describe('Number of updates applied.'),
  errors: z
    .array(
      z.object({
        product_id: z
          .int()
          .describe('Id of the product. 0 when the SKU was not found, or when the update is invalid and has no `product_id`.'),
        error: z.string().describe('Why the update failed and how to fix it.'),
        index: itemIndex,
        current_quantity: z
          .number()
          .optional()
          .describe('The current level, if it is not the `expected_quantity` of the update; otherwise absent.'),
      }),
    )
    .describe('Failed updates, in the order submitted.'),
})

export const listMovementsInput = z.object({
  ...pageQuery,
  product_id: queryInteger().optional().describe('Only movements of the product with this id.'),
  location_id: locationId.optional().describe('Only movements at the location with this id.'),
  movement_type: z.enum(MOVEMENT_TYPES).optional().describe('Only movements of this type.'),
  start_date: date.optional().describe('Only movements on this day (UTC) or later: `YYYY-MM-DD`.'),
  end_date: date.optional().describe('Only movements on this day (UTC) or earlier: `YYYY-MM-DD`.'),
  order_id: queryInteger().optional().describe('Only movements caused by the order with this id.'),
})
export const stockMovement = z
  .object({
    id: z.string().describe('Id of the movement.'),
    product_id: returned.product_id,
    product_name: z.string().describe('Current name of the product.'),
    location_id: returned.location_id,
    movement_type: z
      .enum(MOVEMENT_TYPES)
      .describe(
        '`IN`: stock added (receiving, returns). `OUT`: stock removed (orders, damages). `TRANSFER`: moved between locations. `ADJUSTMENT`: inventory count correction.',
      ),
    quantity: z
      .number()
      .describe('Quantity moved. Positive for `IN` and `OUT`; the signed change for `TRANSFER` and `ADJUSTMENT`.'),
    ...level,
    reason: z.string().nullable().describe('Reason of the change; null if none was given.'),
    user_id: z.int().optional().describe("The client's own id of the operator of the pick, receipt or count. Absent if unknown."),
    order_id: z.int().optional().describe('Id of the order that caused the movement. Absent on movements without an order.'),
    created_at: returned.created_at,
  })
  .meta({ id: 'StockMovement', description: 'One change of a stock level. Movements are never changed or deleted.' })
export const listMovementsOutput = z.object({
  movements: z.array(stockMovement).describe('Movements of this page, newest first.'),
  pagination,
})

export const getStockBySkuInput = z.object({
  sku: text(255).describe('SKU of the product, its `external_id`.'),
  as_of: until
    .optional()
    .describe(
      'Returns the stock as of this time, computed from the movements: an ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now.',
    )
    .meta({ examples: ['2026-11-30'] }),
})
export const getStockBySkuOutput = z.object({
  product_id: returned.product_id,
  sku: z.string().describe('SKU of the product.'),
  product_name: returned.product_name,
  total_quantity: z.number().describe('Total quantity of the product at all locations.'),
  locations: z
    .array(z.object({ location_id: returned.location_id, quantity: levelQuantity('Quantity at the location') }))
    .describe('Every location where the product has or had stock, ordered by id.'),
  availability: availability.optional(),
})

/** The cursor of a level: the ids of its product and location, as in `next_cursor`. */
const levelCursor = z
  .string()
  .max(100)
  .regex(/^\d{1,15}\/[\s\S]{1,64}$/u, 'must be the next_cursor of an earlier response')
  .refine((value) => !value.includes('\u0000'), 'must not contain the character U+0000')
  .refine((value) => value.isWellFormed(), 'must not contain a lone surrogate')
  .transform((value) => ({ productId: Number.parseInt(value, 10), locationId: value.slice(value.indexOf('/') + 1) }))

export const listLevelsInput = z
  .object({
    ...cursorQuery(
      levelCursor,
      'Continue after this level: the `next_cursor` of the previous page. Default: start at the first.',
    ),
    limit: pageQuery.limit,
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))
export const stockLevel = z
  .object({
    product_id: returned.product_id,
    sku: returned.sku,
    barcode: returned.barcode,
    product_name: returned.product_name,
    is_active: z.boolean().describe('False when the product is deleted.'),
    location_id: returned.location_id,
    location_code: returned.location_code,
    warehouse_id: returned.warehouse_id,
    quantity: levelQuantity('Quantity at the location'),
  })
  .meta({ id: 'StockLevel', description: 'Quantity of a product at a location.' })
export const listLevelsOutput = z.object({
  levels: z.array(stockLevel).describe('Levels of this page, ordered by product id and location id, including levels of zero.'),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` to get the next page; null on the last page.'),
})

export const stockOverviewInput = z.object({
  ...pageQuery,
  search: text(255).optional().describe('Only products whose name, barcode or SKU contains this text, ignoring case.'),
  location_id: locationId
    .optional()
    .describe('Only products with a stock level at this location. Their levels at other locations are returned too.'),
  low: queryBoolean
    .default(false)
    .describe('True: only products whose total quantity is below their `minimum_threshold`. Default: false.'),
  sort: z
    .enum(['shortage'])
    .optional()
    .describe('`shortage`: largest shortage (`minimum_threshold` less `quantity`) first. Default: newest products first.'),
})
export const stockOverviewOutput = z.object({
  products: z
    .array(
      z.object({
        product_id: returned.product_id,
        barcode: returned.barcode,
        external_id: returned.sku,
        name: returned.product_name,
        minimum_threshold: z.number().nullable().describe('The `minimum_threshold` of the product; null if it has none.'),
        quantity: levelQuantity('Total quantity of the product'),
        levels: z
          .array(
            z.object({
              location_id: returned.location_id,
              location_code: returned.location_code,
              quantity: levelQuantity('Quantity at the location'),
            }),
          )
          .describe('Stock of the product by location, ordered by location id, including levels of zero.'),
        availability: availability.optional(),
      }),
    )
    .describe('Active products of this page, including products without stock.'),
  pagination,
})

export const reconcileStockInput = z
  .object({
    ...cursorQuery(
      queryInteger(0),
      'Continue after the product with this id: the `next_cursor` of the previous page. Default: start at the first.',
    ),
    limit: pageQuery.limit.describe('Products to check, 1 to 100. Default: 50. Larger values are treated as 100.'),
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after ?? 0 }))
export const reconcileStockOutput = z.object({
  is_balanced: z.boolean().describe('True if there are no differences.'),
  products_checked: z.int().describe('Number of products checked.'),
  levels_checked: z.int().describe('Number of stock levels checked.'),
  movements_checked: z.int().describe('Number of movements checked.'),
  differences: z
    .array(
      z.object({
        kind: z
          .enum(['level', 'warehouse_total', 'reserved', 'backordered'])
          .describe(
            '`level`: a stock level is not the sum of its movements. `warehouse_total`: the total of a product in a warehouse is not the sum of its levels. `reserved`, `backordered`: the reserved or backordered total of a product in a warehouse is not the sum of its reservations.',
          ),
        product_id: returned.product_id,
        location_id: z.string().nullable().describe('Id of the location of a level; null for a total.'),
        warehouse_id: z.int().nullable().describe('Id of the warehouse of a total; null for a level.'),
        recorded: z.number().describe('Stored quantity.'),
        expected: z
          .number()
          .describe('Sum of the movements (`level`), of the levels (`warehouse_total`) or of the reservations.'),
      }),
    )
    .describe('Differences found. Empty unless the database was changed directly.'),
  next_cursor: z.int().nullable().describe('Pass it as `cursor` to check the next products; null when all are checked.'),
})

import { z } from 'zod'
import {
  date,
  id,
  pageQuery,
  pagination,
  pathId,
  positiveQuantity,
  queryBoolean,
  queryInteger,
  text,
  timestamp,
} from '../../procedures/fields/fields.ts'
import { quantityOf, returned } from '../../procedures/fields/response-fields.ts'
import { hasQuantity, MAY_BE_CARRIED, namedProduct, namesOneProduct } from '../records/index.ts'
import { availabilityFields } from '../reservation-core/index.ts'

const filters = {
  product_id: queryInteger().optional().describe('Only this product.'),
  sku: text(255, { minLength: 1 }).optional().describe('Only the active product with this SKU.'),
  warehouse_id: queryInteger().optional().describe('Only this warehouse.'),
}

export const listAvailabilityInput = z.object({
  ...pageQuery,
  ...filters,
  backordered: queryBoolean
    .default(false)
    .describe('True: only products and warehouses with a backordered quantity. Default: false.'),
})
const productAvailability = z
  .object({
    product_id: returned.product_id,
    sku: returned.sku,
    barcode: returned.barcode,
    product_name: returned.product_name,
    warehouse_id: returned.warehouse_id,
    warehouse_name: returned.warehouse_name,
    ...availabilityFields,
    next_expected_at: date.nullable().describe('Earliest date on which an incoming quantity is expected; null if there is none.'),
  })
  .meta({ id: 'ProductAvailability', description: 'Quantities of a product in a warehouse.' })
export const listAvailabilityOutput = z.object({
  availability: z
    .array(productAvailability)
    .describe('Products and warehouses of this page, ordered by product id and warehouse id.'),
  pagination,
})

export const listReservationsInput = z.object({
  ...pageQuery,
  ...filters,
  order_id: queryInteger().optional().describe('Only lines of this order.'),
  hold_id: queryInteger().optional().describe('Only lines of this hold.'),
})
const ofOrders = 'null for a hold.'
const ofHolds = 'null for an order.'
export const reservation = z
  .object({
    product_id: returned.product_id,
    warehouse_id: returned.warehouse_id,
    reserved_quantity: quantityOf('Quantity reserved'),
    backordered_quantity: z
      .number()
      .describe('Backordered quantity: still to be picked, but not reserved. At most 3 decimal places.'),
    order_id: id.nullable().describe(`Id of the order; ${ofOrders}`),
    order_tenant_id: z.string().nullable().describe(`The client's own order identifier; ${ofOrders}`),
    order_detail_id: id.nullable().describe(`Id of the order line; ${ofOrders}`),
    assembly_date: date.nullable().describe(`Date by which the order must be fulfilled; ${ofOrders}`),
    hold_id: id.nullable().describe(`Id of the hold; ${ofHolds}`),
    expires_at: timestamp.nullable().describe(`Time at which the hold expires, UTC; ${ofHolds}`),
  })
  .meta({ id: 'Reservation', description: 'Reserved and backordered quantity of an order line or a hold.' })
const listedReservation = reservation
  .extend({
    sku: returned.sku,
    product_name: returned.product_name,
    hold_reference: z.string().nullable().describe(`The client's own identifier of the hold; ${ofHolds}`),
  })
  .meta({ id: 'ListedReservation', description: 'Reserved and backordered quantity of an order line or a hold, with names.' })
export const listReservationsOutput = z.object({
  reservations: z
    .array(listedReservation)
    .describe('Reservations of this page, by product id and warehouse id: order lines by rank, then holds.'),
  pagination,
})

const ttlSeconds = z
  .int()
  .min(10)
  .max(86_400)
  .describe('Seconds until the hold expires, 10 to 86,400.')
  .meta({ examples: [600] })

const holdLineInput = z
  .object({
    ...namedProduct,
    quantity: positiveQuantity
      .nullish()
      .describe(`Quantity to keep, at most 3 decimal places. ${MAY_BE_CARRIED}`)
      .meta({ examples: [2] }),
  })
  .refine(...hasQuantity)
  .refine(...namesOneProduct)
  .meta({ id: 'NewHoldLine', description: 'A product to keep, named by exactly one of `product_id`, `sku` and `barcode`.' })
const holdLines = z
  .array(holdLineInput)
  .min(1, 'must not be empty')
  .max(1_000, 'must have at most 1000 items')
  .describe('Lines of the hold, 1 to 1,000.')

export const createHoldInput = z.object({
  reference: text(255, { minLength: 1 })
    .describe("The client's own identifier, unique among active holds.")
    .meta({ examples: ['cart-81'] }),
  ttl_seconds: ttlSeconds.nullish().describe('Seconds until the hold expires, 10 to 86,400. Default: 900.'),
  warehouse_id: id.nullish().describe("Id of the warehouse. Default: the tenant's default warehouse."),
  lines: holdLines,
})

const holdPathId = pathId.describe('Id of the hold.')
export const updateHoldInput = z.object({
  id: holdPathId,
  ttl_seconds: ttlSeconds.nullish().describe('Seconds from now until the hold expires, 10 to 86,400.'),
  lines: holdLines.nullish().describe('New lines, which replace all lines of the hold.'),
})
export const holdId = z.object({ id: holdPathId })

const holdState = z
  .enum(['active', 'consumed', 'released', 'expired'])
  .describe(
    '`active`: the hold keeps stock. `consumed`: an order took it over. `released`: it was released. `expired`: its time is up.',
  )

const holdLine = z
  .object({
    product_id: returned.product_id,
    sku: returned.sku,
    barcode: returned.barcode,
    product_name: returned.product_name,
    quantity: quantityOf('Quantity asked for'),
    reserved_quantity: z.number().describe('Quantity still kept; 0 once the hold is over.'),
  })
  .meta({ id: 'HoldLine', description: 'A product that a hold keeps.' })

export const hold = z
  .object({
    id: z.int().describe('Id of the hold.'),
    reference: z.string().describe("The client's own identifier."),
    state: holdState,
    warehouse_id: returned.warehouse_id,
    lines: z.array(holdLine).describe('Lines of the hold, in the order submitted.'),
    expires_at: timestamp.describe('Time at which the hold expires, UTC.'),
    order_id: id.nullable().describe('Id of the order that took it over; null unless consumed.'),
    created_by: z.string().describe('Name of the API key that made it.'),
    created_at: returned.created_at,
    updated_at: returned.updated_at,
  })
  .meta({ id: 'Hold', description: 'Stock that is kept for a cart.' })

export const listHoldsInput = z.object({
  ...pageQuery,
  state: holdState.optional().describe('Only holds in this state.'),
  reference: text(255, { minLength: 1 }).optional().describe('Only holds with this reference.'),
})
export const listHoldsOutput = z.object({ holds: z.array(hold).describe('Holds of this page, newest first.'), pagination })

export type Hold = z.infer<typeof hold>
export type HoldLineInput = z.infer<typeof holdLineInput>

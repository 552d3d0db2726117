import { z } from 'zod'
import { returned } from '../../procedures/fields/response-fields.ts'
import {
  amount,
  date,
  id,
  pageQuery,
  pagination,
  pathId,
  queryBoolean,
  text,
  trimmedText,
} from '../../procedures/fields/fields.ts'
import { InvalidItemsError } from '../../procedures/invalid-input.ts'
import { beginWork, nextTurn } from '../../runtime/event-loop/turns.ts'
import { orderStateId } from '../order-states/index.ts'
import { lineReservation, reservationStatus } from '../reservation-core/index.ts'
import { shipmentStatus } from '../shipments/index.ts'

const MAX_ORDERS = 1_000
const MAX_LINES = 1_000
/** Mistakes reported per order: finding and describing all mistakes of 1,000 empty lines takes 30 ms. */
const MAX_MISTAKES = 3
const MAX_LINE_QUANTITY = 1_000_000

const assemblyDate = date.describe('Date by which the order must be fulfilled: `YYYY-MM-DD`.').meta({ examples: ['2026-11-30'] })
const customerName = text(255)
  .describe('Name of the customer.')
  .meta({ examples: ['Ada Lovelace'] })
const shippingAddress = text(4_000)
  .describe('Shipping address, free text.')
  .meta({ examples: ['12 St James Square, London'] })

/** An array whose length is checked before its items, so that a far too long array is refused immediately. */
function boundedArray<Item extends z.ZodType>(
  item: Item,
  min: number,
  max: number,
  check?: (items: unknown[], context: z.RefinementCtx) => void,
) {
  const tooLong = `must have at most ${max} items`
  const array = z.array(item).min(min, 'must not be empty').max(max, tooLong)
  const checked = z.preprocess((value, context) => {
    if (!Array.isArray(value)) return value
    if (value.length > max) context.addIssue({ code: 'too_big', origin: 'array', maximum: max, input: value, message: tooLong })
    else check?.(value, context)
    return value
  }, array)
  return checked as unknown as typeof array
}

/** Reports only the first few invalid lines. */
function reportFirstMistakes(lines: unknown[], context: z.RefinementCtx): void {
  if (lines.length <= MAX_MISTAKES) return
  let mistakes = 0
  for (const [index, line] of lines.entries()) {
    const { error } = newOrderLine.safeParse(line)
    for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: [index, ...issue.path] })
    if (error !== undefined && ++mistakes === MAX_MISTAKES) return
  }
}

const newOrderLine = z
  .object({
    barcode: trimmedText(255)
      .describe('Barcode of an active product: the primary one, or an additional one of single units. Not the barcode of a pack.')
      .meta({ examples: ['4006381333931'] }),
    quantity: z
      .int()
      .min(1)
      .max(MAX_LINE_QUANTITY)
      .describe('Number of units ordered, 1 to 1,000,000.')
      .meta({ examples: [2] }),
    price: amount.nullish().describe("Unit price, in the tenant's own currency. Default: the product's price."),
  })
  .meta({ id: 'NewOrderLine', description: 'A line of an order to create.' })

export const newOrder = z
  .object({
    order_tenant_id: text(255, { minLength: 1 })
      .describe("The client's own order identifier, unique in the tenant. An order that already exists is skipped.")
      .meta({ examples: ['SHOP-10042'] }),
    assembly_date: assemblyDate,
    customer_name: customerName.nullish().describe('Name of the customer.'),
    shipping_address: shippingAddress.nullish().describe('Shipping address, free text.'),
    warehouse_id: id.nullish().describe("Id of the warehouse that fulfils the order. Default: the tenant's default warehouse."),
    allow_backorder: z
      .boolean()
      .nullish()
      .describe(
        'Under the reservation policy `strict`: true creates the order even if it cannot be reserved in full. Default: false.',
      ),
    hold: text(255, { minLength: 1 })
      .nullish()
      .describe(
        "Reference of a hold in the order's warehouse. Under a reservation policy, the order takes over what it has reserved. A hold that was released, expired or already taken over has no effect.",
      )
      .meta({ examples: ['cart-81'] }),
    order_detail: boundedArray(newOrderLine, 1, MAX_LINES, reportFirstMistakes).describe(
      `Lines of the order, 1 to ${MAX_LINES}. Several lines can have the same product.`,
    ),
  })
  .meta({ id: 'NewOrder', description: 'An order to create.' })

const newOrdersAtOnce = z.object({
  orders: boundedArray(newOrder, 0, MAX_ORDERS).describe(`Orders to create, at most ${MAX_ORDERS}.`),
})

/** The same schema, but it checks many orders in turns. tRPC calls `parse` and awaits the result. */
export const createOrdersInput = Object.assign(newOrdersAtOnce.clone(), { parse: parseOrders, parseAsync: parseOrders })

const severalOrders = z.object({ orders: z.array(z.unknown()).min(1).max(MAX_ORDERS) })

async function parseOrders(input: unknown): Promise<{ orders: NewOrder[] }> {
  const given = severalOrders.safeParse(input)
  if (!given.success) return newOrdersAtOnce.parse(input)
  const orders: NewOrder[] = []
  const issues: z.core.$ZodIssue[] = []
  const mustWait = beginWork()
  for (const [index, order] of given.data.orders.entries()) {
    if (mustWait()) await nextTurn()
    const { data, error } = newOrder.safeParse(order)
    if (data !== undefined) orders.push(data)
    for (const issue of error?.issues.slice(0, MAX_MISTAKES) ?? [])
      issues.push({ ...issue, path: ['orders', index, ...issue.path] })
  }
  if (issues.length > 0) throw new InvalidItemsError(issues)
  return { orders }
}

const createdStatus = z
  .enum(['reserved', 'backordered'])
  .describe('Under a reservation policy: `reserved` when stock is reserved for all lines, otherwise `backordered`.')

export const createOrdersOutput = z.object({
  created_count: z.int().describe('Number of orders created.'),
  existing_count: z.int().describe('Number of orders skipped because their `order_tenant_id` already exists.'),
  orders: z
    .array(
      z
        .object({
          id: returned.order_id,
          order_tenant_id: returned.order_tenant_id,
          state_id: orderStateId,
          reservation_status: createdStatus.optional(),
        })
        .meta({ id: 'CreatedOrder', description: 'A created order.' }),
    )
    .describe('Created orders, in the order submitted.'),
})

export const orderLine = z
  .object({
    id: returned.order_detail_id,
    product_id: returned.product_id,
    barcode: returned.barcode,
    product_name: z.string().describe('Name of the product at the time of ordering.'),
    quantity: z.int().describe('Number of units ordered.'),
    picked_quantity: z.number().describe('Quantity picked so far.'),
    ...lineReservation,
    price: z
      .number()
      .nullable()
      .describe("Unit price, in the tenant's own currency; null if neither the line nor the product had a price."),
  })
  .meta({ id: 'OrderLine', description: 'A line of an order.' })

const orderShipmentStatus = shipmentStatus
  .optional()
  .describe(`Present once the order has a shipment that is not cancelled. ${shipmentStatus.description}`)
const stateName = z.string().describe('Name of the state: Pending, In Progress, Completed or Cancelled.')
const returnedAssemblyDate = date.describe('Date by which the order must be fulfilled.')
const itemsCount = z.int().describe('Number of order lines.')

export const order = z
  .object({
    id: returned.order_id,
    order_tenant_id: returned.order_tenant_id,
    state_id: orderStateId,
    state_name: stateName,
    state_picking_id: z
      .literal([1, 2, 3])
      .meta({ type: 'integer' })
      .nullable()
      .describe('State of the latest picking flow: 1 started, 2 completed, 3 cancelled; null if no flow was started.'),
    assembly_date: returnedAssemblyDate,
    customer_name: returned.customer_name,
    shipping_address: returned.shipping_address,
    items_count: itemsCount,
    order_detail: z.array(orderLine).describe('Lines of the order, in the order submitted.'),
    created_at: returned.created_at,
    updated_at: returned.updated_at,
    warehouse_id: id.describe('Id of the warehouse that fulfils the order.'),
    reservation_status: reservationStatus.optional(),
    shipment_status: orderShipmentStatus,
  })
  .meta({ id: 'Order', description: 'An order with its lines.' })

export const orderSummary = z
  .object({
    id: returned.order_id,
    order_tenant_id: returned.order_tenant_id,
    state_id: orderStateId,
    state_name: stateName,
    assembly_date: returnedAssemblyDate,
    customer_name: returned.customer_name,
    items_count: itemsCount,
    created_at: returned.created_at,
    updated_at: returned.updated_at,
    reservation_status: reservationStatus.optional(),
    shipment_status: orderShipmentStatus,
    order_detail: z.array(orderLine).optional().describe('Lines of the order. Present with `include_details=true`.'),
  })
  .meta({ id: 'OrderSummary', description: 'An order in a list.' })

const queryStateId = z.preprocess(
  (value) => (typeof value === 'string' && /^\d$/.test(value) ? Number(value) : value),
  orderStateId,
)

export const listOrdersInput = z.object({
  ...pageQuery,
  reservation_status: createdStatus
    .describe('Only open orders with this reservation status. Ignored under the reservation policy `off`.')
    .optional(),
  state_id: z
    .preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(queryStateId).min(1))
    .describe('Only orders in this state. Repeat the parameter for several states: `state_id=1&state_id=2`.')
    .optional(),
  start_date: date.describe('Only orders created on this day (UTC) or later: `YYYY-MM-DD`.').optional(),
  end_date: date.describe('Only orders created on this day (UTC) or earlier: `YYYY-MM-DD`.').optional(),
  assembly_date: date.describe('Only orders with this assembly date: `YYYY-MM-DD`.').optional(),
  assembly_until: date.describe('Only orders with this assembly date or an earlier one: `YYYY-MM-DD`.').optional(),
  include_details: queryBoolean
    .default(false)
    .describe('Adds `order_detail` to each order. true, false, 1 or 0. Default: false.'),
  customer_name: text(255)
    .describe(
      'Only orders whose customer name contains this text, ignoring case. Fewer than 3 characters take longer: they are compared with every order.',
    )
    .optional(),
  order_tenant_id: text(255).describe('Only the order with exactly this `order_tenant_id`.').optional(),
})
export const listOrdersOutput = z.object({
  orders: z.array(orderSummary).describe('Orders of this page, newest first.'),
  pagination,
})

const orderPathId = pathId.describe('Id of the order, assigned by the service.')

export const orderId = z.object({ id: orderPathId })

export const updateOrderInput = z.object({
  id: orderPathId,
  assembly_date: assemblyDate.optional(),
  customer_name: customerName.nullish().describe('Name of the customer; null removes it.'),
  shipping_address: shippingAddress.nullish().describe('Shipping address, free text; null removes it.'),
  state_id: orderStateId.optional(),
})

export const updateOrderOutput = z.object({
  id: returned.order_id,
  order_tenant_id: returned.order_tenant_id,
  state_id: orderStateId,
  assembly_date: returnedAssemblyDate,
  customer_name: returned.customer_name,
  shipping_address: returned.shipping_address,
  updated_at: returned.updated_at,
})

export const cancelOrderInput = z.object({
  id: text(255).describe('Id of the order, assigned by the service, or its `order_tenant_id`.'),
  order_tenant_id: text(255, { minLength: 1 })
    .nullish()
    .describe("The client's own order identifier. When given, it is used instead of `id`, which can then be any text."),
  reason: text(1_000)
    .nullish()
    .describe('Reason, sent as `cancellation_reason` of the event.')
    .meta({ examples: ['The customer changed their mind'] }),
})

export const cancelOrderOutput = z.object({
  message: returned.message,
  order_id: z.string().describe('Id of the order, assigned by the service, as a string.'),
})

export type NewOrder = z.infer<typeof newOrder>
export type CreatedOrders = z.infer<typeof createOrdersOutput>
export type Order = z.infer<typeof order>
export type OrderListQuery = z.infer<typeof listOrdersInput>
export type OrderList = z.infer<typeof listOrdersOutput>
export type OrderUpdate = z.infer<typeof updateOrderInput>
export type UpdatedOrder = z.infer<typeof updateOrderOutput>
export type OrderCancellation = z.infer<typeof cancelOrderInput>

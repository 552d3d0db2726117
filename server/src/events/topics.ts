import { z } from 'zod'
import { returned } from '../answer-fields.ts'
import { timestamp } from '../fields.ts'

const time = (of: string): z.ZodISODateTime => timestamp.describe(`Time of ${of}, UTC.`)
const quantityOf = (what: string): z.ZodNumber => z.number().describe(`${what}, with at most 3 decimal places.`)
const updatedFields = z.array(z.string()).describe('Names of the fields that changed.')
const durationMinutes = z.number().describe('Minutes from start to completion.')
const cancellationReason = z.string().nullable().describe('Reason of the cancellation; null when none was given.')
const itemsPicked = z.int().describe('Number of order lines picked from.')

const orderIdentity = { order_id: returned.order_id, order_tenant_id: returned.order_tenant_id }
const orderState = {
  state_id: z
    .int()
    .describe('State of the order: 1 Pending, 2 In Progress, 3 In Progress (being picked), 5 Completed, 7 Cancelled.'),
  state_name: z.string().describe('Name of the state.'),
}
const previousOrderState = {
  previous_state_id: z.int().describe('State before the change.'),
  previous_state_name: z.string().describe('Name of the state before the change.'),
}
const productIdentity = { product_id: returned.product_id, sku: returned.sku, barcode: returned.barcode }
const warehouse = { warehouse_id: returned.warehouse_id, warehouse_name: returned.warehouse_name }
const flowIdentity = {
  flow_id: z.int().describe('Id of the picking flow.'),
  ...orderIdentity,
  warehouse_id: returned.warehouse_id,
  operator_id: returned.operator_id,
  operator_email: returned.operator_email,
}

/** What `data` holds in an event of each topic: the source of the OpenAPI document's `webhooks` and of the SDK's event types. */
export const EVENT_DATA = {
  'order/created': z
    .object({
      ...orderIdentity,
      ...orderState,
      ...warehouse,
      items_count: z.int().describe('Number of order lines.'),
      total_quantity: z.int().describe('Number of units ordered, all lines together.'),
      source: z.enum(['api', 'integration', 'manual']).describe('How the order came in.'),
      source_integration: z.string().nullable().describe('Name of the integration; null for other sources.'),
      created_at: returned.created_at,
    })
    .describe('A new order was created.'),
  'order/updated': z
    .object({
      ...orderIdentity,
      ...orderState,
      ...previousOrderState,
      warehouse_id: returned.warehouse_id,
      updated_fields: updatedFields,
      updated_at: returned.updated_at,
    })
    .describe("An order's details changed."),
  'order/cancelled': z
    .object({
      ...orderIdentity,
      ...orderState,
      ...previousOrderState,
      cancellation_reason: cancellationReason,
      cancelled_by: z.string().describe('Name of the API key that cancelled the order.'),
      cancelled_at: time('cancellation'),
    })
    .describe('An order was cancelled.'),
  'order/completed': z
    .object({
      ...orderIdentity,
      ...orderState,
      warehouse_id: returned.warehouse_id,
      items_picked: itemsPicked,
      total_quantity_picked: quantityOf('Quantity picked, all lines together'),
      picked_by: z.string().describe('Operator of the picking flow; the name of the API key when nothing was picked.'),
      started_at: time('the start of picking, or of creation when nothing was picked'),
      completed_at: time('completion'),
      duration_minutes: durationMinutes,
    })
    .describe('An order finished fulfillment.'),
  'product/created': z
    .object({
      ...productIdentity,
      name: returned.product_name,
      description: z.string().nullable().describe('Description of the product; null when it has none.'),
      category: returned.category,
      price: returned.price,
      cost: returned.cost,
      weight: returned.weight,
      created_at: returned.created_at,
    })
    .describe('A product was created.'),
  'product/updated': z
    .object({ ...productIdentity, name: returned.product_name, updated_fields: updatedFields, updated_at: returned.updated_at })
    .describe("A product's details changed."),
  'product/deleted': z
    .object({ ...productIdentity, name: returned.product_name, deleted_at: time('deletion') })
    .describe('A product was deleted: it is inactive now.'),
  'stock/updated': z
    .object({
      ...productIdentity,
      product_name: returned.product_name,
      ...warehouse,
      location_id: returned.location_id,
      quantity: quantityOf('Quantity at the location after the change'),
      previous_quantity: quantityOf('Quantity at the location before the change'),
      change: quantityOf('`quantity` minus `previous_quantity`'),
      reason: z
        .enum(['order_fulfillment', 'manual_adjustment', 'stock_receipt', 'transfer', 'return', 'inventory_count'])
        .describe('Why the stock changed.'),
      reference_id: z.string().describe('Id of the stock movement.'),
    })
    .describe("A product's stock changed at a location."),
  'stock/low_alert': z
    .object({
      ...productIdentity,
      product_name: returned.product_name,
      ...warehouse,
      current_quantity: quantityOf('Quantity of the product in the warehouse, all locations together'),
      minimum_threshold: z.number().describe('Threshold of the product that the quantity fell below.'),
      suggested_reorder: quantityOf(
        "Quantity to reorder: the product's `reorder_quantity`, or what brings stock to twice the threshold",
      ),
    })
    .describe("A product's total in a warehouse fell below its minimum threshold."),
  'stock/movement_created': z
    .object({
      movement_id: z.string().describe('Id of the movement.'),
      type: z
        .enum(['receipt', 'dispatch', 'transfer', 'adjustment'])
        .describe('Type of the movement: `receipt` for `IN`, `dispatch` for `OUT`, `transfer`, `adjustment`.'),
      product_id: returned.product_id,
      sku: returned.sku,
      product_name: returned.product_name,
      quantity: quantityOf('Quantity moved; for transfers and adjustments the signed change'),
      from_location: z.string().nullable().describe('Id of the location that the stock left; null for a receipt.'),
      to_location: z.string().nullable().describe('Id of the location that the stock came to; null for a dispatch.'),
      warehouse_id: returned.warehouse_id,
      created_by: z.string().describe('Name of the API key that made the movement.'),
      notes: z.string().nullable().describe('Reason of the movement; null when none was given.'),
      created_at: returned.created_at,
    })
    .describe('A stock movement was recorded.'),
  'flow/started': z
    .object({
      ...flowIdentity,
      items_to_pick: z.int().describe('Number of order lines with something left to pick.'),
      total_quantity: quantityOf('Quantity left to pick, all lines together'),
      started_at: returned.started_at,
    })
    .describe('An operator started a picking flow.'),
  'flow/completed': z
    .object({
      ...flowIdentity,
      items_picked: itemsPicked,
      total_quantity_picked: quantityOf('Quantity picked in this flow, all lines together'),
      started_at: returned.started_at,
      completed_at: time('completion'),
      duration_minutes: durationMinutes,
    })
    .describe('A picking flow was completed.'),
  'flow/cancelled': z
    .object({
      ...flowIdentity,
      cancellation_reason: cancellationReason,
      items_picked_before_cancel: z.int().describe('Number of order lines picked from before the cancellation.'),
      started_at: returned.started_at,
      cancelled_at: time('cancellation'),
    })
    .describe('A picking flow was cancelled.'),
} as const

export type Topic = keyof typeof EVENT_DATA
export const TOPICS = Object.keys(EVENT_DATA) as [Topic, ...Topic[]]
export const topic = z.enum(TOPICS)

/** The data of an event of topic `T`. */
export type EventData<T extends Topic> = z.infer<(typeof EVENT_DATA)[T]>

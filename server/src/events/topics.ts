import { z } from 'zod'
import { timestamp } from '../fields.ts'

const integer = z.int()
const nullableInteger = z.int().nullable()
const nullableText = z.string().nullable()
const nullableNumber = z.number().nullable()
const updatedFields = z.array(z.string()).describe('Names of the fields that changed.')

const orderIdentity = { order_id: integer, order_tenant_id: z.string().describe("The client's own order identifier.") }
const orderState = { state_id: integer, state_name: z.string() }
const previousOrderState = { previous_state_id: integer, previous_state_name: z.string() }
const productIdentity = { product_id: integer, sku: nullableText, barcode: z.string() }
const warehouse = { warehouse_id: integer, warehouse_name: z.string() }
const flowIdentity = {
  flow_id: integer,
  ...orderIdentity,
  warehouse_id: integer,
  operator_id: nullableInteger,
  operator_email: z.string(),
}

/** What `data` holds in an event of each topic: the source of the OpenAPI document's `webhooks` and of the SDK's event types. */
export const EVENT_DATA = {
  'order/created': z
    .object({
      ...orderIdentity,
      ...orderState,
      ...warehouse,
      items_count: integer.describe('Number of order lines.'),
      total_quantity: integer,
      source: z.enum(['api', 'integration', 'manual']),
      source_integration: nullableText,
      created_at: timestamp,
    })
    .describe('A new order was created.'),
  'order/updated': z
    .object({
      ...orderIdentity,
      ...orderState,
      ...previousOrderState,
      warehouse_id: integer,
      updated_fields: updatedFields,
      updated_at: timestamp,
    })
    .describe("An order's details changed."),
  'order/cancelled': z
    .object({
      ...orderIdentity,
      ...orderState,
      ...previousOrderState,
      cancellation_reason: nullableText,
      cancelled_by: z.string().describe('Name of the API key that cancelled it.'),
      cancelled_at: timestamp,
    })
    .describe('An order was cancelled.'),
  'order/completed': z
    .object({
      ...orderIdentity,
      ...orderState,
      warehouse_id: integer,
      items_picked: integer.describe('Number of order lines of which something was picked.'),
      total_quantity_picked: z.number(),
      picked_by: z.string().describe('Operator of the picking flow, or the name of the API key when nothing was picked.'),
      started_at: timestamp,
      completed_at: timestamp,
      duration_minutes: z.number(),
    })
    .describe('An order finished fulfillment.'),
  'product/created': z
    .object({
      ...productIdentity,
      name: z.string(),
      description: nullableText,
      category: nullableText,
      price: nullableNumber,
      cost: nullableNumber,
      weight: nullableNumber.describe('Kilograms.'),
      created_at: timestamp,
    })
    .describe('A product was created.'),
  'product/updated': z
    .object({ ...productIdentity, name: z.string(), updated_fields: updatedFields, updated_at: timestamp })
    .describe("A product's details changed."),
  'product/deleted': z
    .object({ ...productIdentity, name: z.string(), deleted_at: timestamp })
    .describe('A product was deleted, that is made inactive.'),
  'stock/updated': z
    .object({
      ...productIdentity,
      product_name: z.string(),
      ...warehouse,
      location_id: z.string(),
      quantity: z.number(),
      previous_quantity: z.number(),
      change: z.number().describe('`quantity` minus `previous_quantity`.'),
      reason: z.enum(['order_fulfillment', 'manual_adjustment', 'stock_receipt', 'transfer', 'return', 'inventory_count']),
      reference_id: z.string().describe("The movement's id."),
    })
    .describe("A product's stock changed at a location."),
  'stock/low_alert': z
    .object({
      ...productIdentity,
      product_name: z.string(),
      ...warehouse,
      current_quantity: z.number().describe('Total of the product in the warehouse.'),
      minimum_threshold: z.number(),
      suggested_reorder: z.number(),
    })
    .describe("A product's total in a warehouse fell below its minimum threshold."),
  'stock/movement_created': z
    .object({
      movement_id: z.string(),
      type: z.enum(['receipt', 'dispatch', 'transfer', 'adjustment']),
      product_id: integer,
      sku: nullableText,
      product_name: z.string(),
      quantity: z.number(),
      from_location: nullableText,
      to_location: nullableText,
      warehouse_id: integer,
      created_by: z.string().describe('Name of the API key.'),
      notes: nullableText,
      created_at: timestamp,
    })
    .describe('A stock movement was recorded.'),
  'flow/started': z
    .object({ ...flowIdentity, items_to_pick: integer, total_quantity: z.number(), started_at: timestamp })
    .describe('An operator started a picking flow.'),
  'flow/completed': z
    .object({
      ...flowIdentity,
      items_picked: integer,
      total_quantity_picked: z.number(),
      started_at: timestamp,
      completed_at: timestamp,
      duration_minutes: z.number(),
    })
    .describe('A picking flow was completed.'),
  'flow/cancelled': z
    .object({
      ...flowIdentity,
      cancellation_reason: nullableText,
      items_picked_before_cancel: integer,
      started_at: timestamp,
      cancelled_at: timestamp,
    })
    .describe('A picking flow was cancelled.'),
} as const

export type Topic = keyof typeof EVENT_DATA
export const TOPICS = Object.keys(EVENT_DATA) as [Topic, ...Topic[]]
export const topic = z.enum(TOPICS)

/** The data of an event of topic `T`. */
export type EventData<T extends Topic> = z.infer<(typeof EVENT_DATA)[T]>

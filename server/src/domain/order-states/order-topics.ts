import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { quantityOf, returned } from '../../procedures/fields/response-fields.ts'
import { timestamp } from '../../procedures/fields/fields.ts'

const time = (of: string): z.ZodISODateTime => timestamp.describe(`Time of ${of}, UTC.`)
const updatedFields = z.array(z.string()).describe('Names of the fields that changed.')
const durationMinutes = z.number().describe('Minutes from start to completion.')
const cancellationReason = z.string().nullable().describe('Reason of the cancellation; null if none was given.')
const itemsPicked = z.int().describe('Number of order lines with picks.')
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
const warehouse = { warehouse_id: returned.warehouse_id, warehouse_name: returned.warehouse_name }
const sampleOrder = { order_id: 4711, order_tenant_id: 'SO-10023' }
const sampleWarehouse = { warehouse_id: 1, warehouse_name: 'Main' }
const at = (time: string): string => `2026-03-02T${time}.000Z`

export const orderCreated = eventTopic({
  name: 'order/created',
  data: z
    .object({
      ...orderIdentity,
      ...orderState,
      ...warehouse,
      items_count: z.int().describe('Number of order lines.'),
      total_quantity: z.int().describe('Total number of units ordered.'),
      source: z.enum(['api', 'integration', 'manual']).describe('Source of the order.'),
      source_integration: z.string().nullable().describe('Name of the integration; null for other sources.'),
      created_at: returned.created_at,
    })
    .describe('A new order was created.'),
  sample: {
    ...sampleOrder,
    state_id: 1,
    state_name: 'Pending',
    ...sampleWarehouse,
    items_count: 2,
    total_quantity: 5,
    source: 'api',
    source_integration: null,
    created_at: at('09:15:00'),
  },
})

export const orderUpdated = eventTopic({
  name: 'order/updated',
  data: z
    .object({
      ...orderIdentity,
      ...orderState,
      ...previousOrderState,
      warehouse_id: returned.warehouse_id,
      updated_fields: updatedFields,
      updated_at: returned.updated_at,
    })
    .describe("An order's details changed."),
  sample: {
    ...sampleOrder,
    state_id: 2,
    state_name: 'In Progress',
    previous_state_id: 1,
    previous_state_name: 'Pending',
    warehouse_id: 1,
    updated_fields: ['state_id', 'shipping_address'],
    updated_at: at('09:40:12'),
  },
})

export const orderCancelled = eventTopic({
  name: 'order/cancelled',
  data: z
    .object({
      ...orderIdentity,
      ...orderState,
      ...previousOrderState,
      cancellation_reason: cancellationReason,
      cancelled_by: z.string().describe('Name of the API key that cancelled the order.'),
      cancelled_at: time('cancellation'),
    })
    .describe('An order was cancelled.'),
  sample: {
    ...sampleOrder,
    state_id: 7,
    state_name: 'Cancelled',
    previous_state_id: 2,
    previous_state_name: 'In Progress',
    cancellation_reason: 'The customer changed their mind',
    cancelled_by: 'ERP',
    cancelled_at: at('10:02:30'),
  },
})

export const orderCompleted = eventTopic({
  name: 'order/completed',
  data: z
    .object({
      ...orderIdentity,
      ...orderState,
      warehouse_id: returned.warehouse_id,
      items_picked: itemsPicked,
      total_quantity_picked: quantityOf('Total quantity picked'),
      picked_by: z.string().describe('Operator of the picking flow; the name of the API key if nothing was picked.'),
      started_at: time('the start of picking, or of creation if nothing was picked'),
      completed_at: time('completion'),
      duration_minutes: durationMinutes,
    })
    .describe('An order finished fulfillment.'),
  sample: {
    ...sampleOrder,
    state_id: 5,
    state_name: 'Completed',
    warehouse_id: 1,
    items_picked: 2,
    total_quantity_picked: 5,
    picked_by: 'sam@warehouse.example',
    started_at: at('10:00:00'),
    completed_at: at('10:12:00'),
    duration_minutes: 12,
  },
})

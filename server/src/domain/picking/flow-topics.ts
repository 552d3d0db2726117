import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { quantityOf, returned } from '../../procedures/fields/response-fields.ts'
import { timestamp } from '../../procedures/fields/fields.ts'

const time = (of: string): z.ZodISODateTime => timestamp.describe(`Time of ${of}, UTC.`)
const durationMinutes = z.number().describe('Minutes from start to completion.')
const cancellationReason = z.string().nullable().describe('Reason of the cancellation; null if none was given.')
const itemsPicked = z.int().describe('Number of order lines with picks.')
const orderIdentity = { order_id: returned.order_id, order_tenant_id: returned.order_tenant_id }
const flowIdentity = {
  flow_id: z.int().describe('Id of the picking flow.'),
  ...orderIdentity,
  warehouse_id: returned.warehouse_id,
  operator_id: returned.operator_id,
  operator_email: returned.operator_email,
}
const sampleOrder = { order_id: 4711, order_tenant_id: 'SO-10023' }
const sampleFlow = { flow_id: 93, ...sampleOrder, warehouse_id: 1, operator_id: 12, operator_email: 'sam@warehouse.example' }
const at = (time: string): string => `2026-03-02T${time}.000Z`

export const flowStarted = eventTopic({
  name: 'flow/started',
  data: z
    .object({
      ...flowIdentity,
      items_to_pick: z.int().describe('Number of order lines left to pick.'),
      total_quantity: quantityOf('Total quantity left to pick'),
      started_at: returned.started_at,
    })
    .describe('An operator started a picking flow.'),
  sample: { ...sampleFlow, items_to_pick: 2, total_quantity: 5, started_at: at('10:00:00') },
})

export const flowCompleted = eventTopic({
  name: 'flow/completed',
  data: z
    .object({
      ...flowIdentity,
      items_picked: itemsPicked,
      total_quantity_picked: quantityOf('Total quantity picked in this flow'),
      started_at: returned.started_at,
      completed_at: time('completion'),
      duration_minutes: durationMinutes,
    })
    .describe('A picking flow was completed.'),
  sample: {
    ...sampleFlow,
    items_picked: 2,
    total_quantity_picked: 5,
    started_at: at('10:00:00'),
    completed_at: at('10:12:00'),
    duration_minutes: 12,
  },
})

export const flowCancelled = eventTopic({
  name: 'flow/cancelled',
  data: z
    .object({
      ...flowIdentity,
      cancellation_reason: cancellationReason,
      items_picked_before_cancel: z.int().describe('Number of order lines with picks before the cancellation.'),
      started_at: returned.started_at,
      cancelled_at: time('cancellation'),
    })
    .describe('A picking flow was cancelled.'),
  sample: {
    ...sampleFlow,
    cancellation_reason: 'The customer changed their mind',
    items_picked_before_cancel: 1,
    started_at: at('10:00:00'),
    cancelled_at: at('10:02:30'),
  },
})

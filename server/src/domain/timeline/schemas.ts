import { z } from 'zod'
import { topicName } from '../../procedures/event-topics.ts'
import { cursorQuery, oneCursor, pageQuery, pathId, timestamp } from '../../procedures/fields/fields.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import { FLOW_STATES } from '../picking/index.ts'
import { recordState } from '../receiving/index.ts'
import { reservationUpdated } from '../reservation-core/index.ts'
import { stockMovement } from '../stock/index.ts'
import { delivery } from '../webhooks/index.ts'
import { CURSOR, cursorOf } from './cursor.ts'
import { KINDS, type Kind } from './kinds.ts'

const kind = z.enum(KINDS)

const entryCursor = z.string().regex(CURSOR, 'must be the next_cursor of a response').transform(cursorOf)

export const timelineInput = z
  .object({
    id: pathId.describe('Id of the order.'),
    ...cursorQuery(entryCursor, 'Continue after the previous page: its `next_cursor`. Default: start at the first entry.'),
    limit: pageQuery.limit.describe('Entries per page, 1 to 100. Default: 50. Larger values are treated as 100.'),
    kind: z
      .preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(kind).min(1).max(100))
      .default([...KINDS])
      .describe('Only entries of this kind. Repeat the parameter for several kinds: `kind=state&kind=flow`. Default: all kinds.'),
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))

const recordFields = {
  id: z.int().describe('Id of the record.'),
  reference: z.string().nullable().describe("The client's own identifier of the record; null if none was given."),
}
const batch = {
  batch_id: z.int().nullable().describe('Id of the batch that the flow belongs to; null for a flow of its own.'),
  slot: z.int().nullable().describe('Number of the slot in the batch, from 1; null for a flow of its own.'),
}

/** What each kind of entry has in `data`. */
export const DATA = {
  call: z
    .object({
      operation: z.string().describe('Name of the operation, such as `orders.create`.'),
      key_name: z.string().describe('Name of the API key at the time of the call.'),
      address: z.string().describe('IP address of the client.'),
      request_id: z.string().describe('`X-Request-Id` of the call.'),
      error: z
        .string()
        .nullable()
        .describe('Error code of a failed call; null if it succeeded, or if it ended within the last second.'),
    })
    .describe('A call to change data that names the order, or a picking flow, batch, shipment or return of it.'),
  created: z
    .object({
      order_tenant_id: returned.order_tenant_id,
      warehouse_id: returned.warehouse_id,
      items_count: z.int().describe('Number of order lines.'),
      total_quantity: z.int().describe('Total number of units ordered.'),
    })
    .describe('The order was created.'),
  state: z
    .object({
      state_id: z
        .int()
        .describe('State after the change: 1 Pending, 2 In Progress, 3 In Progress (being picked), 5 Completed, 7 Cancelled.'),
      previous_state_id: z.int().describe('State before the change.'),
      by: z.string().describe('Name of the API key that changed the state.'),
      reason: z.string().nullable().describe('Reason of a cancellation; null if none was given.'),
    })
    .describe('The state of the order changed.'),
  flow: z
    .object({
      flow_id: z.int().describe('Id of the picking flow.'),
      ...batch,
      state: z.enum(FLOW_STATES).describe('`started`: the flow began. `completed`, `cancelled`: it ended.'),
      operator_email: z
        .string()
        .describe('E-mail address of the operator who started the flow or, at its end, of the operator it was assigned to.'),
      items_picked: z.int().describe('Number of order lines with picks in the flow; 0 at its start.'),
      total_quantity_picked: z.number().describe('Total quantity picked in the flow; 0 at its start.'),
      reason: z.string().nullable().describe('Reason of the cancellation; null if none was given.'),
    })
    .describe('A picking flow of the order started or ended.'),
  movement: stockMovement
    .extend({
      flow_id: z
        .int()
        .optional()
        .describe(
          'Id of the picking flow of a pick, its undo or its cancellation. Absent on other movements, and on movements recorded by versions without this operation.',
        ),
      pick_id: z.string().optional().describe('Id of the pick that was made or undone. Absent like `flow_id`.'),
    })
    .describe('Stock moved for the order.'),
  reservation: reservationUpdated.data.describe('The reservation status of the order changed.'),
  shipment: z
    .object({
      ...recordFields,
      state: z.enum(['open', 'shipped', 'delivered', 'cancelled']).describe('State after the change.'),
      previous_state: z
        .enum(['open', 'shipped', 'delivered', 'cancelled'])
        .nullable()
        .describe('State before the change; null for a new shipment.'),
    })
    .describe('The state of a shipment of the order changed.'),
  return: z
    .object({
      ...recordFields,
      state: recordState,
      previous_state: recordState.nullable().describe('State before the change; null for a new return.'),
    })
    .describe('The state of a return of the order changed.'),
  event: z
    .object({
      event_id: z.string().describe('Id of the event.'),
      event: topicName.describe('Topic of the event.'),
      deliveries: z
        .array(
          delivery.omit({ attempts: true }).meta({ id: 'DeliverySummary', description: 'A delivery, without its attempts.' }),
        )
        .describe('Deliveries of the event, by subscription. A subscription that does not have the topic has none.'),
    })
    .describe('An event of the order was recorded.'),
} satisfies Record<Kind, z.ZodObject>

function entryOf<const K extends Kind>(name: K) {
  return z.object({
    at: timestamp.describe('Time, UTC.'),
    kind: z.literal(name).describe('Kind of the entry.'),
    id: z.string().describe('Id of the entry, unique in the timeline and the same in every response.'),
    data: DATA[name],
  })
}

const timelineEntry = z
  .discriminatedUnion('kind', [
    entryOf('call'),
    entryOf('created'),
    entryOf('state'),
    entryOf('flow'),
    entryOf('movement'),
    entryOf('reservation'),
    entryOf('shipment'),
    entryOf('return'),
    entryOf('event'),
  ])
  .meta({
    id: 'TimelineEntry',
    description: 'Something that happened to an order. `kind` says what, and determines the fields of `data`.',
  })

export const timelineOutput = z.object({
  entries: z.array(timelineEntry).describe('Entries of this page, oldest first.'),
  omitted: z.array(kind).describe("Kinds that are missing because the key's scopes do not allow them."),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` to get the next page; null after the last entry.'),
})

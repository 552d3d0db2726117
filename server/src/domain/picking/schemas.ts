import { z } from 'zod'
import { hasQuantity, MAY_BE_CARRIED } from '../records/index.ts'
import { since } from '../../procedures/fields/moments.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import {
  date,
  id,
  isGiven,
  pageQuery,
  pagination,
  pathId,
  positiveQuantity,
  queryInteger,
  text,
  timestamp,
  trimmedText,
  CHECK_ALSO_WHEN_INVALID,
} from '../../procedures/fields/fields.ts'

export const FLOW_STATES = ['started', 'completed', 'cancelled'] as const

const locationId = text(64, { minLength: 1 })
const pickId = text(255, { minLength: 1 })
const flowPathId = pathId.describe('Id of the picking flow.')

export const pickingFlow = z
  .object({
    id: id.describe('Id of the picking flow.'),
    order_id: returned.order_id,
    order_tenant_id: returned.order_tenant_id,
    warehouse_id: id.describe('Id of the warehouse that fulfils the order.'),
    state: z.enum(FLOW_STATES).describe('State of the flow.'),
    operator_id: returned.operator_id,
    operator_email: returned.operator_email,
    items_to_pick: z.int().describe('Number of order lines left to pick when the flow started.'),
    total_quantity: z.number().describe('Total quantity left to pick when the flow started.'),
    items_picked: z
      .int()
      .describe('Number of order lines with picks in this flow; in a cancelled flow, before the cancellation.'),
    total_quantity_picked: z
      .number()
      .describe('Total quantity picked in this flow; in a cancelled flow, before the cancellation.'),
    started_at: returned.started_at,
    completed_at: timestamp.nullable().describe('Time of completion, UTC; null until then.'),
    cancelled_at: timestamp.nullable().describe('Time of cancellation, UTC; null until then.'),
    cancellation_reason: z.string().nullable().describe('Reason of the cancellation; null if none was given.'),
    batch_id: id.optional().describe('Id of the batch. Absent if the flow is in no batch.'),
    slot: z.int().optional().describe('Number of the slot in the batch, from 1. Absent if the flow is in no batch.'),
  })
  .meta({ id: 'PickingFlow', description: 'The picking of an order by one operator, from start to completion or cancellation.' })

const lineTolerance = {
  is_fulfilled: z
    .boolean()
    .optional()
    .describe(
      'Present if the line has a tolerance: whether at least `minimum_quantity` is picked. It can then still be picked further.',
    ),
  minimum_quantity: z
    .number()
    .optional()
    .describe(
      'Present if the line has a tolerance: picked quantity from which the line is fulfilled, with at most 3 decimal places.',
    ),
  maximum_quantity: z
    .number()
    .optional()
    .describe('Present if the line has a tolerance: most that can be picked of the line, with at most 3 decimal places.'),
}

const lineFields = {
  order_detail_id: returned.order_detail_id,
  product_id: returned.product_id,
  barcode: returned.barcode,
  product_name: z.string().describe('Name of the product at the time of ordering.'),
  quantity: z.int().describe('Number of units ordered.'),
  picked_quantity: z.number().describe('Quantity picked in this flow and in earlier flows.'),
  remaining: z.number().describe('Quantity left to pick; 0 when the line is fulfilled.'),
  ...lineTolerance,
}

const pickedLine = z.object(lineFields).meta({ id: 'PickedLine', description: 'An order line that a pick changed.' })

/** Locations of a line. */
export const MAX_LOCATIONS = 50

const lineToPick = z
  .object({
    ...lineFields,
    barcodes: z
      .array(
        z.object({
          barcode: z.string().describe('A barcode of the product or of a pack of it.'),
          quantity: z.number().describe('Number of base units that it stands for.'),
        }),
      )
      .optional()
      .describe('All barcodes of the product, the primary one first. Absent if it has no additional ones.'),
    locations: z
      .array(
        z.object({
          location_id: returned.location_id,
          location_code: returned.location_code,
          quantity: z.number().describe('Quantity of the product at the location.'),
          pick_sequence: z.int().optional().describe('Position of the location in the pick order. Absent if it has none.'),
        }),
      )
      .describe(
        `Current stock of the product at pickable locations of the order's warehouse, in pick order: by \`pick_sequence\`, locations without one last, then by location id. Only the first ${MAX_LOCATIONS} locations.`,
      ),
  })
  .meta({ id: 'LineToPick', description: 'An order line with the current stock of its product.' })

const takenPick = z
  .object({
    id: z.string().describe('The `pick_id` of the request, or a generated one.'),
    product_id: returned.product_id,
    location_id: returned.location_id,
    quantity: z.number().describe('Quantity picked.'),
    lines: z
      .array(
        z.object({
          order_detail_id: returned.order_detail_id,
          quantity: z.number().describe('Quantity of the pick assigned to this line.'),
        }),
      )
      .describe('Order lines that the pick filled.'),
    created_at: returned.created_at,
  })
  .meta({ id: 'Pick', description: 'A quantity of a product taken from a location for an order.' })

export const getFlowOutput = pickingFlow
  .extend({
    lines: z.array(lineToPick).describe('All lines of the order, in the order submitted.'),
    picks: z.array(takenPick).describe('Picks of this flow, without undone ones, oldest first.'),
  })
  .meta({
    id: 'PickingFlowDetails',
    description: 'A picking flow with its lines, their stock, and its picks.',
  })

export const startFlowInput = z
  .object({
    order_id: id.nullish().describe('Id of the order, assigned by the service. Required unless `order_tenant_id` is given.'),
    order_tenant_id: text(255, { minLength: 1 })
      .nullish()
      .describe("The client's own order identifier. When `order_id` is given too, both must name the same order.")
      .meta({ examples: ['SHOP-10042'] }),
    operator_email: trimmedText(255)
      .describe('E-mail address of the operator.')
      .meta({ examples: ['ada@example.com'] }),
    operator_id: id
      .nullish()
      .describe("The client's own id of the operator, stored as `user_id` of the stock movements.")
      .meta({ examples: [7] }),
  })
  .refine((input) => isGiven(input.order_id) || isGiven(input.order_tenant_id), {
    ...CHECK_ALSO_WHEN_INVALID,
    path: ['order_id'],
    message: 'is required unless order_tenant_id is given',
  })

export const assignFlowInput = z.object({
  id: flowPathId,
  operator_email: trimmedText(255)
    .describe('E-mail address of the operator.')
    .meta({ examples: ['grace@example.com'] }),
  operator_id: id
    .nullish()
    .describe("The client's own id of the operator, stored as `user_id` of the stock movements. Default: none.")
    .meta({ examples: [8] }),
})

/** Completed flows that `completed_since` looks at, the last started first: when a flow was completed is in no index. */
export const MAX_COMPLETED = 10_000

export const listFlowsInput = z.object({
  ...pageQuery,
  state: z.enum(FLOW_STATES).optional().describe('Only flows in this state.'),
  order_id: queryInteger().optional().describe('Only flows of the order with this id.'),
  operator_email: text(255).optional().describe('Only flows of the operator with this e-mail address, ignoring case.'),
  completed_since: since
    .optional()
    .describe(
      'Only flows that were completed at this time or later: an ISO 8601 timestamp, or a date for the start of that day (UTC). Without `order_id` and `operator_email`, only among the 10,000 completed flows that were started last.',
    )
    .meta({ examples: ['2026-11-30'] }),
})

const queuedOrder = z
  .object({
    order_id: returned.order_id,
    order_tenant_id: returned.order_tenant_id,
    assembly_date: date.describe('Date by which the order must be fulfilled.'),
    customer_name: returned.customer_name,
    state_id: z
      .literal([1, 2])
      .meta({ type: 'integer' })
      .describe('State of the order: 1 Pending, 2 In Progress (released to the warehouse).'),
    open_lines: z.int().describe('Number of order lines with something left to pick.'),
    open_quantity: z.number().describe('Total quantity left to pick.'),
  })
  .meta({ id: 'QueuedOrder', description: 'An order that is ready to be picked.' })

export const listQueueInput = z.object({
  ...pageQuery,
  search: text(255)
    .optional()
    .describe('Only orders whose `order_tenant_id` or customer name contains this text, ignoring case.'),
})
export const listQueueOutput = z.object({
  orders: z.array(queuedOrder).describe('Orders of this page, by assembly date.'),
  pagination,
})

export const listFlowsOutput = z.object({
  flows: z.array(pickingFlow).describe('Flows of this page, newest first; with `completed_since` the last completed first.'),
  pagination,
})

export const flowId = z.object({ id: flowPathId })

export const recordPickInput = z
  .object({
    id: flowPathId,
    barcode: trimmedText(255)
      .nullish()
      .describe(
        'Barcode of the product or of a pack of it, or a scanned code that contains one: see `GET /scan`. The pick fills the open lines of the product in order.',
      )
      .meta({ examples: ['4006381333931'] }),
    product_id: id.nullish().describe('Id of the product. The pick fills its open lines in order.'),
    order_detail_id: id.nullish().describe('Id of the order line. The pick fills that line alone.'),
    location_id: locationId.describe('Id of the location to pick from.').meta({ examples: ['A-01-03'] }),
    quantity: positiveQuantity
      .nullish()
      .describe(
        `Quantity picked, above 0. Decimals, at most 3 places, are allowed for weighable products only. ${MAY_BE_CARRIED}`,
      )
      .meta({ examples: [2] }),
    pick_id: pickId
      .nullish()
      .describe(
        "The scanner's own id of the pick, unique in the flow. Sending the same pick again changes nothing and returns the same response.",
      )
      .meta({ examples: ['scan-7f3a'] }),
  })
  .refine(...hasQuantity)
  .refine((input) => [input.barcode, input.product_id, input.order_detail_id].filter(isGiven).length === 1, {
    ...CHECK_ALSO_WHEN_INVALID,
    path: ['barcode'],
    message: 'exactly one of barcode, product_id and order_detail_id must be given',
  })

export const pickResult = z.object({
  pick: takenPick,
  lines: z.array(pickedLine).describe('Changed order lines, with their new values.'),
})

export const undoPickInput = z.object({ id: flowPathId, pick_id: pickId.describe('Id of the pick.') })

export const cancelFlowInput = z.object({
  id: flowPathId,
  reason: text(1_000)
    .nullish()
    .describe('Reason, stored and sent as `cancellation_reason` of the event.')
    .meta({ examples: ['The shift ended'] }),
})

export type QueuedOrder = z.infer<typeof queuedOrder>
export type PickingFlow = z.infer<typeof pickingFlow>
export type PickingFlowDetails = z.infer<typeof getFlowOutput>
export type PickedLine = z.infer<typeof pickedLine>
export type LineToPick = z.infer<typeof lineToPick>
export type LineTolerance = Required<{ [Field in keyof typeof lineTolerance]: z.infer<(typeof lineTolerance)[Field]> }>
export type NewPick = z.infer<typeof recordPickInput>
export type PickResponse = z.infer<typeof pickResult>

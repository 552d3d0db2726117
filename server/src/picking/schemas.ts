import { z } from 'zod'
import {
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
  WHATEVER_ELSE_FAILS,
} from '../fields.ts'

export const FLOW_STATES = ['started', 'completed', 'cancelled'] as const

const orderDetailId = id.describe('Id of the order line.')
const locationId = text(64, { minLength: 1 })
const pickId = text(255, { minLength: 1 })

export const pickingFlow = z
  .object({
    id,
    order_id: id,
    order_tenant_id: z.string().describe("The client's own identifier of the order."),
    warehouse_id: id.describe("The order's warehouse."),
    state: z.enum(FLOW_STATES),
    operator_id: z.int().nullable(),
    operator_email: z.string(),
    items_to_pick: z.int().describe('Number of order lines that were open when the flow started.'),
    total_quantity: z.number().describe('What was left to pick of them then.'),
    items_picked: z
      .int()
      .describe('Number of order lines of which something was picked in this flow; of a cancelled one, before it was cancelled.'),
    total_quantity_picked: z.number().describe('What was picked in this flow; in a cancelled one, before it was cancelled.'),
    started_at: timestamp,
    completed_at: timestamp.nullable(),
    cancelled_at: timestamp.nullable(),
    cancellation_reason: z.string().nullable(),
  })
  .meta({ id: 'PickingFlow', description: 'The picking of an order by one operator, from start to completion or cancellation.' })

const lineFields = {
  order_detail_id: orderDetailId,
  product_id: id,
  barcode: z.string(),
  product_name: z.string().describe("The product's name at the time of ordering."),
  quantity: z.int().describe('How many are ordered.'),
  picked_quantity: z.number().describe('How many are picked, in this flow and in those before it.'),
  remaining: z.number().describe('How many are left to pick.'),
}

const pickedLine = z.object(lineFields).meta({ id: 'PickedLine', description: 'An order line that a pick changed.' })

const lineToPick = z
  .object({
    ...lineFields,
    locations: z
      .array(z.object({ location_id: z.string(), location_code: z.string(), quantity: z.number() }))
      .describe("Where the product lies now in the order's warehouse, ordered by location id."),
  })
  .meta({ id: 'LineToPick', description: 'An order line, and where its product lies.' })

const takenPick = z
  .object({
    id: z.string().describe('The `pick_id` that it was sent with, or a generated one.'),
    product_id: id,
    location_id: z.string(),
    quantity: z.number(),
    lines: z
      .array(z.object({ order_detail_id: orderDetailId, quantity: z.number() }))
      .describe('How much of it each order line got.'),
    created_at: timestamp,
  })
  .meta({ id: 'Pick', description: 'A quantity of a product that was taken out of a location for an order.' })

export const flowDetails = pickingFlow
  .extend({
    lines: z.array(lineToPick).describe('All lines of the order, in their order.'),
    picks: z.array(takenPick).describe('The picks of this flow that were not undone, oldest first.'),
  })
  .meta({
    id: 'PickingFlowDetails',
    description: 'A picking flow with what is left to pick, where it lies, and what was picked.',
  })

export const newFlow = z
  .object({
    order_id: id.nullish().describe('Id of the order. Needed unless `order_tenant_id` is given.'),
    order_tenant_id: text(255, { minLength: 1 })
      .nullish()
      .describe("The client's own identifier of the order. When `order_id` is given too, both must name the same order.")
      .meta({ examples: ['SHOP-10042'] }),
    operator_email: trimmedText(255)
      .describe('Who picks.')
      .meta({ examples: ['ada@example.com'] }),
    operator_id: id
      .nullish()
      .describe('Number of the operator; kept as `user_id` of the stock movements.')
      .meta({ examples: [7] }),
  })
  .refine((input) => isGiven(input.order_id) || isGiven(input.order_tenant_id), {
    ...WHATEVER_ELSE_FAILS,
    path: ['order_id'],
    message: 'is required unless order_tenant_id is given',
  })

export const listFlowsInput = z.object({
  ...pageQuery,
  state: z.enum(FLOW_STATES).optional().describe('Only flows in this state.'),
  order_id: queryInteger().optional().describe('Only flows of this order.'),
})
export const flowList = z.object({ flows: z.array(pickingFlow), pagination })

export const flowId = z.object({ id: pathId })

export const newPick = z
  .object({
    id: pathId,
    barcode: trimmedText(255)
      .nullish()
      .describe('Barcode as scanned: fills the open lines of the product in order.')
      .meta({ examples: ['4006381333931'] }),
    product_id: id.nullish().describe('Id of the product: fills its open lines in order.'),
    order_detail_id: id.nullish().describe('Id of the order line: fills that line alone.'),
    location_id: locationId.describe('Where it is taken from.').meta({ examples: ['A-01-03'] }),
    quantity: positiveQuantity
      .describe('How much is taken; with decimals, at most 3, only of weighable products.')
      .meta({ examples: [2] }),
    pick_id: pickId
      .nullish()
      .describe('Chosen by the scanner, unique in the flow: the same pick sent again has no effect and gets the same answer.')
      .meta({ examples: ['scan-7f3a'] }),
  })
  .refine((input) => [input.barcode, input.product_id, input.order_detail_id].filter(isGiven).length === 1, {
    ...WHATEVER_ELSE_FAILS,
    path: ['barcode'],
    message: 'exactly one of barcode, product_id and order_detail_id must be given',
  })

export const pickAnswer = z.object({
  pick: takenPick,
  lines: z.array(pickedLine).describe('The order lines that changed, as they are after it.'),
})

export const pickName = z.object({ id: pathId, pick_id: pickId.describe("The pick's id.") })

export const flowCancellation = z.object({
  id: pathId,
  reason: text(1_000)
    .nullish()
    .describe('Why; kept, and sent as `cancellation_reason` of the event.')
    .meta({ examples: ['The shift ended'] }),
})

export type PickingFlow = z.infer<typeof pickingFlow>
export type PickingFlowDetails = z.infer<typeof flowDetails>
export type NewFlow = z.infer<typeof newFlow>
export type FlowListQuery = z.infer<typeof listFlowsInput>
export type FlowList = z.infer<typeof flowList>
export type NewPick = z.infer<typeof newPick>
export type PickAnswer = z.infer<typeof pickAnswer>
export type PickName = z.infer<typeof pickName>
export type FlowCancellation = z.infer<typeof flowCancellation>

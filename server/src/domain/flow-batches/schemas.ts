import { z } from 'zod'
import {
  CHECK_ALSO_WHEN_INVALID,
  date,
  id,
  isGiven,
  pageQuery,
  pagination,
  pathId,
  text,
  timestamp,
  trimmedText,
} from '../../procedures/fields/fields.ts'
import { quantityOf, returned } from '../../procedures/fields/response-fields.ts'
import { FLOW_STATES } from '../picking/index.ts'

/** Orders of a batch. */
export const MAX_ORDERS = 50
/** Open lines of all orders of a batch together. */
export const MAX_LINES = 1_000
/** Orders that a rule takes unless it says otherwise. */
export const DEFAULT_ORDERS = 10

const reference = text(255, { minLength: 1 })
const state = z
  .enum(FLOW_STATES)
  .describe('`started` while one of its flows runs, else `cancelled` if all were cancelled, else `completed`.')

const ordersBy = <Name extends z.ZodType>(name: Name) =>
  z
    .array(name)
    .min(1, 'must not be empty')
    .max(MAX_ORDERS, `must have at most ${MAX_ORDERS} items`)
    .refine((names) => new Set(names).size === names.length, 'must not contain an order twice')
    .nullish()

const rule = z
  .object({
    max_orders: z
      .int()
      .min(1)
      .max(MAX_ORDERS)
      .nullish()
      .describe(`Maximum number of orders, 1 to ${MAX_ORDERS}. Default: ${DEFAULT_ORDERS}.`),
    warehouse_id: id.nullish().describe("Id of the warehouse. Default: the tenant's default warehouse."),
    assembly_until: date.nullish().describe('Only orders with this `assembly_date` or an earlier one. Default: any date.'),
    single_line: z.boolean().nullish().describe('Whether only orders with one open line are chosen. Default: false.'),
  })
  .meta({ id: 'FlowBatchRule', description: 'Rule by which a batch chooses among the orders that are ready to be picked.' })

export const createFlowBatchInput = z
  .object({
    order_ids: ordersBy(id).describe(`Ids of the orders, 1 to ${MAX_ORDERS}, in the order of their slots.`),
    order_tenant_ids: ordersBy(text(255, { minLength: 1 }))
      .describe(`The client's own identifiers of the orders, 1 to ${MAX_ORDERS}, in the order of their slots.`)
      .meta({ examples: [['SHOP-10042']] }),
    rule: rule
      .nullish()
      .describe(
        'Chooses pending or released orders that have an open line and are ready to be picked, by `assembly_date`, then id. Each order is checked against the stock that the orders before it leave at pickable locations. Only the first 1,000 orders with an open line are checked, and the batch takes no order that would exceed its 1,000 open lines.',
      ),
    operator_email: trimmedText(255)
      .describe('E-mail address of the operator.')
      .meta({ examples: ['ada@example.com'] }),
    operator_id: id
      .nullish()
      .describe("The client's own id of the operator, stored as `user_id` of the stock movements.")
      .meta({ examples: [7] }),
    reference: reference
      .nullish()
      .describe(
        "The client's own identifier, permanently unique among batches. A call with the same reference and content changes nothing.",
      )
      .meta({ examples: ['WALK-2026-48-3'] }),
  })
  .refine((input) => [input.order_ids, input.order_tenant_ids, input.rule].filter(isGiven).length === 1, {
    ...CHECK_ALSO_WHEN_INVALID,
    path: ['order_ids'],
    message: 'exactly one of order_ids, order_tenant_ids and rule is required',
  })

const slotNumber = z.int().describe('Number of the slot, from 1.')
const flowId = id.describe('Id of the picking flow.')

export const flowBatchSlot = z
  .object({
    slot: slotNumber,
    flow_id: flowId,
    order_id: returned.order_id,
    order_tenant_id: returned.order_tenant_id,
    state: z.enum(FLOW_STATES).describe('State of the flow.'),
    items_to_pick: z.int().describe('Number of order lines left to pick when the flow started.'),
    items_picked: z.int().describe('Number of order lines with picks in the flow; in a cancelled flow, before the cancellation.'),
  })
  .meta({ id: 'FlowBatchSlot', description: 'A slot of a batch, such as a box on a cart, for one order.' })

export const flowBatchShare = z
  .object({ slot: slotNumber, flow_id: flowId, quantity: quantityOf('Quantity for the slot') })
  .meta({ id: 'FlowBatchShare', description: 'Quantity of the product for a slot.' })

export const flowBatchStop = z
  .object({
    location_id: returned.location_id,
    location_code: returned.location_code,
    product_id: returned.product_id,
    barcode: returned.barcode,
    product_name: returned.product_name,
    quantity: quantityOf('Quantity to take'),
    slots: z.array(flowBatchShare).describe('Slots that need the product, in order.'),
  })
  .meta({ id: 'FlowBatchStop', description: 'A product to take from a location.' })

export const missingProduct = z
  .object({
    product_id: returned.product_id,
    quantity: quantityOf('Quantity that is at no pickable location'),
    slots: z.array(flowBatchShare).describe('Slots that lack it, in order.'),
  })
  .meta({ id: 'FlowBatchMissing', description: 'A product with too little stock at pickable locations.' })

/** Fields of the record, without what follows from its flows. */
export const flowBatchFields = {
  id: id.describe('Id of the batch.'),
  reference: z.string().nullable().describe("The client's own identifier of the batch; null if it has none."),
  state,
  warehouse_id: returned.warehouse_id,
  operator_email: returned.operator_email,
  operator_id: returned.operator_id,
  created_by: z.string().describe('Name of the API key that started it.'),
  created_at: returned.created_at,
  ended_at: timestamp.nullable().describe('Time at which its last flow ended, UTC; null while one runs.'),
}
const slots = z.array(flowBatchSlot).describe('Slots in order.')

const flowBatchSummary = z
  .object({ ...flowBatchFields, slots })
  .meta({ id: 'FlowBatchSummary', description: 'A batch, without its stops.' })
export const flowBatch = z
  .object({
    ...flowBatchFields,
    slots,
    stops: z
      .array(flowBatchStop)
      .describe(
        'Remaining stops, in pick order, then by product. Each product is taken from its pickable locations in pick order, as much as possible from each, and goes to slots in order. A proposal that is computed at each read and reserves nothing.',
      ),
    missing: z.array(missingProduct).describe('Remaining quantities that are at no pickable location, by product.'),
  })
  .meta({ id: 'FlowBatch', description: 'Picking flows of several orders that an operator picks in one walk.' })

const batchPathId = pathId.describe('Id of the batch.')
export const flowBatchId = z.object({ id: batchPathId })
export const cancelFlowBatchInput = z.object({
  id: batchPathId,
  reason: text(1_000)
    .nullish()
    .describe('Reason, stored as `cancellation_reason` of each flow.')
    .meta({ examples: ['The shift ended'] }),
})

export const listFlowBatchesInput = z.object({
  ...pageQuery,
  state: state.optional(),
  reference: reference.optional().describe('Only the batch with this reference.'),
})
export const listFlowBatchesOutput = z.object({
  flow_batches: z.array(flowBatchSummary).describe('Batches of this page, newest first.'),
  pagination,
})

export type NewFlowBatch = z.infer<typeof createFlowBatchInput>
export type FlowBatchRule = z.infer<typeof rule>
export type FlowBatch = z.infer<typeof flowBatch>
export type FlowBatchSummary = z.infer<typeof flowBatchSummary>
export type FlowBatchState = FlowBatch['state']

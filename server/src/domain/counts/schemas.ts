import { z } from 'zod'
import {
  id,
  isGiven,
  pageQuery,
  pagination,
  pathId,
  quantity,
  queryInteger,
  text,
  timestamp,
} from '../../procedures/fields/fields.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import { namedProduct, namesOneProduct } from '../records/index.ts'
import { countReference, countState } from './count-topics.ts'

/** Lines of a count. */
export const MAX_LINES = 1_000
const MAX_LOCATIONS = 100

const reference = text(255, { minLength: 1 })
const operatorId = id
  .nullish()
  .describe("The client's own id of the operator.")
  .meta({ examples: [7] })
const locationId = text(64, { minLength: 1 })

export const createCountInput = z
  .object({
    reference: reference
      .nullish()
      .describe(
        "The client's own identifier, permanently unique among counts. A call with the same reference and content changes nothing.",
      )
      .meta({ examples: ['CC-2026-48'] }),
    warehouse_id: id.nullish().describe("Id of the warehouse. Default: the tenant's default warehouse."),
    location_ids: z
      .array(locationId)
      .min(1, 'must not be empty')
      .max(MAX_LOCATIONS, `must have at most ${MAX_LOCATIONS} items`)
      .nullish()
      .describe(
        `Ids of locations of the warehouse, 1 to ${MAX_LOCATIONS}: only levels there. Required unless \`product_ids\` is given.`,
      )
      .meta({ examples: [['A-01-03']] }),
    product_ids: z
      .array(id)
      .min(1, 'must not be empty')
      .max(MAX_LINES, `must have at most ${MAX_LINES} items`)
      .nullish()
      .describe(`Ids of products, 1 to ${MAX_LINES}: only their levels. Required unless \`location_ids\` is given.`),
    blind: z.boolean().nullish().describe('Whether expected quantities are hidden while counting. Default: false.'),
    note: text(1_000).nullish().describe('Note.'),
  })
  .refine(({ location_ids: locations, product_ids: products }) => isGiven(locations) || isGiven(products), {
    path: ['location_ids'],
    message: 'is required unless product_ids is given',
  })

const quantityOrNull = (what: string): z.ZodNullable<z.ZodNumber> => z.number().nullable().describe(what)
export const countLine = z
  .object({
    id: id.describe('Id of the line.'),
    product_id: returned.product_id,
    sku: returned.sku,
    barcode: returned.barcode,
    product_name: returned.product_name,
    location_id: returned.location_id,
    location_code: returned.location_code,
    counted_quantity: quantityOrNull('Quantity counted; null until then.'),
    expected_quantity: quantityOrNull(
      'The level when the line was counted; until then the current level. null in a blind count while counting, and when the count is over and the line was not counted.',
    ),
    variance: quantityOrNull('`counted_quantity` minus `expected_quantity`; null if either is null.'),
    counted_at: timestamp.nullable().describe('Time of the latest entry, UTC; null until then.'),
    operator_id: returned.operator_id,
    movement_id: z
      .string()
      .nullable()
      .describe('Id of the movement that approval wrote; null until then, and for a line that was not counted.'),
  })
  .meta({ id: 'CountLine', description: 'A level to count.' })

const fields = {
  id: id.describe('Id of the count.'),
  reference: countReference,
  warehouse_id: returned.warehouse_id,
  state: countState,
  blind: z.boolean().describe('Whether expected quantities are hidden while counting.'),
  location_ids: z.array(z.string()).nullable().describe('Locations of the scope; null for all of the warehouse.'),
  product_ids: z.array(id).nullable().describe('Products of the scope; null for all.'),
  note: z.string().nullable().describe('Note; null if there is none.'),
  lines_total: z.int().describe('Number of lines.'),
  lines_counted: z.int().describe('Number of lines that are counted.'),
  lines_different: z.int().nullable().describe('Number of lines with a variance; null in a blind count while counting.'),
  created_by: z.string().describe('Name of the API key that made it.'),
  created_at: returned.created_at,
  updated_at: returned.updated_at,
  approved_at: timestamp.nullable().describe('Time of the approval, UTC; null unless approved.'),
  cancelled_at: timestamp.nullable().describe('Time of the cancellation, UTC; null unless cancelled.'),
  cancellation_reason: z.string().nullable().describe('Reason of the cancellation; null if none was given.'),
}
export const countSummary = z.object(fields).meta({ id: 'CountSummary', description: 'A count, without its lines.' })
export const count = z
  .object({ ...fields, lines: z.array(countLine).describe('Lines in pick order, then by product.') })
  .meta({ id: 'Count', description: 'A count of stock at locations.' })

const countPathId = pathId.describe('Id of the count.')
export const countId = z.object({ id: countPathId })

export const addEntryInput = z
  .object({
    id: countPathId,
    ...namedProduct,
    location_id: locationId.describe('Id of the location.').meta({ examples: ['A-01-03'] }),
    quantity: quantity
      .describe('The whole quantity at the location, from 0, at most 3 decimal places.')
      .meta({ examples: [118] }),
    entry_id: reference
      .nullish()
      .describe(
        "The client's own identifier of the entry, unique in its count. Sending the entry again changes nothing. Default: a generated one.",
      )
      .meta({ examples: ['scan-1'] }),
    operator_id: operatorId,
  })
  .refine(...namesOneProduct)
export const addEntryOutput = z.object({
  entry_id: z.string().describe("Id of the entry: the client's own, or a generated one."),
  line: countLine.describe('The line, as the entry left it.'),
})

export const approveCountInput = z.object({
  id: countPathId,
  operator_id: operatorId.describe("The client's own id of the operator, stored as `user_id` of the stock movements."),
})
export const cancelCountInput = z.object({
  id: countPathId,
  reason: text(1_000)
    .nullish()
    .describe('Reason, stored as `cancellation_reason`.')
    .meta({ examples: ['Counted the wrong aisle'] }),
})

export const listCountsInput = z.object({
  ...pageQuery,
  state: countState.optional().describe('Only counts in this state.'),
  warehouse_id: queryInteger().optional().describe('Only counts in this warehouse.'),
  reference: reference.optional().describe('Only the count with this reference.'),
})
export const listCountsOutput = z.object({
  counts: z.array(countSummary).describe('Counts of this page, newest first.'),
  pagination,
})

export type Count = z.infer<typeof count>
export type CountSummary = z.infer<typeof countSummary>
export type CountLine = z.infer<typeof countLine>
export type CountState = z.infer<typeof countState>

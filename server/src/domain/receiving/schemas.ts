import { z } from 'zod'
import {
  CHECK_ALSO_WHEN_INVALID,
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
} from '../../procedures/fields/fields.ts'
import { quantityOf, returned } from '../../procedures/fields/response-fields.ts'
import { MAY_BE_CARRIED, namedProduct } from '../records/index.ts'

/** Lines of a record, also those that come into being with a receipt. */
export const MAX_LINES = 1_000

export const RECEIVING_STATES = ['expected', 'receiving', 'closed', 'cancelled'] as const

const reference = text(255, { minLength: 1 })

/** Input fields of a new record, without its lines. */
export const newRecord = {
  reference: reference
    .nullish()
    .describe(
      "The client's own identifier, permanently unique among records of this kind. A call with the same reference and content changes nothing.",
    )
    .meta({ examples: ['PO-2044'] }),
  warehouse_id: id.nullish().describe("Id of the warehouse that receives. Default: the tenant's default warehouse."),
  expected_at: date
    .nullish()
    .describe('Date on which the goods are expected: `YYYY-MM-DD`.')
    .meta({ examples: ['2026-12-01'] }),
  note: text(1_000).nullish().describe('Note.'),
  allow_over: z
    .boolean()
    .nullish()
    .describe('Whether surplus quantities and unannounced products may be received. Default: false.'),
}

/** The quantity of a new line. */
export const announcedQuantity = positiveQuantity
  .nullish()
  .describe(`Quantity announced, above 0, at most 3 decimal places. ${MAY_BE_CARRIED}`)
  .meta({ examples: [24] })

/** The `lines` of a new record. */
export function newLines<Line extends z.ZodType>(line: Line): z.ZodArray<Line> {
  return z
    .array(line)
    .min(1, 'must not be empty')
    .max(MAX_LINES, `must have at most ${MAX_LINES} items`)
    .describe(`Lines, 1 to ${MAX_LINES}. A product may be in several.`)
}

/** Input fields of a receipt, besides the id of its record. */
export const newReceipt = {
  ...namedProduct,
  line_id: id.nullish().describe('Id of the line to receive. Without it, the open lines of the product are filled in order.'),
  quantity: positiveQuantity
    .nullish()
    .describe(`Quantity received, above 0, at most 3 decimal places. ${MAY_BE_CARRIED}`)
    .meta({ examples: [12] }),
  receipt_id: reference
    .nullish()
    .describe(
      "The client's own identifier of the receipt, unique in its delivery or return. Sending the receipt again changes nothing. Default: a generated one.",
    )
    .meta({ examples: ['scan-1'] }),
  operator_id: id
    .nullish()
    .describe("The client's own id of the operator, stored as `user_id` of the stock movement.")
    .meta({ examples: [7] }),
}
/** The location of a receipt. */
export const receivedAt = text(64, { minLength: 1 })

type NamedGoods = z.infer<z.ZodObject<Pick<typeof newReceipt, 'product_id' | 'sku' | 'barcode' | 'line_id'>>>

/** The check that a receipt has either a line or a product. */
export const namesGoods = [
  ({ product_id: product, sku, barcode, line_id: line }: NamedGoods) =>
    [product, sku, barcode, line].filter(isGiven).length === 1,
  {
    ...CHECK_ALSO_WHEN_INVALID,
    path: ['product_id'],
    message: 'exactly one of product_id, sku, barcode and line_id is required',
  },
] satisfies Parameters<z.ZodType<NamedGoods>['refine']>

/** A receipt, as every kind of record takes it. */
export type NewReceipt = NamedGoods & {
  id: number
  quantity?: number | null | undefined
  location_id?: string | null | undefined
  receipt_id?: string | null | undefined
  operator_id?: number | null | undefined
  disposition?: string | undefined
}

/** Input fields of the undo of a receipt, besides the id of its record. */
export const undoneReceipt = {
  receipt_id: reference.describe('Id of the receipt.'),
  // A query, which it is documented for, has no null; a body may have one.
  operator_id: z
    .preprocess((value) => value ?? undefined, queryInteger().optional())
    .optional()
    .describe("The client's own id of the operator, stored as `user_id` of the stock movement."),
}

export const recordState = z
  .enum(RECEIVING_STATES)
  .describe(
    '`expected`: no goods are received yet. `receiving`: some goods are received. `closed`: no more goods are expected. `cancelled`: no goods were received, and none are expected.',
  )

/** Fields of a record, without those of its kind and its lines. */
export const recordFields = {
  id: id.describe('Id of the record.'),
  reference: z.string().nullable().describe("The client's own identifier; null if none was given."),
  warehouse_id: returned.warehouse_id,
  state: recordState,
  expected_at: date.nullable().describe('Date on which the goods are expected; null if unknown.'),
  note: z.string().nullable().describe('Note; null if there is none.'),
  allow_over: z.boolean().describe('Whether surplus quantities and unannounced products may be received.'),
  total_quantity: quantityOf('Total quantity announced'),
  total_received: quantityOf('Total quantity received'),
  created_by: z.string().describe('Name of the API key that made it.'),
  created_at: returned.created_at,
  updated_at: returned.updated_at,
  closed_at: timestamp.nullable().describe('Time at which it was closed, UTC; null unless closed.'),
  cancelled_at: timestamp.nullable().describe('Time of the cancellation, UTC; null unless cancelled.'),
  cancellation_reason: z.string().nullable().describe('Reason of the cancellation; null if none was given.'),
}

/** Fields of a line, without those of its kind. */
export const lineFields = {
  id: id.describe('Id of the line.'),
  product_id: returned.product_id,
  sku: returned.sku,
  barcode: returned.barcode,
  product_name: returned.product_name,
  quantity: z.number().describe('Quantity announced; 0 for a product that came unannounced.'),
  received_quantity: z.number().describe('Quantity received, without receipts that were undone.'),
}

/** Fields of a receipt, without those of its kind. */
export const receiptFields = {
  id: z.string().describe("Id of the receipt: the client's own, or a generated one."),
  product_id: returned.product_id,
  location_id: returned.location_id,
  quantity: z.number().describe('Quantity received.'),
  lines: z
    .array(
      z.object({
        line_id: id.describe('Id of the line.'),
        quantity: z.number().describe('Quantity of the receipt that went to this line.'),
      }),
    )
    .describe('Lines that the receipt filled.'),
  movement_id: z.string().describe('Id of the stock movement.'),
  created_at: returned.created_at,
  undone_at: timestamp.nullable().describe('Time at which the receipt was undone, UTC; null if it was not.'),
}

/** The input of a call about one record. */
export const recordId = pathId.describe('Id of the record.')

export const listReceiptsInput = z.object({ ...pageQuery, id: recordId })

/** The output of a list of receipts. */
export function receiptsOf<Receipt extends z.ZodType>(receipt: Receipt) {
  return z.object({
    receipts: z.array(receipt).describe('Receipts of this page, newest first, including undone ones.'),
    pagination,
  })
}

/** The input of a call that cancels a record, with an example of the reason. */
export function cancelRecordInput(example: string) {
  return z.object({
    id: recordId,
    reason: text(1_000)
      .nullish()
      .describe('Reason, stored as `cancellation_reason`.')
      .meta({ examples: [example] }),
  })
}

import { z } from 'zod'
import { date, isGiven, pageQuery, pagination, queryInteger, text } from '../../procedures/fields/fields.ts'
import { hasQuantity, namedOrder, namedProduct, namesOneProduct } from '../records/index.ts'
import {
  announcedQuantity,
  lineFields,
  namesGoods,
  newLines,
  newReceipt,
  newRecord,
  receiptFields,
  receiptsOf,
  receivedAt,
  recordFields,
  recordId,
  recordState,
  undoneReceipt,
} from '../receiving/index.ts'
import { orderOfReturn } from './return-topics.ts'

const reason = text(1_000).nullish()
const reasonOf = (what: string): z.ZodNullable<z.ZodString> =>
  z.string().nullable().describe(`Why ${what} back; null if no reason was given.`)

const newReturnLine = z
  .object({
    ...namedProduct,
    quantity: announcedQuantity.meta({ examples: [2] }),
    reason: reason.describe('Why the product comes back.').meta({ examples: ['Damaged in transport'] }),
  })
  .refine(...hasQuantity)
  .refine(...namesOneProduct)
  .meta({
    id: 'NewReturnLine',
    description: 'A product that comes back, named by exactly one of `product_id`, `sku` and `barcode`.',
  })

export const createReturnInput = z.object({
  ...newRecord,
  reference: newRecord.reference.meta({ examples: ['RMA-77'] }),
  ...namedOrder,
  order_id: namedOrder.order_id.describe(
    'Id of the order that the goods come back from. Without `order_id` and `order_tenant_id`, the return has no order.',
  ),
  warehouse_id: newRecord.warehouse_id.describe(
    "Id of the warehouse that receives. Default: the order's, else the tenant's default warehouse.",
  ),
  reason: reason.describe('Why the goods come back.').meta({ examples: ['The customer changed their mind'] }),
  lines: newLines(newReturnLine),
})

const partOf = (what: string): z.ZodNumber => z.number().describe(`Part of \`received_quantity\` that ${what}.`)
export const returnLine = z
  .object({
    ...lineFields,
    reason: reasonOf('the product comes'),
    restocked_quantity: partOf('went back to sellable stock'),
    quarantined_quantity: partOf('went to a location that is not sellable'),
    scrapped_quantity: partOf('was thrown away'),
  })
  .meta({ id: 'ReturnLine', description: 'A product of a return.' })

const fields = { ...recordFields, ...orderOfReturn, reason: reasonOf('the goods come') }
export const returnSummary = z.object(fields).meta({ id: 'ReturnSummary', description: 'A return, without its lines.' })
export const returnRecord = z
  .object({ ...fields, lines: z.array(returnLine).describe('Lines, in the order submitted.') })
  .meta({ id: 'Return', description: 'Goods that come back.' })

const disposition = z
  .enum(['restock', 'quarantine', 'scrap'])
  .describe(
    '`restock`: to a sellable location. `quarantine`: to an existing location that is not sellable. `scrap`: not to stock at all.',
  )

export const returnReceipt = z
  .object({
    ...receiptFields,
    disposition,
    location_id: receiptFields.location_id.nullable().describe('Id of the location; null for `scrap`.'),
    movement_id: receiptFields.movement_id.nullable().describe('Id of the stock movement; null for `scrap`.'),
  })
  .meta({ id: 'ReturnReceipt', description: 'Goods of a return that were received.' })

export const returnId = z.object({ id: recordId })

export const updateReturnInput = z.object({
  id: recordId,
  expected_at: date
    .nullable()
    .optional()
    .describe('Date on which the goods are expected; null removes it.')
    .meta({ examples: ['2026-12-02'] }),
  reason: reason.describe('Why the goods come back; null removes it.'),
  note: newRecord.note.describe('Note; null removes it. It can also be changed when the return is over.'),
  allow_over: newRecord.allow_over.describe('Whether surplus quantities and unannounced products may be received. null: false.'),
})

export const receiveReturnInput = z
  .object({
    id: recordId,
    ...newReceipt,
    quantity: newReceipt.quantity.meta({ examples: [1] }),
    disposition: disposition.meta({ examples: ['restock'] }),
    location_id: receivedAt
      .nullish()
      .describe('Id of the location that the goods go to. Required unless `disposition` is `scrap`.')
      .meta({ examples: ['A-01-03'] }),
  })
  .refine(...hasQuantity)
  .refine(...namesGoods)
  .refine((input) => input.disposition === 'scrap' || isGiven(input.location_id), {
    path: ['location_id'],
    message: 'is required',
  })
  .refine((input) => input.disposition !== 'scrap' || !isGiven(input.location_id), {
    path: ['location_id'],
    message: 'must not be given with scrap',
  })
export const receiveReturnOutput = z.object({
  receipt: returnReceipt.describe('The receipt.'),
  return: returnRecord.describe('The return, as it is now.'),
})
export const undoReturnReceiptInput = z.object({ id: recordId, ...undoneReceipt })

export const listReturnsInput = z.object({
  ...pageQuery,
  state: recordState.optional().describe('Only returns in this state.'),
  order_id: queryInteger().optional().describe('Only returns of this order.'),
  reference: text(255, { minLength: 1 }).optional().describe('Only the return with this reference.'),
})
export const listReturnsOutput = z.object({
  returns: z.array(returnSummary).describe('Returns of this page, newest first.'),
  pagination,
})
export const listReturnReceiptsOutput = receiptsOf(returnReceipt)

export type Return = z.infer<typeof returnRecord>
export type ReturnSummary = z.infer<typeof returnSummary>
export type ReturnReceipt = z.infer<typeof returnReceipt>

import { z } from 'zod'
import { date, pageQuery, pagination, queryInteger, text } from '../../procedures/fields/fields.ts'
import { hasQuantity, namedProduct, namesOneProduct } from '../records/index.ts'
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

const supplier = text(255)
  .nullish()
  .describe('Name of the supplier.')
  .meta({ examples: ['Tea Trade Ltd'] })

const newInboundLine = z
  .object({ ...namedProduct, quantity: announcedQuantity })
  .refine(...hasQuantity)
  .refine(...namesOneProduct)
  .meta({ id: 'NewInboundLine', description: 'A product to expect, named by exactly one of `product_id`, `sku` and `barcode`.' })

export const createInboundInput = z.object({ ...newRecord, supplier, lines: newLines(newInboundLine) })

export const inboundLine = z.object(lineFields).meta({ id: 'InboundLine', description: 'A product of an expected delivery.' })

const fields = {
  ...recordFields,
  supplier: z.string().nullable().describe('Name of the supplier; null if none was given.'),
}
export const inboundSummary = z
  .object(fields)
  .meta({ id: 'InboundDeliverySummary', description: 'An expected delivery, without its lines.' })
export const inbound = z
  .object({ ...fields, lines: z.array(inboundLine).describe('Lines, in the order submitted.') })
  .meta({ id: 'InboundDelivery', description: 'An expected delivery.' })

export const inboundReceipt = z
  .object(receiptFields)
  .meta({ id: 'InboundReceipt', description: 'Goods of a delivery that were received.' })

export const inboundId = z.object({ id: recordId })

export const updateInboundInput = z.object({
  id: recordId,
  expected_at: date
    .nullable()
    .optional()
    .describe('Date on which the goods are expected; null removes it.')
    .meta({ examples: ['2026-12-02'] }),
  supplier: supplier.describe('Name of the supplier; null removes it.'),
  note: newRecord.note.describe('Note; null removes it. It can also be changed when the delivery is over.'),
  allow_over: newRecord.allow_over.describe('Whether surplus quantities and unannounced products may be received. null: false.'),
})

export const receiveInboundInput = z
  .object({
    id: recordId,
    ...newReceipt,
    location_id: receivedAt
      .describe("Id of the location that the goods go to. A location that does not exist is created in the delivery's warehouse.")
      .meta({ examples: ['DOCK-1'] }),
  })
  .refine(...hasQuantity)
  .refine(...namesGoods)
export const receiveInboundOutput = z.object({
  receipt: inboundReceipt.describe('The receipt.'),
  inbound: inbound.describe('The delivery, as it is now.'),
})
export const undoInboundReceiptInput = z.object({ id: recordId, ...undoneReceipt })

export const listInboundInput = z.object({
  ...pageQuery,
  state: recordState.optional().describe('Only deliveries in this state.'),
  warehouse_id: queryInteger().optional().describe('Only deliveries to this warehouse.'),
  reference: text(255, { minLength: 1 }).optional().describe('Only the delivery with this reference.'),
  product_id: queryInteger().optional().describe('Only deliveries with a line of this product.'),
})
export const listInboundOutput = z.object({
  inbound: z.array(inboundSummary).describe('Deliveries of this page, newest first.'),
  pagination,
})
export const listInboundReceiptsOutput = receiptsOf(inboundReceipt)

export type Inbound = z.infer<typeof inbound>
export type InboundSummary = z.infer<typeof inboundSummary>
export type InboundReceipt = z.infer<typeof inboundReceipt>

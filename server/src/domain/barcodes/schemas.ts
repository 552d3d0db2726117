import { z } from 'zod'
import { date, pathId, positiveQuantity, text, trimmedText } from '../../procedures/fields/fields.ts'
import { returned } from '../../procedures/fields/response-fields.ts'

/** Additional barcodes of a product. */
export const MAX_BARCODES = 100

const productPathId = pathId.describe('Id of the product.')

export const productBarcode = z
  .object({
    barcode: z.string().describe('The barcode.'),
    quantity: z.number().describe('Number of base units that it stands for: 1, or the content of a pack.'),
    name: z.string().nullable().describe('Name of the pack; null if it has none.'),
    is_primary: z.boolean().describe("True for the product's primary `barcode`, false for an additional one."),
    created_at: returned.created_at,
  })
  .meta({ id: 'ProductBarcode', description: 'A barcode of a product or of a pack of it.' })

export const addBarcodeInput = z.object({
  id: productPathId,
  barcode: trimmedText(255)
    .describe('Barcode, unique among all barcodes of the tenant. Surrounding whitespace is removed.')
    .meta({ examples: ['14006381333938'] }),
  quantity: positiveQuantity
    .nullish()
    .describe(
      'Number of base units that it stands for, above 0. Decimals, at most 3 places, for weighable products only. Default: 1.',
    )
    .meta({ examples: [12] }),
  name: trimmedText(255)
    .nullish()
    .describe('Name of the pack.')
    .meta({ examples: ['case of 12'] }),
})

export const listBarcodesInput = z.object({ id: productPathId })
export const listBarcodesOutput = z.object({
  barcodes: z.array(productBarcode).describe('All barcodes of the product: the primary one, then additional ones, oldest first.'),
})

export const removeBarcodeInput = z.object({ id: productPathId, barcode: text(255).describe('The additional barcode.') })
export const removeBarcodeOutput = z.object({
  message: returned.message,
  product_id: returned.product_id,
  barcode: z.string().describe('The barcode that was removed.'),
})

export const scanInput = z.object({
  code: text(2_048, { minLength: 1 })
    .describe('The code as scanned, 1 to 2,048 characters, U+001D between GS1 elements. Surrounding whitespace is ignored.')
    .meta({ examples: ['14006381333938'] }),
})

const scannedProduct = z
  .object({
    id: returned.product_id,
    sku: returned.sku,
    barcode: returned.barcode,
    name: returned.product_name,
    weighable: z.boolean().describe('True if sold by weight.'),
    is_active: z.boolean().describe('False when the product is deleted.'),
  })
  .meta({ id: 'ScannedProduct', description: 'The product that a code names.' })

const scannedLocation = z
  .object({
    id: returned.location_id,
    code: returned.location_code,
    name: z.string().nullable().describe('Name of the location; null if it has none.'),
    warehouse_id: returned.warehouse_id,
  })
  .meta({ id: 'ScannedLocation', description: 'The location that a code names.' })

const scannedOrder = z
  .object({ id: returned.order_id, order_tenant_id: returned.order_tenant_id, state_id: z.int().describe('State of the order.') })
  .meta({ id: 'ScannedOrder', description: 'The order that a code names.' })

const gs1 = 'null if the code has none.'
export const scanOutput = z
  .object({
    code: z.string().describe('The code as sent.'),
    product: scannedProduct.nullable().describe('The product; null if the code names none.'),
    barcode: z.string().nullable().describe('The registered barcode that matched; null without a product.'),
    pack_quantity: z.number().nullable().describe('Number of base units of that barcode; null without a product.'),
    quantity: z
      .number()
      .nullable()
      .describe(
        'Quantity of one scan in base units: the weight of a weighable product if the code has one, otherwise `pack_quantity` times `count`; null without a product.',
      ),
    gtin: z
      .string()
      .nullable()
      .describe(
        'GTIN with 14 digits: from AI 01, else AI 02, else from a code that matched in another length or as UPC-E; otherwise null.',
      ),
    lot: z.string().nullable().describe(`Lot, AI 10; ${gs1}`),
    serial: z.string().nullable().describe(`Serial number, AI 21; ${gs1}`),
    expires_on: date.nullable().describe(`Expiration date, AI 17; ${gs1}`),
    weight: z
      .number()
      .nullable()
      .describe(`Weight in kilograms, from AI 310n or an EAN-13 or UPC-A that contains a weight; ${gs1}`),
    count: z.int().nullable().describe(`Number of items, AI 30 or 37; ${gs1}`),
    location: scannedLocation
      .nullable()
      .describe(
        'The location whose id or, failing that, whose code is the scanned code; null if there is none or the key lacks `read:stock`.',
      ),
    order: scannedOrder
      .nullable()
      .describe('The order whose `order_tenant_id` is the scanned code; null if there is none or the key lacks `read:orders`.'),
  })
  .meta({ id: 'Scan', description: 'What a scanned code identifies.' })

export type ProductBarcode = z.infer<typeof productBarcode>
export type Scan = z.infer<typeof scanOutput>

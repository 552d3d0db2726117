import { z } from 'zod'
import {
  amount,
  CHECK_ALSO_WHEN_INVALID,
  httpUrl,
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
import { hasQuantity, MAY_BE_CARRIED, namedOrder, namedProduct } from '../records/index.ts'
import { packageNumber, shipmentReference, shipmentState, trackingFields } from './shipment-topics.ts'

const MAX_PACKAGES = 100
const MAX_LINES = 1_000

const reference = text(255, { minLength: 1 })

const newPackageLine = z
  .object({
    order_detail_id: id.nullish().describe('Id of a line of the order. Required unless a product is named.'),
    ...namedProduct,
    quantity: positiveQuantity
      .nullish()
      .describe(`Quantity packed, above 0, at most 3 decimal places. ${MAY_BE_CARRIED}`)
      .meta({ examples: [1] }),
  })
  .refine(
    ({ order_detail_id: line, product_id: product, sku, barcode }) => [line, product, sku, barcode].filter(isGiven).length === 1,
    {
      ...CHECK_ALSO_WHEN_INVALID,
      path: ['product_id'],
      message: 'exactly one of order_detail_id, product_id, sku and barcode is required',
    },
  )
  .refine(...hasQuantity)
  .meta({
    id: 'NewPackageLine',
    description: 'What is in a package: exactly one of `order_detail_id`, `product_id`, `sku` and `barcode`, and how much.',
  })

const carrier = text(255)
  .nullish()
  .describe('Name of the carrier.')
  .meta({ examples: ['DHL'] })
const trackingNumber = text(255)
  .nullish()
  .describe("The carrier's number of the package.")
  .meta({ examples: ['00340434292135100186'] })
const trackingUrl = httpUrl.nullish().describe('http or https address that shows where the package is.')

const newPackage = z
  .object({
    lines: z
      .array(newPackageLine)
      .min(1, 'must not be empty')
      .max(MAX_LINES, `must have at most ${MAX_LINES} items`)
      .describe(`Contents of the package, 1 to ${MAX_LINES} lines.`),
    weight: amount
      .nullish()
      .describe('Weight of the package in kilograms.')
      .meta({ examples: [1.4] }),
    width: amount.nullish().describe('Width of the package in centimetres.'),
    height: amount.nullish().describe('Height of the package in centimetres.'),
    depth: amount.nullish().describe('Depth of the package in centimetres.'),
    carrier,
    tracking_number: trackingNumber,
    tracking_url: trackingUrl,
    label_url: httpUrl.nullish().describe('http or https address of its label. The service neither makes nor stores labels.'),
  })
  .meta({ id: 'NewPackage', description: 'A package to pack.' })

const EXAMPLE = {
  lines: [{ barcode: '4006381333931', quantity: 1 }],
  weight: 1.4,
  carrier: 'DHL',
  tracking_number: '00340434292135100186',
}
const newPackages = z
  .array(newPackage)
  .max(MAX_PACKAGES, `must have at most ${MAX_PACKAGES} items`)
  .refine((packages) => packages.reduce((sum, { lines }) => sum + lines.length, 0) <= MAX_LINES, {
    message: `must have at most ${MAX_LINES} lines in all`,
  })
  .nullish()

export const createShipmentInput = z
  .object({
    reference: reference
      .nullish()
      .describe(
        "The client's own identifier, permanently unique among shipments. A call with the same reference and content changes nothing.",
      )
      .meta({ examples: ['SHP-10023-1'] }),
    ...namedOrder,
    order_id: namedOrder.order_id.describe('Id of the order. Required unless `order_tenant_id` is given.'),
    order_tenant_id: namedOrder.order_tenant_id.meta({ examples: ['SHOP-10042'] }),
    packages: newPackages
      .describe(
        `Packages, numbered from 1 in this order, at most ${MAX_PACKAGES} with at most ${MAX_LINES} lines in all. Default: none yet.`,
      )
      .meta({ examples: [[EXAMPLE]] }),
  })
  .refine(({ order_id: order, order_tenant_id: name }) => isGiven(order) || isGiven(name), {
    ...CHECK_ALSO_WHEN_INVALID,
    path: ['order_id'],
    message: 'is required unless order_tenant_id is given',
  })

export const packageLine = z
  .object({
    order_detail_id: returned.order_detail_id,
    product_id: returned.product_id,
    quantity: quantityOf('Quantity packed'),
  })
  .meta({ id: 'PackageLine', description: 'Quantity of an order line in a package.' })

const measure = (of: string, unit: string): z.ZodNullable<z.ZodNumber> =>
  z.number().nullable().describe(`${of} of the package in ${unit}; null if unknown.`)
const ofPackage = {
  number: packageNumber,
  weight: measure('Weight', 'kilograms'),
  width: measure('Width', 'centimetres'),
  height: measure('Height', 'centimetres'),
  depth: measure('Depth', 'centimetres'),
  ...trackingFields,
  label_url: z.string().nullable().describe('http or https address of its label; null if none was given.'),
}
export const packageFields = z.object(ofPackage)
export const shippedPackage = z
  .object({ ...ofPackage, lines: z.array(packageLine).describe('Contents of the package, in the order submitted.') })
  .meta({ id: 'Package', description: 'A package of a shipment.' })

const fields = {
  id: id.describe('Id of the shipment.'),
  reference: shipmentReference,
  order_id: returned.order_id,
  order_tenant_id: returned.order_tenant_id,
  warehouse_id: returned.warehouse_id,
  state: shipmentState,
  total_quantity: quantityOf('Total quantity packed'),
  created_by: z.string().describe('Name of the API key that made it.'),
  created_at: returned.created_at,
  updated_at: returned.updated_at,
  shipped_at: timestamp.nullable().describe('Time at which it was shipped, UTC; null if it was not.'),
  delivered_at: timestamp.nullable().describe('Time at which it was delivered, UTC; null unless delivered.'),
  cancelled_at: timestamp.nullable().describe('Time of the cancellation, UTC; null unless cancelled.'),
  cancellation_reason: z.string().nullable().describe('Reason of the cancellation; null if none was given.'),
}
export const shipmentFields = z.object(fields)
export const shipment = z
  .object({ ...fields, packages: z.array(shippedPackage).describe('Packages, by number.') })
  .meta({ id: 'Shipment', description: 'Packages of an order that are shipped together.' })

const shipmentPathId = pathId.describe('Id of the shipment.')
export const shipmentId = z.object({ id: shipmentPathId })

const tracking = z
  .object({
    number: packageNumber.meta({ examples: [1] }),
    carrier: carrier.describe('Name of the carrier; null removes it.'),
    tracking_number: trackingNumber.describe("The carrier's number of the package; null removes it."),
    tracking_url: trackingUrl.describe('http or https address that shows where the package is; null removes it.'),
  })
  .meta({ id: 'PackageTracking', description: 'Tracking of a package. Only the given fields change.' })

export const updateShipmentInput = z.object({
  id: shipmentPathId,
  packages: newPackages.describe(
    `Replaces all packages, while the shipment is open. Numbered from 1, at most ${MAX_PACKAGES} with at most ${MAX_LINES} lines in all.`,
  ),
  tracking: z
    .array(tracking)
    .max(MAX_PACKAGES, `must have at most ${MAX_PACKAGES} items`)
    .nullish()
    .describe(`Tracking of packages, at most ${MAX_PACKAGES}, in every state except \`cancelled\`. Applied after \`packages\`.`)
    .meta({ examples: [[{ number: 1, tracking_url: 'https://track.example.com/00340434292135100186' }]] }),
})

export const cancelShipmentInput = z.object({
  id: shipmentPathId,
  reason: text(1_000)
    .nullish()
    .describe('Reason, stored as `cancellation_reason`.')
    .meta({ examples: ['Damaged while packing'] }),
})

export const listShipmentsInput = z.object({
  ...pageQuery,
  state: shipmentState.optional().describe('Only shipments in this state.'),
  order_id: queryInteger().optional().describe('Only shipments of this order.'),
  reference: reference.optional().describe('Only the shipment with this reference.'),
  tracking_number: text(255, { minLength: 1 }).optional().describe('Only shipments with a package of exactly this number.'),
})
export const listShipmentsOutput = z.object({
  shipments: z.array(shipment).describe('Shipments of this page, newest first.'),
  pagination,
})

export type NewPackage = z.infer<typeof newPackage>
export type NewPackageLine = z.infer<typeof newPackageLine>
export type Tracking = z.infer<typeof tracking>
export type Shipment = z.infer<typeof shipment>
export type ShipmentState = z.infer<typeof shipmentState>

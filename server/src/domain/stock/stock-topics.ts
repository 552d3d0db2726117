import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { quantityOf, returned } from '../../procedures/fields/response-fields.ts'

const productIdentity = { product_id: returned.product_id, sku: returned.sku, barcode: returned.barcode }
const warehouse = { warehouse_id: returned.warehouse_id, warehouse_name: returned.warehouse_name }
const sampleProduct = { product_id: 815, sku: 'TSHIRT-BLUE-M', barcode: '7791234567890' }
const SAMPLE_NAME = 'T-shirt, blue, M'
const sampleWarehouse = { warehouse_id: 1, warehouse_name: 'Main' }
const at = (time: string): string => `2026-03-02T${time}.000Z`

export const stockUpdated = eventTopic({
  name: 'stock/updated',
  data: z
    .object({
      ...productIdentity,
      product_name: returned.product_name,
      ...warehouse,
      location_id: returned.location_id,
      quantity: quantityOf('Quantity at the location after the change'),
      previous_quantity: quantityOf('Quantity at the location before the change'),
      change: quantityOf('`quantity` minus `previous_quantity`'),
      reason: z
        .enum(['order_fulfillment', 'manual_adjustment', 'stock_receipt', 'transfer', 'return', 'inventory_count'])
        .describe('Why the stock changed.'),
      reference_id: z.string().describe('Id of the stock movement.'),
    })
    .describe("A product's stock changed at a location."),
  sample: {
    ...sampleProduct,
    product_name: SAMPLE_NAME,
    ...sampleWarehouse,
    location_id: 'A-01-03',
    quantity: 37,
    previous_quantity: 42,
    change: -5,
    reason: 'order_fulfillment',
    reference_id: '20931',
  },
})

export const stockLowAlert = eventTopic({
  name: 'stock/low_alert',
  data: z
    .object({
      ...productIdentity,
      product_name: returned.product_name,
      ...warehouse,
      current_quantity: quantityOf('Total quantity of the product in the warehouse'),
      minimum_threshold: z.number().describe('The `minimum_threshold` of the product.'),
      suggested_reorder: quantityOf(
        "Quantity to reorder: the product's `reorder_quantity`, or the quantity that raises stock to twice the threshold",
      ),
    })
    .describe("A product's total in a warehouse fell below its minimum threshold."),
  sample: {
    ...sampleProduct,
    product_name: SAMPLE_NAME,
    ...sampleWarehouse,
    current_quantity: 9,
    minimum_threshold: 10,
    suggested_reorder: 50,
  },
})

export const stockMovementCreated = eventTopic({
  name: 'stock/movement_created',
  data: z
    .object({
      movement_id: z.string().describe('Id of the movement.'),
      type: z
        .enum(['receipt', 'dispatch', 'transfer', 'adjustment'])
        .describe('Type of the movement: `receipt` for `IN`, `dispatch` for `OUT`, `transfer`, `adjustment`.'),
      product_id: returned.product_id,
      sku: returned.sku,
      product_name: returned.product_name,
      quantity: quantityOf('Quantity moved; for transfers and adjustments the signed change'),
      from_location: z.string().nullable().describe('Id of the source location; null for a receipt.'),
      to_location: z.string().nullable().describe('Id of the destination location; null for a dispatch.'),
      warehouse_id: returned.warehouse_id,
      created_by: z.string().describe('Name of the API key that recorded the movement.'),
      notes: z.string().nullable().describe('Reason of the movement; null if none was given.'),
      created_at: returned.created_at,
    })
    .describe('A stock movement was recorded.'),
  sample: {
    movement_id: '20931',
    type: 'dispatch',
    product_id: sampleProduct.product_id,
    sku: sampleProduct.sku,
    product_name: SAMPLE_NAME,
    quantity: 5,
    from_location: 'A-01-03',
    to_location: null,
    warehouse_id: 1,
    created_by: 'ERP',
    notes: 'order_fulfillment',
    created_at: at('10:05:00'),
  },
})

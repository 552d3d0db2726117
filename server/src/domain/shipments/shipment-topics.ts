import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { returned } from '../../procedures/fields/response-fields.ts'

export const shipmentState = z
  .enum(['open', 'shipped', 'delivered', 'cancelled'])
  .describe('`open`: being packed. `shipped`: on its way. `delivered`: arrived. `cancelled`: its goods are no longer packed.')

/** How far the shipments of an order are. */
export const shipmentStatus = z
  .enum(['packing', 'partial', 'shipped', 'delivered'])
  .describe(
    '`packing`: no goods of the order are shipped. `partial`: some are. `shipped`: the order is completed, and all goods taken for it are in shipments that are shipped or delivered. `delivered`: all of these shipments are delivered.',
  )

export const shipmentReference = z.string().nullable().describe("The client's own identifier; null if none was given.")

/** How a package travels. */
export const trackingFields = {
  carrier: z.string().nullable().describe('Name of the carrier; null if none was given.'),
  tracking_number: z.string().nullable().describe("The carrier's number of the package; null if none was given."),
  tracking_url: z.string().nullable().describe('http or https address that shows where the package is; null if none was given.'),
}
export const packageNumber = z.int().describe('Number of the package in its shipment, from 1.')

/** A package in an event. */
export const trackedPackage = z.object({ number: packageNumber, ...trackingFields })

export const shipmentUpdated = eventTopic({
  name: 'shipment/updated',
  data: z
    .object({
      shipment_id: z.int().describe('Id of the shipment.'),
      reference: shipmentReference,
      order_id: returned.order_id,
      order_tenant_id: returned.order_tenant_id,
      warehouse_id: returned.warehouse_id,
      state: shipmentState,
      previous_state: shipmentState.nullable().describe('State before the call; null for a new shipment.'),
      shipment_status: shipmentStatus
        .nullable()
        .describe('Shipment status of the order after the call; null if all its shipments are cancelled.'),
      packages: z.array(trackedPackage).describe('Packages of the shipment, by number.'),
      updated_at: returned.updated_at,
    })
    .describe("A shipment's state changed."),
  sample: {
    shipment_id: 64,
    reference: 'SHP-10023-1',
    order_id: 4711,
    order_tenant_id: 'SO-10023',
    warehouse_id: 1,
    state: 'shipped',
    previous_state: 'open',
    shipment_status: 'partial',
    packages: [
      {
        number: 1,
        carrier: 'DHL',
        tracking_number: '00340434292135100186',
        tracking_url: 'https://track.example.com/00340434292135100186',
      },
    ],
    updated_at: '2026-12-01T08:15:30.000Z',
  },
})

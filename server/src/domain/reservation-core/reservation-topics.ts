import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { quantityOf, returned } from '../../procedures/fields/response-fields.ts'

/** Of an open order: `backordered` while something of it waits for stock. */
const status = z.enum(['reserved', 'backordered'])
export type ReservationStatus = z.infer<typeof status>

export const reservationUpdated = eventTopic({
  name: 'reservation/updated',
  data: z
    .object({
      order_id: returned.order_id,
      order_tenant_id: returned.order_tenant_id,
      warehouse_id: returned.warehouse_id,
      status: status.describe(
        '`reserved`: nothing of the order is backordered. `backordered`: something is still to be picked, but not reserved.',
      ),
      previous_status: status.nullable().describe('Status before the call; null for a new order.'),
      reserved_quantity: quantityOf('Quantity reserved for the order'),
      backordered_quantity: quantityOf('Quantity of the order that is still to be picked, but not reserved'),
      updated_at: returned.updated_at,
    })
    .describe("An open order's reservation status changed."),
  sample: {
    order_id: 4711,
    order_tenant_id: 'SO-10023',
    warehouse_id: 1,
    status: 'reserved',
    previous_status: 'backordered',
    reserved_quantity: 5,
    backordered_quantity: 0,
    updated_at: '2026-03-02T09:40:12.000Z',
  },
})

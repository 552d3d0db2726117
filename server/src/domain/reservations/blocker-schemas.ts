import { z } from 'zod'
import { id, pathId } from '../../procedures/fields/fields.ts'
import { quantityOf, returned } from '../../procedures/fields/response-fields.ts'
import { reservation } from './schemas.ts'

const message = z.string().describe('Human-readable reason.')
const ofLine = { order_detail_id: returned.order_detail_id, product_id: returned.product_id }

const blocker = z
  .discriminatedUnion('code', [
    z.object({
      code: z.literal('order_over').describe('The order is completed or cancelled.'),
      message,
      state_id: z.int().describe('State of the order.'),
    }),
    z.object({
      code: z.literal('flow_running').describe('A picking flow of the order is running.'),
      message,
      flow_id: id.describe('Id of the picking flow.'),
      operator_email: returned.operator_email,
    }),
    z.object({
      code: z.literal('backordered').describe('A line waits for stock.'),
      message,
      ...ofLine,
      quantity: quantityOf('Quantity that is backordered'),
      holders: z
        .array(reservation)
        .describe('The first 10 reservations of the product in the warehouse, by other orders and by holds.'),
      incoming: z
        .array(
          z.object({
            inbound_id: id.describe('Id of the announced delivery.'),
            reference: z.string().nullable().describe("The client's own identifier of the delivery; null if it has none."),
            expected_at: z.iso.date().nullable().describe('Date on which it is expected; null if unknown.'),
            quantity: quantityOf('Quantity that is still expected'),
          }),
        )
        .describe('Announced deliveries of the product to the warehouse, the first 10.'),
      elsewhere: z
        .array(z.object({ warehouse_id: returned.warehouse_id, available: quantityOf('Quantity available there') }))
        .describe('Other warehouses where the product is available, the first 10.'),
    }),
    z.object({
      code: z.literal('not_in_stock').describe('The warehouse has less stock than a line needs.'),
      message,
      ...ofLine,
      quantity: quantityOf('Missing quantity'),
    }),
    z.object({
      code: z.literal('not_pickable').describe('Stock that a line needs is only at locations that are not pickable.'),
      message,
      ...ofLine,
      quantity: quantityOf('Quantity that the line needs from these locations'),
      locations: z
        .array(
          z.object({ location_id: returned.location_id, quantity: quantityOf('Quantity that the line needs from the location') }),
        )
        .describe('The locations that are not pickable.'),
    }),
  ])
  .meta({ id: 'Blocker', description: 'A reason why an order cannot be picked now.' })

export const getBlockersInput = z.object({ id: pathId.describe('Id of the order.') })
export const getBlockersOutput = z.object({
  order_id: returned.order_id,
  ready: z.boolean().describe('True if there are no reasons.'),
  blockers: z.array(blocker).describe('Reasons, first of the order, then by line.'),
})
export type Blocker = z.infer<typeof blocker>

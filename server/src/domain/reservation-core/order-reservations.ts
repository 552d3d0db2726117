import { z } from 'zod'
import { ORDER_STATES } from '../order-states/index.ts'
import { IS_RESERVING } from './availability.ts'

/** The status of an order while the tenant reserves. */
export const reservationStatus = z
  .enum(['reserved', 'backordered'])
  .nullable()
  .describe(
    'Present under a reservation policy. `reserved`: nothing of the order is backordered. `backordered`: something is still to be picked, but not reserved. null: the order is completed or cancelled.',
  )

/** Fields of an order line while the tenant reserves. */
export const lineReservation = {
  reserved_quantity: z.number().optional().describe('Present under a reservation policy: quantity reserved for the line.'),
  backordered_quantity: z
    .number()
    .optional()
    .describe('Present under a reservation policy: quantity of the line that is still to be picked, but not reserved.'),
}

/** What a statement reads of an order's reservations: null unless the tenant reserves. */
export interface OrderReservations {
  status: z.infer<typeof reservationStatus>
  /** By line id. Lines without a row have nothing reserved or backordered. Undefined when the statement does not read them. */
  lines?: Record<string, readonly [reserved: number, backordered: number]>
}

/** SQL for the `OrderReservations` of the order with the id `orderId`, as JSON. `withLines` is SQL. */
export function orderReservations(orderId: string, withLines: string): string {
  return `case when ${IS_RESERVING} then json_build_object('status', (
      select case when s.backordered > 0 then 'backordered' else 'reserved' end from order_reservation_sums s
      where s.tenant_id = $1 and s.order_id = ${orderId}
    ), 'lines', case when ${withLines} then (
      select coalesce(json_object_agg(r.order_line_id, json_build_array(r.reserved::float8, r.backordered::float8)), '{}') from order_reservations r
      where r.tenant_id = $1 and r.order_id = ${orderId}
    ) end) end`
}

interface Line {
  id: number
}
interface LineReservation {
  reserved_quantity: number
  backordered_quantity: number
}

const OVER = new Set<number>([ORDER_STATES.completed, ORDER_STATES.cancelled])

/** The field that an order has while the tenant reserves. Until its reservations are made, an open order is backordered. */
export function shownStatus({ status }: OrderReservations, state: number): { reservation_status: OrderReservations['status'] } {
  return { reservation_status: status ?? (OVER.has(state) ? null : 'backordered') }
}

/** The lines with their reservations. */
export function shownLines<L extends Line>(lines: readonly L[], reservations: OrderReservations): (L & LineReservation)[] {
  return lines.map((line) => {
    const [reserved_quantity, backordered_quantity] = reservations.lines?.[line.id] ?? [0, 0]
    return { ...line, reserved_quantity, backordered_quantity }
  })
}

import { ORDER_STATES, PICKING_STATES } from './order-states.ts'

/** SQL for whether nothing of the order `order` was picked. */
export const unpicked = (order: string): string => `not exists (
         select from order_lines n where n.tenant_id = $1 and n.order_id = ${order}.id and n.picked_quantity > 0
       )`

/**
 * SQL for what was taken of a line `line` of the order `order`: what completed flows picked of it; in an order completed with nothing picked,
 * its quantity. It never becomes less. `isUnpicked` is SQL: for all lines of an order, a value that was read once, because otherwise each
 * line looks at all lines.
 */
export const takenOf = (order: string, line: string, isUnpicked = unpicked(order)): string => `case
       when ${order}.state_id = ${ORDER_STATES.completed} and ${isUnpicked} then ${line}.quantity
       when ${order}.state_picking_id = ${PICKING_STATES.started} then ${line}.picked_before_flow
       else ${line}.picked_quantity
     end`

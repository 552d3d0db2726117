/** The states of an order. `released`: to the warehouse. `picking`: a picking flow is running. */
export const ORDER_STATES = { pending: 1, released: 2, picking: 3, completed: 5, cancelled: 7 } as const
export type OrderStateId = (typeof ORDER_STATES)[keyof typeof ORDER_STATES]

/** The states of an order's latest picking flow, its `state_picking_id`. */
export const PICKING_STATES = { started: 1, completed: 2, cancelled: 3 } as const

export const ORDER_STATE_NAMES: Record<OrderStateId, string> = {
  1: 'Pending',
  2: 'In Progress',
  3: 'In Progress',
  5: 'Completed',
  7: 'Cancelled',
}

/** SQL for the name of the order state in `expression`. */
export function orderStateName(expression: string): string {
  const cases = Object.entries(ORDER_STATE_NAMES).map(([id, name]) => `when ${id} then '${name}'`)
  return `case ${expression} ${cases.join(' ')} end`
}

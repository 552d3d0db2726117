/** The `state_id` of an order. */
export const ORDER_STATE = { pending: 1, released: 2, completed: 5, cancelled: 7 } as const

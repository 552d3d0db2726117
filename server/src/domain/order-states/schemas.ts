import { z } from 'zod'
import { ORDER_STATES } from './order-states.ts'

/** The state of an order. */
export const orderStateId = z.literal(Object.values(ORDER_STATES), 'must be one of 1, 2, 3, 5, 7').meta({
  type: 'integer',
  description:
    'State of the order: 1 Pending, 2 In Progress (released to the warehouse), 3 In Progress (being picked), 5 Completed, 7 Cancelled.',
})

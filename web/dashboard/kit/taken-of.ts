import type { Order, OrderLine } from '@fulfillment/sdk'
import { ORDER_STATE } from '../../shared/order-state.ts'

/** How much was taken for a line. Whoever completes an order without picking it has taken what was ordered. */
export function takenOf({ state_id, order_detail }: Order, line: OrderLine): number {
  const isPicked = order_detail.some(({ picked_quantity }) => picked_quantity > 0)
  return state_id === ORDER_STATE.completed && !isPicked ? line.quantity : line.picked_quantity
}

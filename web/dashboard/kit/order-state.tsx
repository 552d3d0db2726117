import { ORDER_STATE } from '../../shared/order-state.ts'
import { t } from '../../shared/texts/texts.ts'
import { Badge } from './badge.tsx'

export const ORDER_STATES = [1, 2, 3, 5, 7] as const
export type OrderStateId = (typeof ORDER_STATES)[number]

const OVER = new Set<OrderStateId>([ORDER_STATE.completed, ORDER_STATE.cancelled])

const KINDS = { 1: 'state1', 2: 'state2', 3: 'state3', 5: 'state5', 7: 'state7' } as const

/** The state of an order, in the words of the filter. */
export function OrderState({ id }: { id: OrderStateId }) {
  return <Badge kind={KINDS[id]}>{t.orders.states[id]}</Badge>
}

/** Whether the order is neither completed nor cancelled. */
export const isOpen = ({ state_id }: { state_id: OrderStateId }): boolean => !OVER.has(state_id)

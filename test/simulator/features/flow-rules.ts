import { changeStock, emit, sum, type ClientState, type Flow, type Order, type Pick } from '../client-state.ts'

/** What the end of a flow does: called by the flow's own calls, and by those of its order and its batch. */

export const runningFlow = (client: ClientState, order: Order): Flow | undefined =>
  client.flows.find((flow) => flow.order === order && flow.state === 'started')

export const keptPicks = ({ picks }: Flow): Pick[] => picks.filter(({ isUndone }) => !isUndone)

/** Number of lines with picks of the flow, and their quantity. */
export function totalsOf(flow: Flow): { items_picked: number; total_quantity_picked: number } {
  const picks = keptPicks(flow)
  return {
    items_picked: new Set(picks.flatMap(({ lines }) => lines.map(({ line }) => line))).size,
    total_quantity_picked: sum(picks.map(({ quantity }) => quantity)),
  }
}

/** The events of stock of picks that were put back; the reservations model has put them back. */
export function putBack(client: ClientState, order: Order, picks: readonly Pick[]): void {
  changeStock(
    client,
    picks.map(({ product, location, quantity }) => ({
      product,
      location,
      change: quantity,
      type: 'IN',
      reason: 'return',
      cause: 'return',
      order,
      isBooked: true,
    })),
  )
}

/** Ends a running flow. The state of the order is the caller's. */
export function endFlow(client: ClientState, flow: Flow, state: 'completed' | 'cancelled'): void {
  const { order } = flow
  const picks = keptPicks(flow)
  flow.state = state
  order.pickingState = state === 'completed' ? 2 : 3
  emit(client, `flow/${state}`, `flow:${flow.id}`, {
    flow_id: flow.id,
    order_id: order.id,
    ...(state === 'completed' ? totalsOf(flow) : { items_picked_before_cancel: totalsOf(flow).items_picked }),
  })
  if (state === 'completed') {
    for (const { lines } of picks) for (const { line, quantity } of lines) order.taken[line] = (order.taken[line] ?? 0) + quantity
    return
  }
  client.books.cancelFlow(order.book)
  putBack(client, order, picks)
}

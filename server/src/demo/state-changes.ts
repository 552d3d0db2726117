import { ORDER_STATES } from '../domain/order-states/index.ts'
import { type FlowRecord, type HistoryRecords, iso, type OrderRecord } from './records.ts'

/** A change of an order's state. */
interface StateChange {
  at: number
  state: OrderRecord['state']
}

/** Rows of `order_state_changes`: how each order came into its state. `orderIds` are in the order of the orders. */
export function stateChangeRows(
  { orders, flows }: HistoryRecords,
  orderIds: readonly number[],
  ids: readonly number[],
): object[] {
  const flowsOf = new Map<number, FlowRecord[]>()
  for (const flow of flows) flowsOf.set(flow.order, [...(flowsOf.get(flow.order) ?? []), flow])
  const rows = orders.flatMap((order, index) => {
    let previous: OrderRecord['state'] = ORDER_STATES.pending
    return changesOf(order, flowsOf.get(index) ?? []).flatMap(({ at, state }) => {
      const row = { order_id: orderIds[index], at: iso(at), state_id: state, previous_state_id: previous, changed_by: 'demo' }
      const isChange = state !== previous
      previous = state
      return isChange ? [row] : []
    })
  })
  return rows.map((row, index) => ({ id: ids[index], ...row }))
}

/** The most changes that an order can have: one released, two for each flow, one at the end. */
export const mostStateChanges = ({ orders, flows }: HistoryRecords): number => 2 * (orders.length + flows.length)

function changesOf(order: OrderRecord, flows: readonly FlowRecord[]): StateChange[] {
  const { pending, released, picking, completed } = ORDER_STATES
  const changes = flows
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .flatMap(({ startedAt, endedAt }, index): StateChange[] => [
      { at: startedAt, state: picking },
      ...(endedAt === undefined
        ? []
        : [{ at: endedAt, state: order.state === completed && index === flows.length - 1 ? completed : released }]),
    ])
  return order.state === (changes.at(-1)?.state ?? pending) ? changes : [...changes, { at: order.updatedAt, state: order.state }]
}

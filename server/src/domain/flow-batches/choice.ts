import { MAX_LINES } from './schemas.ts'

/** An order that a rule may choose. Quantities are in thousandths, so that sums are exact. */
export interface Candidate {
  id: number
  /** Changes whenever the order does. */
  version: string
  open_lines: number
  is_backordered: boolean
  /** What is open of each of its products. */
  open: { product: number; quantity: number }[]
}

/** What a rule has chosen so far. */
export interface Choice {
  orders: readonly Candidate[]
  /** What these leave of each product at pickable locations. */
  left: ReadonlyMap<number, number>
  /** Whether the batch takes no more. */
  isFull: boolean
}

/** The choice with those of the next candidates that are ready, each judged on what the chosen before it leave. */
export function extended(choice: Choice, candidates: readonly Candidate[], maxOrders: number): Choice {
  const orders = [...choice.orders]
  const left = new Map(choice.left)
  let lines = orders.reduce((sum, order) => sum + order.open_lines, 0)
  for (const candidate of candidates) {
    if (!isReady(candidate, left)) continue
    if (orders.length === maxOrders || lines + candidate.open_lines > MAX_LINES) return { orders, left, isFull: true }
    orders.push(candidate)
    lines += candidate.open_lines
    for (const { product, quantity } of candidate.open) left.set(product, (left.get(product) ?? 0) - quantity)
  }
  return { orders, left, isFull: orders.length === maxOrders }
}

/** Whether an order waits for nothing, and all that is open of it is at pickable locations. */
function isReady({ is_backordered: isBackordered, open }: Candidate, left: ReadonlyMap<number, number>): boolean {
  return !isBackordered && open.every(({ product, quantity }) => (left.get(product) ?? 0) >= quantity)
}

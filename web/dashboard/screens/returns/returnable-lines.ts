import type { FulfillmentClient, Order, RequestOptions, Return } from '@fulfillment/sdk'
import { exact } from '../../../shared/exact.ts'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import type { NewLine } from '../../kit/lines-input.tsx'
import { takenOf } from '../../kit/taken-of.ts'

/** An order with more returns is offered too much, which the server refuses. */
const MAX_RETURNS = 20

interface Returnable {
  order: Order
  /** Its products of which something can come back, with all of it. */
  lines: NewLine[]
}

/** What can come back of an order: what was taken for it, less what is in its other returns. */
export async function readReturnable(api: FulfillmentClient, orderId: number, options: RequestOptions): Promise<Returnable> {
  const [order, { returns }] = await Promise.all([
    api.orders.get(orderId, options),
    api.returns.list({ order_id: orderId, limit: MAX_RETURNS }, options),
  ])
  const counted = returns.filter(({ state }) => state !== 'cancelled')
  const earlier = await Promise.all(counted.map(({ id }) => api.returns.get(id, options)))
  return { order, lines: linesOf(order, returnedOf(earlier)) }
}

/** Whether something was taken for an order: only that can come back. */
export const wasTaken = (order: Order): boolean => order.order_detail.some((line) => takenOf(order, line) > 0)

/** What is in returns, by product: a closed one has what it received, another what it announced, or more if more came. */
function returnedOf(returns: readonly Return[]): Map<number, number> {
  const returned = new Map<number, number>()
  for (const { state, lines } of returns)
    for (const { product_id, quantity, received_quantity } of lines) {
      const counts = state === 'closed' ? received_quantity : Math.max(quantity, received_quantity)
      returned.set(product_id, (returned.get(product_id) ?? 0) + counts)
    }
  return returned
}

function linesOf(order: Order, returned: ReadonlyMap<number, number>): NewLine[] {
  const lines = new Map<number, { line: Order['order_detail'][number]; taken: number }>()
  for (const line of order.order_detail) {
    const taken = (lines.get(line.product_id)?.taken ?? 0) + takenOf(order, line)
    lines.set(line.product_id, { line, taken })
  }
  return [...lines.values()].flatMap(({ line: { product_id: id, product_name: name, barcode }, taken }) => {
    const left = exact(taken - (returned.get(id) ?? 0))
    return left > 0
      ? [{ product: { id, name, barcode }, quantity: String(left), note: t.returns.taken(formatNumber(taken)) }]
      : []
  })
}

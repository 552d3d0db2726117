import type { Random } from './random.ts'
import { addressOf, CUSTOMERS } from './people.ts'

/** An order of the demo; products are positions in the catalog. */
export interface DemoOrder {
  customer: string
  address: string
  lines: { product: number; quantity: number }[]
}

const MAX_LINES = 5

/** What a customer orders. Few products are ordered often, most of them seldom. */
export function newOrder(random: Random, products: readonly number[]): DemoOrder {
  const wanted = new Set<number>()
  const count = Math.min(random.integer(1, MAX_LINES), products.length)
  while (wanted.size < count) wanted.add(products[Math.floor(random.next() ** 2 * products.length)] as number)
  return {
    customer: random.pick(CUSTOMERS),
    address: addressOf(random),
    lines: [...wanted].map((product) => ({ product, quantity: random.integer(1, 4) })),
  }
}

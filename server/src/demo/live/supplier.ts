import { Random } from '../random.ts'
import type { LiveOptions } from './customers.ts'

const LIMIT = 10
/** Deliveries for so many orders. */
const ORDERS_BETWEEN = 5

/** Brings what is below its threshold, until the demo is over. */
export async function supply({ client, seed, journal, pace }: LiveOptions): Promise<void> {
  const random = new Random(`${seed} supplier`)
  while (!pace.isOver) {
    const { products } = await client.stock.overview({ low: true, sort: 'shortage', limit: LIMIT })
    for (const { product_id, name, minimum_threshold, levels } of products) {
      if (pace.isOver) return
      const shelf = levels.find(({ location_id }) => !/DOCK|QUARANTINE/.test(location_id))
      if (shelf === undefined || minimum_threshold === null) continue
      const adjustment_quantity = minimum_threshold * random.integer(2, 4)
      await client.stock.adjust({ product_id, location_id: shelf.location_id, adjustment_quantity, reason: 'stock_receipt' })
      journal.tell(`A delivery brings ${adjustment_quantity} × ${name} to ${shelf.location_code}`)
    }
    await pace.wait(pace.orderMs * ORDERS_BETWEEN, random)
  }
}

import { Random } from '../random.ts'
import type { LiveOptions } from './customers.ts'
import { unlessRefused } from './refusal.ts'
import { today } from './today.ts'

const MAX_LINES = 6
/** Looks for what is low, for so many orders. */
const ORDERS_BETWEEN = 5

/** Announces a delivery of what is below its threshold whenever none is expected, until the demo is over. */
export async function supply(options: LiveOptions): Promise<void> {
  const { seed, journal, pace } = options
  const random = new Random(`${seed} supplier`)
  for (;;) {
    await pace.wait(pace.orderMs * ORDERS_BETWEEN, random)
    if (pace.isOver) return
    await unlessRefused(journal, 'The supplier', () => announceDelivery(options, random))
  }
}

/** Announces a delivery. Does nothing if one is expected, or nothing is low. */
async function announceDelivery({ client, journal }: LiveOptions, random: Random): Promise<void> {
  const [expected, begun] = [
    await client.inbound.list({ state: 'expected', limit: 1 }),
    await client.inbound.list({ state: 'receiving', limit: 1 }),
  ]
  if (expected.pagination.total + begun.pagination.total > 0) return
  const { products } = await client.stock.overview({ low: true, sort: 'shortage', limit: MAX_LINES })
  const lines = products.flatMap(({ product_id, minimum_threshold: threshold }) =>
    threshold === null || threshold === 0 ? [] : [{ product_id, quantity: threshold * random.integer(2, 4) }],
  )
  if (lines.length === 0) return
  const { pagination } = await client.inbound.list({ limit: 1 })
  const reference = `PO-${today()}-${pagination.total + 1}`
  await client.inbound.create({ reference, supplier: 'Demo Wholesale', expected_at: today(), lines })
  journal.tell(`A delivery is announced: ${reference}, ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`)
}

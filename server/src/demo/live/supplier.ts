import type { ProductAvailability } from '@fulfillment/sdk'
import type { FulfillmentClient } from '../../command-line/sdk.ts'
import { Random } from '../random.ts'
import type { LiveOptions } from './customers.ts'
import { defaultWarehouseOf } from './default-warehouse.ts'
import { unlessRefused } from './refusal.ts'
import { rowsOf } from './rows-of.ts'
import { today } from './today.ts'

const MAX_LINES = 6
const PAGE = 100
/** Looks for what is lacking, for so many orders. */
const ORDERS_BETWEEN = 5

/** A product of which a warehouse has too little. */
interface Lack {
  product: number
  threshold: number
  /** What orders wait for. */
  backordered: number
  /** What can still be promised to orders. */
  available: number
}

/** Announces a delivery of what the default warehouse lacks whenever none is expected, until the demo is over. */
export async function supply(options: LiveOptions): Promise<void> {
  const { seed, journal, pace } = options
  const random = new Random(`${seed} supplier`)
  const warehouse = await defaultWarehouseOf(options.client)
  for (;;) {
    await pace.wait(pace.orderMs * ORDERS_BETWEEN, random)
    if (pace.isOver) return
    await unlessRefused(journal, 'The supplier', () => announceDelivery(options, warehouse, random))
  }
}

/** Announces a delivery. Does nothing if one is expected, or nothing is lacking. */
async function announceDelivery(
  { client, journal }: LiveOptions,
  warehouse_id: number | undefined,
  random: Random,
): Promise<void> {
  const [expected, begun] = [
    await client.inbound.list({ state: 'expected', limit: 1 }),
    await client.inbound.list({ state: 'receiving', limit: 1 }),
  ]
  if (expected.pagination.total + begun.pagination.total > 0) return
  const lacking = await lackingIn(client, warehouse_id)
  if (lacking.length === 0) return
  const lines = lacking.slice(0, MAX_LINES).map(({ product: product_id, threshold, backordered }) => {
    const quantity = Math.ceil(backordered) + threshold * random.integer(2, 4)
    return { product_id, quantity }
  })
  const { pagination } = await client.inbound.list({ limit: 1 })
  const reference = `PO-${today()}-${pagination.total + 1}`
  await client.inbound.create({ reference, warehouse_id, supplier: 'Demo Wholesale', expected_at: today(), lines })
  journal.tell(`A delivery is announced: ${reference}, ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`)
}

/**
 * The products with a threshold that a warehouse lacks: what its orders wait for comes first, then what is below its threshold. What other
 * warehouses have is of no use to its orders.
 */
async function lackingIn(client: FulfillmentClient, warehouse_id: number | undefined): Promise<Lack[]> {
  const stock = new Map<number, ProductAvailability>()
  for await (const row of availabilityIn(client, warehouse_id)) stock.set(row.product_id, row)
  const lacking: Lack[] = []
  for await (const { id: product, minimum_threshold: threshold } of client.products.list({ limit: PAGE })) {
    // What the warehouse has nothing of is not listed.
    const { backordered, available } = stock.get(product) ?? { backordered: 0, available: 0 }
    if (threshold !== null && available < threshold) lacking.push({ product, threshold, backordered, available })
  }
  return lacking.toSorted((a, b) => b.backordered - a.backordered || missingOf(b) - missingOf(a))
}

const missingOf = ({ threshold, available }: Lack): number => threshold - available

const availabilityIn = (client: FulfillmentClient, warehouse_id: number | undefined): AsyncIterable<ProductAvailability> =>
  rowsOf(async (page) => {
    const { availability: rows, pagination } = await client.stock.availability({ warehouse_id, page, limit: PAGE })
    return { rows, pagination }
  })

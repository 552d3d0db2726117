import { Random } from '../random.ts'
import { RETURN_REASONS } from '../returns-desk.ts'
import type { LiveOptions } from './customers.ts'
import { unlessRefused } from './refusal.ts'

/** Returns for so many orders. */
const ORDERS_BETWEEN = 6
const LATEST_ORDERS = 100

/** Customers announce that they send something back, until the demo is over. Of an order, they do so once. */
export async function sendBack(options: LiveOptions): Promise<void> {
  const { seed, journal, pace } = options
  const random = new Random(`${seed} returns`)
  for (;;) {
    await pace.wait(pace.orderMs * ORDERS_BETWEEN, random)
    if (pace.isOver) return
    await unlessRefused(journal, 'A return', () => announceReturn(options, random))
  }
}

/** Announces a return of something that was delivered. Does nothing if there is none, or the order has a return already. */
async function announceReturn({ client, journal }: LiveOptions, random: Random): Promise<void> {
  const { shipments } = await client.shipments.list({ state: 'delivered', limit: LATEST_ORDERS })
  if (shipments.length === 0) return
  const { order_id, order_tenant_id: name, packages } = await client.shipments.get(random.pick(shipments).id)
  const { pagination: ofOrder } = await client.returns.list({ order_id, limit: 1 })
  if (ofOrder.total > 0) return
  const { product_id, quantity: sent } = random.pick(packages.flatMap(({ lines }) => lines))
  const { pagination } = await client.returns.list({ limit: 1 })
  const reference = `RMA-${String(pagination.total + 1).padStart(5, '0')}`
  const { reason } = random.pick(RETURN_REASONS)
  // What was weighed may be less than a kilogram.
  const quantity = sent < 1 ? sent : random.integer(1, Math.floor(sent))
  await client.returns.create({ reference, order_id, reason, lines: [{ product_id, quantity }] })
  journal.announced++
  journal.tell(`Something of ${name} comes back: ${reason}`)
}

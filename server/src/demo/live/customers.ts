import type { FulfillmentClient } from '../../command-line/sdk.ts'
import { ORDER_STATES } from '../../domain/order-states/index.ts'
import { newOrder } from '../new-order.ts'
import { Random } from '../random.ts'
import { catalogOf } from './catalog-of.ts'
import { fateOf } from './fate.ts'
import type { Journal } from './journal.ts'
import type { Pace } from './pace.ts'
import { unlessRefused } from './refusal.ts'
import { today } from './today.ts'

export interface LiveOptions {
  client: FulfillmentClient
  seed: number
  journal: Journal
  pace: Pace
}

/** Sends orders, one after the other, until the demo is over. Some customers think better of it. */
export async function sendOrders({ client, seed, journal, pace }: LiveOptions): Promise<void> {
  const catalog = await catalogOf(client)
  const offered = [...catalog.keys()].filter((position) => catalog[position]?.is_active)
  const { pagination } = await client.orders.list({ limit: 1 })
  const random = new Random(`${seed} customers`)
  const cancellations: Promise<void>[] = []
  for (let number = pagination.total + 1; !pace.isOver; number++) {
    const name = `D${seed}-${String(number).padStart(5, '0')}`
    const { customer, address, lines } = newOrder(new Random(`${seed} order ${number}`), offered)
    const order_detail = lines.map(({ product, quantity }) => ({ barcode: catalog[product]?.barcode ?? '', quantity }))
    const order = {
      order_tenant_id: name,
      assembly_date: today(),
      customer_name: customer,
      shipping_address: address,
      order_detail,
    }
    const isNew = await unlessRefused(journal, `${name} of ${customer}`, async () => {
      const { created_count: created } = await client.orders.create({ orders: [order] })
      if (created === 0) return false
      journal.sent++
      journal.became(name, ORDER_STATES.pending)
      journal.tell(`${customer} orders ${name}: ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`)
      if (fateOf(seed, name) === 'cancelled') cancellations.push(cancelOrder({ client, seed, journal, pace }, name))
      return true
    })
    // Orders that were refused in an earlier run have left its numbers further on than the number of orders.
    if (isNew === false) continue
    await pace.wait(pace.orderMs, random)
  }
  await Promise.all(cancellations)
}

async function cancelOrder({ client, seed, journal, pace }: LiveOptions, name: string): Promise<void> {
  await pace.wait(pace.orderMs * 2, new Random(`${seed} cancels ${name}`))
  if (pace.isOver || journal.states.get(name) === ORDER_STATES.completed) return
  const isOver = await client.orders.cancel(name, { reason: 'changed their mind' }).then(
    () => false,
    // Completed meanwhile.
    () => true,
  )
  if (isOver) return
  journal.cancelled++
  journal.became(name, ORDER_STATES.cancelled)
  journal.tell(`${name} is cancelled: the customer changed their mind`)
}

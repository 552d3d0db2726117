import { Random } from '../random.ts'
import type { LiveOptions } from './customers.ts'
import { unlessRefused } from './refusal.ts'

/** Visits for so many orders. */
const ORDERS_BETWEEN = 4
const MAX_AT_ONCE = 100

/** Takes what is packed and delivers what it took earlier, until the demo is over. */
export async function carry({ client, seed, journal, pace }: LiveOptions): Promise<void> {
  const random = new Random(`${seed} carrier`)
  for (;;) {
    await pace.wait(pace.orderMs * ORDERS_BETWEEN, random)
    if (pace.isOver) return
    const { shipments: underWay } = await client.shipments.list({ state: 'shipped', limit: MAX_AT_ONCE })
    const { shipments: packed } = await client.shipments.list({ state: 'open', limit: MAX_AT_ONCE })
    for (const { id, reference } of underWay.slice(-random.integer(1, ORDERS_BETWEEN))) {
      if (pace.isOver) return
      await unlessRefused(journal, 'The carrier', async () => {
        await client.shipments.deliver(id)
        journal.arrived++
        journal.tell(`The carrier delivers ${reference}`)
      })
    }
    for (const { id, reference } of packed) {
      if (pace.isOver) return
      // It may have been cancelled with its order.
      await unlessRefused(journal, 'The carrier', async () => {
        await client.shipments.ship(id)
        journal.shipped++
        journal.tell(`The carrier takes ${reference}`)
      })
    }
  }
}

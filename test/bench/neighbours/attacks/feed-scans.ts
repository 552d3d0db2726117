import type { Attack } from '../attack.ts'
import { recordEvents } from '../preparations.ts'

/**
 * Reads a topic of which there are no events, in a feed of very many. It worked because each read looked at all of them on one of the two
 * connections that all tenants' reads share.
 */
export const feedScans: Attack = {
  name: 'feed-scans',
  title: 'a rare topic of a long feed',
  prepare: (flood, field) => recordEvents(flood, field, field.short ? 2_000 : 200_000),
  run: (flood) => flood.flood(30, () => ({ method: 'GET', path: '/events?event=product/deleted&limit=100' })),
}

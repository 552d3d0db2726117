import type { Attack } from '../attack.ts'
import { recordEvents } from '../preparations.ts'

/**
 * Reads a topic without events in a long feed. It worked because each read scanned all events, on one of the two connections shared by the
 * reads of all tenants.
 */
export const feedScans: Attack = {
  name: 'feed-scans',
  title: 'reads of a topic without events in a feed of 200,000 events',
  prepare: (flood, field) => recordEvents(flood, field, field.short ? 2_000 : 200_000),
  run: (flood) => flood.flood(30, () => ({ method: 'GET', path: '/events?event=product/deleted&limit=100' })),
}

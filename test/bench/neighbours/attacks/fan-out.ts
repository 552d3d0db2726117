import type { Attack } from '../attack.ts'
import { changedPrices, subscribeOften } from '../preparations.ts'

/**
 * Creates the maximum number of subscriptions, then changes 500 products per call. It worked because one statement fanned out 500 events to all
 * subscriptions. It ran into its time limit and was retried forever, and no tenant got webhooks.
 */
export const fanOut: Attack = {
  name: 'fan-out',
  title: 'bulk calls with 500 items and the maximum number of subscriptions',
  prepare: (flood, { responding, short }) => subscribeOften(flood, responding, short ? 20 : 1_500),
  run: (flood, { short }) => flood.flood(4, (count) => changedPrices(short ? 50 : 500, 1 + count)),
}

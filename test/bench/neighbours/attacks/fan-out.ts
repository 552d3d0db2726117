import type { Attack } from '../attack.ts'
import { changedPrices, subscribeOften } from '../preparations.ts'

/**
 * Makes every event a delivery to as many subscriptions as the tenant may have, then changes 500 products a call. It worked because
 * fan-out took 500 events times all subscriptions in one statement, which ran into its time limit and was tried again for ever: no
 * tenant got a webhook any more.
 */
export const fanOut: Attack = {
  name: 'fan-out',
  title: 'bulk calls of 500 with as many subscriptions as there may be',
  prepare: (flood, { answering, short }) => subscribeOften(flood, answering, short ? 20 : 1_500),
  run: (flood, { short }) => flood.flood(4, (count) => changedPrices(short ? 50 : 500, 1 + count)),
}

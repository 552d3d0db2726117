import type { Attack } from '../attack.ts'
import { changedPrices } from '../preparations.ts'

/**
 * Searches and bulk calls over 200 connections. It worked because ten connections to the database served all that is slow, first come,
 * first served: the lists and keyed calls of everybody else waited five seconds and were refused.
 */
export const searches: Attack = {
  name: 'searches',
  title: 'searches and bulk calls over 200 connections',
  run: (flood, { short }) =>
    flood.flood(short ? 20 : 200, (count) =>
      count % 2 === 0
        ? changedPrices(short ? 50 : 500, 1 + count)
        : { method: 'GET', path: `/products?search=number%20${count % 10}&limit=100` },
    ),
}

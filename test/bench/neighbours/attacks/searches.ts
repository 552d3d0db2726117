import type { Attack } from '../attack.ts'
import { changedPrices } from '../preparations.ts'

/**
 * Searches and bulk calls over 200 connections. It worked because ten connections to the database served all slow calls in order of
 * arrival. The lists and keyed calls of other tenants waited five seconds and were rejected.
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

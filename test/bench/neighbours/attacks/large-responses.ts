import type { Attack } from '../attack.ts'
import { createLongOrders } from '../preparations.ts'

/**
 * Lists a hundred orders with 1,000 lines each: responses of 15 MB and more. It worked because each response was read, serialised and sent
 * at once.
 */
export const largeResponses: Attack = {
  name: 'large-responses',
  title: 'lists of 100 orders with 1,000 lines each over 31 connections',
  prepare: (flood, { short }) => createLongOrders(flood, short ? 5 : 100, short ? 50 : 1_000),
  run: (flood) => flood.flood(31, () => ({ method: 'GET', path: '/orders?include_details=true&limit=100' })),
}

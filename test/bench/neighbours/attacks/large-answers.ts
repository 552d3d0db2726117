import type { Attack } from '../attack.ts'
import { createLongOrders } from '../preparations.ts'

/**
 * Lists a hundred orders of 1,000 lines with their lines: 15 MB and more an answer. It worked because each answer was one text, read, put
 * together and sent at once.
 */
export const largeAnswers: Attack = {
  name: 'large-answers',
  title: 'lists of 100 orders of 1,000 lines over 31 connections',
  prepare: (flood, { short }) => createLongOrders(flood, short ? 5 : 100, short ? 50 : 1_000),
  run: (flood) => flood.flood(31, () => ({ method: 'GET', path: '/orders?include_details=true&limit=100' })),
}

import type { Attack } from '../attack.ts'

const BODY_BYTES = 5_200_000
const ITEM = { barcode: 'B00000001', name: 'Product number 1', description: 'x'.repeat(450) }

/** Sends bulk calls of 5 MB with too many items over 100 connections. The server reads and parses each body before it rejects it. */
export const bodies: Attack = {
  name: 'bodies',
  title: 'bodies of 5 MB over 100 connections, rejected for too many items',
  async run(flood, { short }) {
    const items = Math.floor(BODY_BYTES / (JSON.stringify(ITEM).length + 1)) - 1
    const body = Buffer.from(JSON.stringify({ products: Array.from({ length: items }, () => ITEM) }))
    await flood.flood(short ? 4 : 100, () => ({ method: 'POST', path: '/products/bulk', body }))
  },
}

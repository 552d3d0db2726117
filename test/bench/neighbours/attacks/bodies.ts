import type { Attack } from '../attack.ts'

const BODY_BYTES = 5_200_000
const ITEM = { barcode: 'B00000001', name: 'Product number 1', description: 'x'.repeat(450) }

/** Sends bodies of 5 MB over 100 connections, each a bulk call with more items than there may be. Each is read and parsed whole before it is refused. */
export const bodies: Attack = {
  name: 'bodies',
  title: 'bodies of 5 MB over 100 connections',
  async run(flood, { short }) {
    const items = Math.floor(BODY_BYTES / (JSON.stringify(ITEM).length + 1)) - 1
    const body = Buffer.from(JSON.stringify({ products: Array.from({ length: items }, () => ITEM) }))
    await flood.flood(short ? 4 : 100, () => ({ method: 'POST', path: '/products/bulk', body }))
  },
}

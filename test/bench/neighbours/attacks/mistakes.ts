import type { Attack } from '../attack.ts'

const ORDERS = 1_000
/** Bodies of 50 kB and of 3 MB. */
const LINES = [10, 1_000]

/** Sends orders of nothing but mistakes. It worked because every mistake of every line was collected on the one thread that serves all. */
export const mistakes: Attack = {
  name: 'mistakes',
  title: '1,000 orders of lines {}, up to 3 MB',
  async run(flood) {
    const requests = LINES.map((lines) => bodyOf(lines))
    await flood.flood(4, (count) => ({ method: 'POST', path: '/orders', body: requests[count % requests.length] as Buffer }))
  },
}

function bodyOf(lines: number): Buffer {
  const order = { order_detail: Array.from({ length: lines }, () => ({})) }
  return Buffer.from(JSON.stringify({ orders: Array.from({ length: ORDERS }, () => order) }))
}

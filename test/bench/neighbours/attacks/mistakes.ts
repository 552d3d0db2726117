import type { Attack } from '../attack.ts'
import { mistakenOrders } from '../preparations.ts'

/** Bodies of 50 kB and of 3 MB. */
const LINES = [10, 1_000]

/** Sends orders of nothing but mistakes. It worked because every mistake of every line was collected on the one thread that serves all. */
export const mistakes: Attack = {
  name: 'mistakes',
  title: '1,000 orders of lines {}, up to 3 MB',
  async run(flood) {
    const requests = LINES.map(mistakenOrders)
    await flood.flood(4, (count) => requests[count % requests.length])
  },
}

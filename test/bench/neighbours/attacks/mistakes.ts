import type { Attack } from '../attack.ts'
import { mistakenOrders } from '../preparations.ts'

/** Bodies of 50 kB and of 3 MB. */
const LINES = [10, 1_000]

/** Sends orders with an error in every field. It worked because all errors were collected in one turn of the event loop. */
export const mistakes: Attack = {
  name: 'mistakes',
  title: '1,000 orders with 10 or 1,000 invalid lines each, bodies up to 3 MB',
  async run(flood) {
    const requests = LINES.map(mistakenOrders)
    await flood.flood(4, (count) => requests[count % requests.length])
  },
}

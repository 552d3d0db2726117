import { slice } from '../../procedures/slice.ts'
import { reportOrders } from './report-orders.ts'
import { reportUsage } from './report-usage.ts'

// Not in index.ts, which has what counts requests.
export { removeOldUsage } from './remove-old-usage.ts'

/** Sums over time. */
export const reports = slice({
  tags: [{ name: 'reports', description: 'Sums by hour and day.' }],
  endpoints: [reportOrders, reportUsage],
})

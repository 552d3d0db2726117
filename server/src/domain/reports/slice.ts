import { slice } from '../../procedures/slice.ts'
import { HOUR_MS } from '../../runtime/periodic.ts'
import { removeOldHours } from './remove-old-hours.ts'
import { reportDeliveries } from './report-deliveries.ts'
import { reportOrders } from './report-orders.ts'
import { reportPicking } from './report-picking.ts'
import { reportStock } from './report-stock.ts'
import { reportUsage } from './report-usage.ts'

/** Sums over time. */
export const reports = slice({
  tags: [{ name: 'reports', description: 'Totals by hour and day.' }],
  endpoints: [reportStock, reportOrders, reportPicking, reportDeliveries, reportUsage],
  tasks: [{ everyMs: HOUR_MS, run: removeOldHours }],
})

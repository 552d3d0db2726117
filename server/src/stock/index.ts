export { applyStockChanges, type StockChanges } from './apply-stock-changes.ts'
export { shortage } from './shortage.ts'
export { stockRouter } from './router.ts'
export { lowAlerts } from './stock-events.ts'

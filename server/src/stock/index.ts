export { applyStockChanges } from './apply-stock-changes.ts'
export { shortage } from './shortage.ts'
export { stockRouter } from './router.ts'
export { lowAlerts } from './stock-events.ts'

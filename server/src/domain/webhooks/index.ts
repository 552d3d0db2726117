export { clearDeletedSubscriptions } from './clear-deleted.ts'
export { parseSubscriptionId } from './webhook-id.ts'

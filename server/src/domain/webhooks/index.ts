export { clearDeletedSubscriptions } from './clear-deleted.ts'

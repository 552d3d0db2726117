export { AuditTrail } from './audit-trail.ts'
export { removeOldCalls } from './named-calls.ts'
export { recordCommand } from './record-command.ts'
export { recordEntry, type AuditedChange } from './record-entry.ts'

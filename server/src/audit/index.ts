export { AuditTrail } from './audit-trail.ts'
export { recordCommand } from './record-command.ts'
export { auditRouter } from './router.ts'

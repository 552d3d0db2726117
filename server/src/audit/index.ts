export { AuditTrail } from './audit-trail.ts'
export { auditRouter } from './router.ts'

/** How long the audit log is kept, and the calls of an order in its timeline. */
export const AUDIT_DAYS_KEPT = 365
/** How long events and their deliveries are kept. */
export const EVENT_DAYS_KEPT = 30

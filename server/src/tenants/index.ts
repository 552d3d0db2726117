export { createTenant, sandboxOf, type NewTenant } from './create-tenant.ts'

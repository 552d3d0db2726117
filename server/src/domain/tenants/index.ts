export { createTenant, sandboxOf } from './create-tenant.ts'

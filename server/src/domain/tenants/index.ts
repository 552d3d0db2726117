export { createTenant, sandboxOf } from './create-tenant.ts'
export { ownerOf, tenantAndSandbox } from './tenant-and-sandbox.ts'

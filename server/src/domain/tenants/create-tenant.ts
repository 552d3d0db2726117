import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'

export interface NewTenant {
  id: number
  name: string
}

const insertTenant = statement<[name: string, sandboxOf: number | null], NewTenant>({
  name: 'insert_tenant',
  connection: 'write',
  sql: `with tenant as (
     insert into tenants (name, sandbox_of) values ($1, $2) on conflict (sandbox_of) do nothing returning id, name
   ), warehouse as (
     insert into warehouses (tenant_id, name, is_default) select id, 'Main', true from tenant
   )
   select id, name from tenant`,
})

const findSandbox = statement<[tenantId: number], NewTenant>({
  name: 'find_sandbox',
  connection: 'read',
  sql: 'select id, name from tenants where sandbox_of = $1',
})

/** Creates a tenant with its default warehouse. */
export async function createTenant(db: Queryable, name: string): Promise<NewTenant> {
  return (await db.runOne(insertTenant, [name, null])) as NewTenant
}

/** The tenant's sandbox, created at its first use. */
export async function sandboxOf(db: Queryable, tenantId: number): Promise<NewTenant> {
  const existing = await db.runOne(findSandbox, [tenantId])
  if (existing !== undefined) return existing
  await db.runOne(insertTenant, ['Sandbox', tenantId])
  return (await db.runOne(findSandbox, [tenantId])) as NewTenant
}

import type { Database } from '../database/database.ts'
import { statement } from '../database/statements/statement.ts'
import { insertApiKey } from '../domain/api-keys/index.ts'
import { createTenant } from '../domain/tenants/index.ts'

const lockTenants = statement<[], never>({
  name: 'lock_tenants',
  connection: 'write',
  sql: 'lock table tenants in share row exclusive mode',
})
const selectTenant = statement<[], { id: number }>({
  name: 'select_tenant',
  connection: 'read',
  // Also when all were moved away.
  sql: '(select id from tenants limit 1) union all (select id from moved_tenants limit 1) limit 1',
})

/** The credentials that the first start creates. They are shown once. */
export interface FirstTenant {
  key: string
  /** Signs in to the dashboard once. */
  code: string
}

/** Whether a database has no tenants yet. */
export const hasNoTenants = async (db: Database): Promise<boolean> => (await db.runOne(selectTenant, [])) === undefined

/** Creates a tenant with an admin key and a sign-in code in an empty database. If several servers start at once, one of them does. */
export async function createFirstTenant(db: Database): Promise<FirstTenant | undefined> {
  return db.transaction(async (tx) => {
    await tx.run(lockTenants, [])
    if ((await tx.runOne(selectTenant, [])) !== undefined) return undefined
    const tenant = await createTenant(tx, 'default')
    const { id: keyId, key } = await insertApiKey(tx, tenant.id, 'live', { name: 'first admin key', preset: 'full_access' })
    // Loaded here: other starts do not need it.
    const { createSignInCode } = await import('../domain/sessions/index.ts')
    return { key, code: await createSignInCode(tx, { tenantId: tenant.id, keyId }) }
  })
}

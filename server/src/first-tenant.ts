import { insertApiKey } from './api-keys/index.ts'
import type { Database } from './database/database.ts'
import { statement } from './database/statement.ts'
import { createTenant } from './tenants/index.ts'

const lockTenants = statement<[], never>('lock_tenants', 'lock table tenants in share row exclusive mode')
const selectTenant = statement<[], { id: number }>('select_tenant', 'select id from tenants limit 1')

/** On an empty database, makes a tenant with an admin key, and returns the key. Of several servers that start at once one does it. */
export async function createFirstTenant(db: Database): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    await tx.run(lockTenants, [])
    if ((await tx.runOne(selectTenant, [])) !== undefined) return undefined
    const tenant = await createTenant(tx, 'default')
    const { key } = await insertApiKey(tx, tenant.id, 'live', { name: 'first admin key', preset: 'full_access' })
    return key
  })
}

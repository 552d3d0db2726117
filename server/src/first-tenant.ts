import { sql } from 'kysely'
import { insertApiKey } from './api-keys/index.ts'
import type { Database } from './database/database.ts'
import { createTenant } from './tenants/index.ts'

/** On an empty database, makes a tenant with an admin key, and returns the key. Of several servers that start at once one does it. */
export async function createFirstTenant(db: Database): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    await sql`lock table tenants in share row exclusive mode`.execute(tx.kysely)
    const existing = await tx.kysely.selectFrom('tenants').select('id').limit(1).executeTakeFirst()
    if (existing !== undefined) return undefined
    const tenant = await createTenant(tx, 'default')
    const { key } = await insertApiKey(tx, tenant.id, 'live', { name: 'first admin key', preset: 'full_access' })
    return key
  })
}

import type { Database } from '../database/database.ts'

/** The id of the tenant that `--tenant` names by id or name. */
export async function tenantIdOf(db: Database, tenant: string): Promise<number> {
  const rows = await db.kysely
    .selectFrom('tenants')
    .select('id')
    .where('sandbox_of', 'is', null)
    .where((eb) =>
      /^\d{1,15}$/.test(tenant) ? eb.or([eb('id', '=', Number(tenant)), eb('name', '=', tenant)]) : eb('name', '=', tenant),
    )
    .orderBy((eb) => eb('name', '=', tenant))
    .limit(2)
    .execute()
  const [first, second] = rows
  if (first === undefined) throw new Error(`--tenant: there is no tenant ${tenant}; tenants list shows them`)
  if (second !== undefined && String(first.id) !== tenant)
    throw new Error(`--tenant: several tenants are named ${tenant}; use the id`)
  return first.id
}

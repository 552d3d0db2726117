import type { Database } from '../database/database.ts'
import type { OpenShards } from '../shards/open-shards.ts'

/** The id of the tenant that `--tenant` names by id or name. */
export async function tenantIdOf(shards: OpenShards, tenant: string): Promise<number> {
  const [first, second] = (await rowsOfAll(shards, (db) => named(db, tenant))).toSorted(
    (one, other) => Number(one.name === tenant) - Number(other.name === tenant),
  )
  if (first === undefined) throw new Error(`--tenant: there is no tenant ${tenant}; tenants list shows them`)
  if (second !== undefined && String(first.id) !== tenant)
    throw new Error(`--tenant: several tenants are named ${tenant}; use the id`)
  return first.id
}

/** The rows of a query in all shards that can be reached, in the order of the shards. */
export async function rowsOfAll<Row>({ opened }: OpenShards, read: (db: Database) => Promise<Row[]>): Promise<Row[]> {
  return (await Promise.all(opened.flatMap(({ db }) => (db === undefined ? [] : [read(db)])))).flat()
}

async function named(db: Database, tenant: string): Promise<{ id: number; name: string }[]> {
  return await db.kysely
    .selectFrom('tenants')
    .select(['id', 'name'])
    .where('sandbox_of', 'is', null)
    .where((eb) =>
      /^\d{1,15}$/.test(tenant) ? eb.or([eb('id', '=', Number(tenant)), eb('name', '=', tenant)]) : eb('name', '=', tenant),
    )
    .orderBy((eb) => eb('name', '=', tenant))
    .limit(2)
    .execute()
}

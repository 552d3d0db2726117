import type { Database } from '../database/database.ts'
import type { OpenShards } from '../shards/open-shards.ts'

/** The id of the tenant that `--tenant` names by id or name. */
export async function tenantIdOf(shards: OpenShards, tenant: string): Promise<number> {
  const [first, second] = (
    await rowsOfAll(
      shards,
      (db) => named(db, tenant),
      ({ id }) => id,
    )
  ).toSorted((one, other) => Number(one.name === tenant) - Number(other.name === tenant))
  if (first === undefined) throw new Error(`--tenant: there is no tenant ${tenant}; tenants list shows them`)
  if (second !== undefined && String(first.id) !== tenant)
    throw new Error(`--tenant: several tenants are named ${tenant}; use the id`)
  return first.id
}

/**
 * The rows of a query in all shards that can be reached, in the order of the shards. Those of a tenant count in its own shard alone: while it is moved,
 * another one has them too.
 */
export async function rowsOfAll<Row>(
  { opened, isIn }: OpenShards,
  read: (db: Database) => Promise<Row[]>,
  tenantOf: (row: Row) => number,
): Promise<Row[]> {
  const ownRows = async (db: Database): Promise<Row[]> => (await read(db)).filter((row) => isIn(tenantOf(row), db))
  return (await Promise.all(opened.flatMap(({ db }) => (db === undefined ? [] : [ownRows(db)])))).flat()
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

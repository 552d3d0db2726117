import type { Database } from '../database/database.ts'
import type { OpenShards } from '../shards/open-shards.ts'

/** The id of the tenant that `--tenant` names by id or name. A name needs all shards: any of them may have a tenant of that name. */
export async function tenantIdOf(shards: OpenShards, tenant: string): Promise<number> {
  const [first, second] = (
    await rowsOfAll(
      shards,
      (db) => named(db, tenant),
      ({ id }) => id,
    )
  ).toSorted((one, other) => Number(one.name === tenant) - Number(other.name === tenant))
  if (first !== undefined && String(first.id) === tenant) return first.id
  requireAllShards(shards, isId(tenant) ? `, and tenant ${tenant} may be there` : undefined)
  if (first === undefined) throw new Error(`--tenant: there is no tenant ${tenant}; tenants list shows them`)
  if (second !== undefined) throw new Error(`--tenant: several tenants are named ${tenant}; use the id`)
  return first.id
}

/** Throws if a shard cannot be reached: the tenant that is meant may be there. */
export function requireAllShards({ opened }: OpenShards, advice = '; name the tenant by its id'): void {
  const lost = opened.filter(({ db }) => db === undefined).map(({ id }) => id)
  if (lost.length > 0)
    throw new Error(`--tenant: ${lost.length === 1 ? 'shard' : 'shards'} ${lost.join(', ')} cannot be reached${advice}`)
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

const isId = (tenant: string): boolean => /^\d{1,15}$/.test(tenant)

async function named(db: Database, tenant: string): Promise<{ id: number; name: string }[]> {
  return await db.kysely
    .selectFrom('tenants')
    .select(['id', 'name'])
    .where('sandbox_of', 'is', null)
    .where((eb) => (isId(tenant) ? eb.or([eb('id', '=', Number(tenant)), eb('name', '=', tenant)]) : eb('name', '=', tenant)))
    .orderBy((eb) => eb('name', '=', tenant))
    .limit(2)
    .execute()
}

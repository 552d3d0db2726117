import { sql } from 'kysely'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { MIGRATION_TABLE } from '../database/schema-version.ts'
import type { OpenShards } from './open-shards.ts'
import { DIRECTORY, TENANTS_OF_SHARD } from './shards.ts'

/** Ids of API keys are unique over all shards too: each tenant id of a shard has room for a million. */
const KEYS_OF_TENANT_ID = 1_000_000
/** Ids of tenants are integers in advisory locks. */
const MAX_TENANT_ID = 2 ** 31 - 1
export const OLDEST_POSTGRES = 15

/** Adds an empty database to the shards. Its sequences hand out ids that no other shard has. Returns the id of the shard. */
export async function addShard(shards: OpenShards, url: string): Promise<number> {
  const db = openDatabase(url, { exclusiveConnections: 2, pipelinedConnections: 1 })
  try {
    await requirePostgres(db)
    await requireOther(db, shards.directory)
    await requireOwn(db)
    await requireEmpty(db, shards)
    await db.withoutTimeLimits(migrate)
    return await register(shards, db, url)
  } finally {
    await db.close()
  }
}

/** Sets whether a shard gets new tenants. */
export async function setDraining({ directory }: OpenShards, id: number, isDraining: boolean): Promise<void> {
  const state = isDraining ? 'draining' : 'active'
  if (id === DIRECTORY) {
    await directory.kysely
      .insertInto('shards')
      .values({ id, url_ciphertext: null, first_tenant_id: 0, state })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ state }))
      .execute()
    return
  }
  const { numUpdatedRows } = await directory.kysely.updateTable('shards').set({ state }).where('id', '=', id).executeTakeFirst()
  if (numUpdatedRows === 0n) throw noShard(id)
}

/** Removes a draining shard without tenants from the map. Its database stays. */
export async function removeShard(shards: OpenShards, id: number): Promise<void> {
  if (id === DIRECTORY) throw new Error('Shard 1 is the directory, which has the map of the others: it cannot be removed')
  const shard = shards.opened.find((one) => one.id === id)
  if (shard === undefined) throw noShard(id)
  if (shard.state !== 'draining') throw new Error(`Shard ${id} may get new tenants: run shards drain ${id} first`)
  if (shard.db === undefined) throw new Error(`Shard ${id} cannot be reached, so it may have tenants`)
  const tenants = await countOf(shard.db, 'tenants')
  if (tenants > 0) throw new Error(`Shard ${id} has ${tenants} tenants and sandboxes`)
  const moving = shards.directory.kysely.selectFrom('moved_tenants').select('id').where('other_id', '=', id)
  const moved = await moving.executeTakeFirst()
  if (moved !== undefined) throw new Error(`Tenant ${moved.id} is being moved from or to shard ${id}`)
  await shards.directory.kysely.deleteFrom('shards').where('id', '=', id).execute()
}

async function register({ directory, encryption }: OpenShards, db: Database, url: string): Promise<number> {
  return await directory.kysely.transaction().execute(async (tx) => {
    await sql`lock table shards in share row exclusive mode`.execute(tx)
    const { rows } = await sql<{ id: number; first: number }>`
      with next as (select nextval(pg_get_serial_sequence('shards', 'id')) as id)
      select id, greatest(
        id, (select max(first_tenant_id) from shards) / ${TENANTS_OF_SHARD}::bigint + 1,
        (select max(t.id) from tenants t) / ${TENANTS_OF_SHARD}::bigint + 1,
        (select max(greatest(id, sandbox_id)) from moved_tenants) / ${TENANTS_OF_SHARD}::bigint + 1
      ) * ${TENANTS_OF_SHARD}::bigint as first from next`.execute(tx)
    const { id, first } = rows[0] as { id: number; first: number }
    if (first + TENANTS_OF_SHARD > MAX_TENANT_ID) throw new Error('There are no ids left for a further shard')
    await tx
      .insertInto('shards')
      .values({ id, url_ciphertext: encryption.encrypt(url), first_tenant_id: first })
      .execute()
    await setRange(db, first)
    // The directory's own ids must not reach those of the shards.
    const { rows: ranges } = await sql<{ first: number }>`
      select min(first_tenant_id) as first from shards where id > ${DIRECTORY}`.execute(tx)
    const lowest = (ranges[0] as { first: number }).first
    await sql`alter sequence tenants_id_seq maxvalue ${sql.lit(lowest - 1)}`.execute(tx)
    return id
  })
}

async function setRange(db: Database, first: number): Promise<void> {
  const firstId = sql.lit(first)
  const lastId = sql.lit(first + TENANTS_OF_SHARD - 1)
  const firstKey = sql.lit(first * KEYS_OF_TENANT_ID)
  await db.kysely.transaction().execute(async (tx) => {
    await sql`alter sequence tenants_id_seq minvalue ${firstId} maxvalue ${lastId} start ${firstId} restart ${firstId}`.execute(
      tx,
    )
    await sql`alter sequence api_keys_id_seq minvalue ${firstKey} start ${firstKey} restart ${firstKey}`.execute(tx)
  })
}

async function requirePostgres(db: Database): Promise<void> {
  let version: number
  try {
    const { rows } = await db.dedicatedPool.query(`select current_setting('server_version_num')::int / 10000 as version`)
    version = rows[0].version
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(`The database cannot be reached: ${message || code}`, { cause: error })
  }
  if (version < OLDEST_POSTGRES) throw new Error(`The database is Postgres ${version}; a shard needs ${OLDEST_POSTGRES} or newer`)
}

async function requireOther(db: Database, directory: Database): Promise<void> {
  const identity = async (one: Database): Promise<string> =>
    (await one.dedicatedPool.query(`select system_identifier || ' ' || current_database() as identity from pg_control_system()`))
      .rows[0].identity
  if ((await identity(db)) === (await identity(directory)))
    throw new Error('This is the database of DATABASE_URL, which is shard 1')
}

/** Refuses the database of another program before a migration makes tables in it. Those of extensions do not count. */
async function requireOwn(db: Database): Promise<void> {
  const { rows } = await db.dedicatedPool.query(
    `select to_regclass($1) is null and exists (
       select from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     ) as "isForeign"`,
    [`public.${MIGRATION_TABLE}`],
  )
  if (rows[0].isForeign === true) throw new Error('The database has tables of another program; a new shard must be empty')
}

/** Refuses a database in use before a migration changes it: that of an older installation, which may lack tables, can be named by mistake. */
async function requireEmpty(db: Database, { opened }: OpenShards): Promise<void> {
  const { rows } = await db.dedicatedPool.query(
    `select min_value as first from pg_sequences where schemaname = 'public' and sequencename = 'tenants_id_seq'`,
  )
  const same = opened.find(({ id, firstTenantId }) => id !== DIRECTORY && firstTenantId === rows[0]?.first)
  if (same !== undefined) throw new Error(`The database is shard ${same.id} already`)
  if ((await countOf(db, 'shards')) > 0) throw new Error('The database is the directory of other shards')
  const tenants = await countOf(db, 'tenants')
  if (tenants > 0) throw new Error(`The database has ${tenants} tenants and sandboxes; a new shard must be empty`)
}

/** The number of rows; 0 without the table. */
async function countOf({ dedicatedPool }: Database, table: 'shards' | 'tenants'): Promise<number> {
  const { rows } = await dedicatedPool.query(`select to_regclass('public.${table}') is not null as "isThere"`)
  if (rows[0].isThere !== true) return 0
  return (await dedicatedPool.query(`select count(*) as count from public.${table}`)).rows[0].count
}

export function noShard(id: number): Error {
  return new Error(`There is no shard ${id}; shards list shows them`)
}

import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statements/statement.ts'
import type { Encryption } from '../runtime/encryption/encryption.ts'

/** A row of the shard map. */
export interface ShardRow {
  id: number
  /** Null for the directory. */
  url_ciphertext: Buffer | null
  first_tenant_id: number
  state: 'active' | 'draining'
  created_at: string
}

const selectShards = statement<[], ShardRow>({
  name: 'read_shards',
  connection: 'read',
  sql: 'select id, url_ciphertext, first_tenant_id, state, created_at from shards order by id',
})

/** The shard map, as it is in the directory. The directory itself has a row only once it was drained. */
export async function readShardMap(directory: Queryable): Promise<ShardRow[]> {
  return await directory.run(selectShards, [])
}

/** A tenant that was or is being moved, as it is in the directory. */
export interface MovedTenant {
  id: number
  sandbox_id: number
  /** Where it is. */
  shard_id: number
  state: 'settled' | 'copying' | 'switching' | 'leaving' | 'returning'
}

const selectMoved = statement<[], MovedTenant>({
  name: 'read_moved_tenants',
  connection: 'read',
  sql: 'select id, sandbox_id, shard_id, state from moved_tenants',
})

/** The tenants that may be in another shard than their ids tell. */
export async function readMovedTenants(directory: Queryable): Promise<MovedTenant[]> {
  return await directory.run(selectMoved, [])
}

/** The moves of tenants so far. */
export interface Moves {
  /** Number of all moves begun. */
  begun: number
  /** The tenants whose moves have not ended. */
  unfinished: number[]
}

const countMoves = statement<[], Moves>({
  name: 'count_moves',
  connection: 'read',
  sql: `select coalesce(sum(moves), 0)::float8 as begun, coalesce(array_agg(id::float8 order by id) filter (where state <> 'settled'), '{}') as unfinished
   from moved_tenants`,
})

/** The moves so far. Rows that are read shard by shard are all read if no move was unfinished before, and none was begun since. */
export async function readMoves(directory: Queryable): Promise<Moves> {
  return (await directory.runOne(countMoves, [])) ?? { begun: 0, unfinished: [] }
}

/** The connection string of a shard. Throws when `ENCRYPTION_KEY` is not the one with which it was added. */
export function urlOf({ id, url_ciphertext: ciphertext }: ShardRow, encryption: Encryption): string {
  if (ciphertext === null) throw new Error(`Shard ${id} has no address of its own`)
  try {
    return encryption.decrypt(ciphertext)
  } catch (cause) {
    throw new Error(`ENCRYPTION_KEY: cannot decrypt the address of shard ${id}`, { cause })
  }
}

const readFirstId = statement<[], { first_id: number }>({
  name: 'read_first_tenant_id',
  connection: 'read',
  sql: `select seqmin as first_id from pg_sequence where seqrelid = 'tenants_id_seq'::regclass`,
})

/** Throws unless the database hands out the tenant ids of this shard: an address may lead to another database than the one that was added. */
export async function requireRange(db: Queryable, { id, first_tenant_id }: ShardRow): Promise<void> {
  const row = await db.runOne(readFirstId, [])
  if (row?.first_id !== first_tenant_id) throw new Error(`The database at the address of shard ${id} is not that shard`)
}

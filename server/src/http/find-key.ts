import { findCaller, type KnownKey, tenantOfKey, tenantOfMovedKey } from '../domain/api-keys/index.ts'
import { readInShard } from '../shards/read-in-shard.ts'
import type { Shards } from '../shards/shards.ts'

/**
 * The key with this value, in the shard of its tenant. A key that names no tenant is in the directory, unless its tenant was moved: only then, or when
 * there is no such key, the directory is asked for the tenant.
 */
export async function findKey(shards: Shards, value: string): Promise<KnownKey | undefined> {
  const { directory } = shards
  const named = tenantOfKey(value)
  if (named !== undefined) return await readInShard(shards, named, (db) => findCaller(db, value))
  const known = await findCaller(directory, value)
  if (!shards.areSeveral || (known !== undefined && shards.isIn(known.caller.tenantId, directory))) return known
  // A copy of the key can be in the directory while its tenant is moved there.
  const tenantId = known?.caller.tenantId ?? (await tenantOfMovedKey(directory, value))
  return tenantId === undefined ? undefined : await readInShard(shards, tenantId, (db) => findCaller(db, value))
}

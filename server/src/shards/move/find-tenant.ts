import { noShard } from '../change-shards.ts'
import type { OpenedShard, OpenShards } from '../open-shards.ts'
import type { Shard } from '../shards.ts'
import type { MoveRow } from './registry.ts'
import { type Side, withSides } from './side.ts'

/** A tenant and its shard. */
export interface FoundTenant {
  /** Of its shard. */
  id: number
  name: string
  state: MoveRow['state']
}

/** The tenant, as the directory knows it now. */
export async function findTenant(shards: OpenShards, tenantId: number): Promise<FoundTenant> {
  const moved = await shards.directory.dedicatedPool.query('select shard_id, state from moved_tenants where id = $1', [tenantId])
  const { shard_id: shardId, state = 'settled' } = moved.rows[0] ?? {}
  const { id, db } = shardId === undefined ? shardByRange(shards, tenantId) : reachable(shards, shardId)
  const { rows } = await db.dedicatedPool.query('select name, sandbox_of from tenants where id = $1', [tenantId])
  if (rows[0] === undefined) throw new Error(`There is no tenant ${tenantId}; tenants list shows them`)
  if (rows[0].sandbox_of !== null)
    throw new Error(`${tenantId} is the sandbox of tenant ${rows[0].sandbox_of}, and moves with it`)
  return { id, name: rows[0].name, state }
}

function shardByRange(shards: OpenShards, tenantId: number): Shard {
  const db = shards.of(tenantId)
  const { id } = shards.opened.find((shard) => shard.db === db) as OpenedShard
  return { id, db }
}

/** The same as `withSides`, for shards given by id. Throws if there is no such shard, or it cannot be reached. */
export async function withShards<T>(
  shards: OpenShards,
  sourceId: number,
  targetId: number,
  work: (source: Side, target: Side) => Promise<T>,
): Promise<T> {
  return await withSides(reachable(shards, sourceId), reachable(shards, targetId), work)
}

function reachable({ opened }: OpenShards, id: number): Shard {
  const shard = opened.find((one) => one.id === id)
  if (shard === undefined) throw noShard(id)
  if (shard.db === undefined) throw new Error(`Shard ${id} cannot be reached`)
  return { id, db: shard.db }
}

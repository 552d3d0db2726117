import type { Database } from '../database/database.ts'
import type { Shards } from './shards.ts'

/** Groups items by the database of their tenant. Items whose shard was never reached are left out and reported to `onError`. */
export function byShard<T extends { tenantId: number }>(
  shards: Pick<Shards, 'of'>,
  items: Iterable<T>,
  onError: (error: unknown) => void,
): Map<Database, T[]> {
  const found = new Map<Database, T[]>()
  for (const item of items) {
    try {
      const db = shards.of(item.tenantId)
      const ofShard = found.get(db)
      if (ofShard === undefined) found.set(db, [item])
      else ofShard.push(item)
    } catch (error) {
      onError(error)
    }
  }
  return found
}

import type { Database } from '../database/database.ts'
import type { Shards } from './shards.ts'

/** What belongs to tenants, by the databases of these. What belongs to one whose database was never reached is left out, and reported. */
export function byShard<T extends { tenantId: number }>(
  shards: Pick<Shards, 'of'>,
  all: Iterable<T>,
  onError: (error: unknown) => void,
): Map<Database, T[]> {
  const found = new Map<Database, T[]>()
  for (const one of all) {
    try {
      const db = shards.of(one.tenantId)
      const ofShard = found.get(db)
      if (ofShard === undefined) found.set(db, [one])
      else ofShard.push(one)
    } catch (error) {
      onError(error)
    }
  }
  return found
}

import type { Queryable } from '../database/database.ts'
import { readShardMap } from './shard-map.ts'
import { DIRECTORY } from './shards.ts'

/**
 * Warns of ids in `SHARDS` that no shard has: the process would do no work for a shard whose id was mistyped. This is no error, because a shard
 * can be added later.
 */
export async function warnOfUnknownShards(
  directory: Queryable,
  ids: readonly number[],
  log: { warn(line: string): void },
): Promise<void> {
  const known = new Set([DIRECTORY, ...(await readShardMap(directory)).map(({ id }) => id)])
  const unknown = new Set(ids.filter((id) => !known.has(id)))
  if (unknown.size === 0) return
  const list = (some: ReadonlySet<number>): string => [...some].join(', ')
  log.warn(
    `SHARDS: no shard has the id ${list(unknown)}; there are ${list(known)}. A shard that is added later is used without a restart`,
  )
}

import type { Queryable } from '../database.ts'
import { trySystemLock } from '../locks.ts'
import { statement, type Statement } from '../statements/statement.ts'
import type { Rollup } from './rollup.ts'

/** Keeps a transaction short. */
const BATCH = 10_000
/** Lists add up the changes that are not folded yet, so a busy tenant must not accumulate them. */
const MAX_BATCHES = 10

const takeLock = statement<[], { taken: boolean }>({
  name: 'take_fold_lock',
  connection: 'write',
  sql: `select ${trySystemLock('fold')} as taken`,
})

/** What is folded together. */
export interface Rollups {
  rollups: readonly Rollup[]
  /** The positions of those that have changes. */
  findChanged: Statement<[], { changed: number[] }>
}

/** All rollups that `foldRollups` folds. Made once. */
export function rollupsOf(rollups: readonly Rollup[]): Rollups {
  const positions = rollups.map(({ changes }, position) => `case when exists (select from ${changes}) then ${position} end`)
  return {
    rollups,
    findChanged: statement<[], { changed: number[] }>({
      name: 'find_changed_rollups',
      // Not on a shared connection: where many changes were just folded, it passes over what is left of them.
      connection: 'slow',
      notNull: ['changed'],
      sql: `select array_remove(array[${positions.join(', ')}], null) as changed`,
    }),
  }
}

/**
 * Folds count changes into the rollups that lists read, and returns their number. The next call folds what exceeds the limit. Totals are
 * the same before and after. Does nothing while another process folds. Mostly nothing has changed, which takes one statement.
 */
export async function foldRollups(db: Queryable, { rollups, findChanged }: Rollups): Promise<number> {
  const changed = (await db.runOne(findChanged, []))?.changed ?? []
  const kinds = changed.map((position) => rollups[position] as Rollup)
  let total = 0
  for (let batches = 1; kinds.length > 0 && batches <= MAX_BATCHES; batches++) {
    const folded = await foldBatch(db, kinds)
    total += folded.reduce((sum, count) => sum + count, 0)
    if (!folded.includes(BATCH)) break
  }
  return total
}

/** Number of changes folded, by kind. */
async function foldBatch(db: Queryable, rollups: readonly Rollup[]): Promise<number[]> {
  return await db.transaction(async (tx) => {
    const lock = await tx.runOne(takeLock, [])
    if (lock?.taken !== true) return []
    const folded: number[] = []
    for (const { fold } of rollups) folded.push((await tx.runOne(fold, [BATCH]))?.folded ?? 0)
    return folded
  })
}

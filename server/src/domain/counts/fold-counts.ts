import type { Queryable } from '../../database/database.ts'
import { trySystemLock } from '../../database/locks.ts'
import { statement, type Statement } from '../../database/statements/statement.ts'

/** Keeps a transaction short. */
const BATCH = 5_000
/** Lists add up the changes that are not folded yet, so a busy tenant must not accumulate them. */
const MAX_BATCHES = 20

const takeLock = statement<[], { taken: boolean }>({
  name: 'take_fold_lock',
  lane: 'write',
  sql: `select ${trySystemLock('fold')} as taken`,
})

/** Folds one kind of count: takes up to a batch of changes and adds them to the rollups. */
export type Rollup = Statement<[batch: number], { folded: number }>

/**
 * Folds count changes into the rollups that lists read, and returns their number. The next call folds what exceeds the limit. Totals are
 * the same before and after. Does nothing while another process folds.
 */
export async function foldCounts(db: Queryable, rollups: readonly Rollup[]): Promise<number> {
  let total = 0
  for (let batches = 1; batches <= MAX_BATCHES; batches++) {
    const folded = await foldBatch(db, rollups)
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
    for (const fold of rollups) folded.push((await tx.runOne(fold, [BATCH]))?.folded ?? 0)
    return folded
  })
}

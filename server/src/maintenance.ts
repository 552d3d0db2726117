import { analyzeGrownTables } from './database/analyze-grown-tables.ts'
import type { Database, Queryable } from './database/database.ts'
import { createPartitions, hasPartitions, maintainPartitions } from './database/partitions/maintain-partitions.ts'
import { foldRollups, rollupsOf } from './database/rollups/fold-rollups.ts'
import { removePastWindows } from './http/limits/request-allowance.ts'
import { expireResponses } from './procedures/idempotency/expire-responses.ts'
import type { Slice, SliceTask } from './procedures/slice.ts'
import { HOUR_MS, MINUTE_MS, type PeriodicTask, repeat } from './runtime/periodic.ts'
import { SLICES } from './slices.ts'

const FOLD_INTERVAL_MS = 1_000
const ANALYZE_INTERVAL_MS = 2_000
/** Delay of the first run, whose statements would slow down the start. */
const DELAY_MS = 1_000

const slices: readonly Slice[] = SLICES
const rollups = rollupsOf(slices.flatMap((slice) => slice.rollups ?? []))
const partitions = slices.flatMap((slice) => slice.partitions ?? [])
const tasksOfSlices = slices.flatMap((slice) => slice.tasks ?? [])

/** Folds the count changes of all slices into their rollups, and returns their number. */
export const foldAllCounts = (db: Queryable): Promise<number> => foldRollups(db, rollups)

/** Creates and drops the daily partitions of all slices. */
export const maintainAllPartitions = (db: Queryable): Promise<void> => maintainPartitions(db, partitions)

/** Creates missing partitions of the next days. Usually none is missing, and a start runs one query. */
export async function ensurePartitions(db: Queryable): Promise<void> {
  if (!(await hasPartitions(db, partitions))) await createPartitions(db, partitions)
}

/** Every process runs maintenance; of each task, one process at a time does the work. */
export function startMaintenance(db: Database, onError: (error: unknown) => void): PeriodicTask[] {
  const every = (intervalMs: number, run: SliceTask['run']): PeriodicTask =>
    repeat(intervalMs, (stopping) => run(db, stopping, onError), onError, DELAY_MS)
  return [
    every(FOLD_INTERVAL_MS, foldAllCounts),
    every(ANALYZE_INTERVAL_MS, analyzeGrownTables),
    every(MINUTE_MS, expireResponses),
    every(MINUTE_MS, removePastWindows),
    every(HOUR_MS, maintainAllPartitions),
    ...tasksOfSlices.map(({ everyMs, run }) => every(everyMs, run)),
  ]
}

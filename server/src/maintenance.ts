import { analyzeGrownTables } from './database/analyze-grown-tables.ts'
import type { Database, Queryable } from './database/database.ts'
import { createPartitions, hasPartitions, maintainPartitions } from './database/partitions/maintain-partitions.ts'
import { putBackEvents } from './delivery/index.ts'
import { removeOldCalls } from './domain/audit/index.ts'
import { foldRollups, rollupsOf } from './database/rollups/fold-rollups.ts'
import { removeOldOrderEvents } from './domain/events/index.ts'
import { removeOldHours } from './domain/reports/slice.ts'
import { settleRest, switchReserving } from './domain/reservations/slice.ts'
import { removeOldSessions } from './domain/sessions/slice.ts'
import { recountStocked } from './domain/stock/index.ts'
import { clearDeletedSubscriptions } from './domain/webhooks/index.ts'
import { removePastWindows } from './http/limits/request-allowance.ts'
import { expireResponses } from './procedures/idempotency/expire-responses.ts'
import type { Slice } from './procedures/slice.ts'
import { repeat, type PeriodicTask } from './runtime/periodic.ts'
import { SLICES } from './slices.ts'

const FOLD_INTERVAL_MS = 1_000
const ANALYZE_INTERVAL_MS = 2_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const CLEAR_INTERVAL_MS = 10_000
const PUT_BACK_INTERVAL_MS = 60_000
const SETTLE_INTERVAL_MS = 1_000
const SWITCH_INTERVAL_MS = 500
/** Delay of the first run, whose statements would slow down the start. */
const DELAY_MS = 1_000

const slices: readonly Slice[] = SLICES
const rollups = rollupsOf(slices.flatMap((slice) => slice.rollups ?? []))
const partitions = slices.flatMap((slice) => slice.partitions ?? [])

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
  return [
    repeat(FOLD_INTERVAL_MS, () => foldAllCounts(db), onError, DELAY_MS),
    repeat(ANALYZE_INTERVAL_MS, () => analyzeGrownTables(db), onError, DELAY_MS),
    repeat(MINUTE_MS, (stopping) => expireResponses(db, stopping), onError, DELAY_MS),
    repeat(MINUTE_MS, (stopping) => removePastWindows(db, stopping), onError, DELAY_MS),
    repeat(HOUR_MS, () => maintainAllPartitions(db), onError, DELAY_MS),
    repeat(HOUR_MS, (stopping) => removeOldSessions(db, stopping), onError, DELAY_MS),
    repeat(HOUR_MS, (stopping) => removeOldHours(db, stopping), onError, DELAY_MS),
    repeat(HOUR_MS, (stopping) => removeOldOrderEvents(db, stopping), onError, DELAY_MS),
    repeat(HOUR_MS, (stopping) => removeOldCalls(db, stopping), onError, DELAY_MS),
    repeat(HOUR_MS, () => recountStocked(db), onError, DELAY_MS),
    repeat(CLEAR_INTERVAL_MS, (stopping) => clearDeletedSubscriptions(db, stopping), onError, DELAY_MS),
    repeat(PUT_BACK_INTERVAL_MS, () => putBackEvents(db), onError, DELAY_MS),
    repeat(SETTLE_INTERVAL_MS, (stopping) => settleRest(db, stopping, onError), onError, DELAY_MS),
    repeat(SWITCH_INTERVAL_MS, (stopping) => switchReserving(db, stopping, onError), onError, DELAY_MS),
  ]
}

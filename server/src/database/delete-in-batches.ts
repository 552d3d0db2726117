import type { Queryable } from './database.ts'
import type { Statement } from './statements/statement.ts'

/** Runs a statement that deletes at most `batch` rows and returns their number, until it finds fewer, or until `stopping` aborts. */
export async function deleteInBatches(
  db: Pick<Queryable, 'runOne'>,
  statement: Statement<[], { removed: number }>,
  batch: number,
  stopping: AbortSignal,
): Promise<void> {
  let removed = batch
  while (removed === batch && !stopping.aborted) removed = (await db.runOne(statement, []))?.removed ?? 0
}

import type { Queryable } from './database.ts'
import { statement, type Statement } from './statements/statement.ts'

/** Deletes rows a batch at a time. */
export interface BatchedDeletion {
  statement: Statement<[], { removed: number }>
  batch: number
}

/**
 * Deletes `batch` rows of `table` at a time. `rows` is SQL for which ones and in what order: what follows `from`. Of several processes, none
 * waits for another.
 */
export function batchedDeletion(name: string, table: string, rows: string, batch: number): BatchedDeletion {
  return {
    statement: statement({
      name,
      connection: 'bulk',
      sql: `with removed as (
     delete from ${table} where ctid = any (array(select ctid from ${rows} limit ${batch} for update skip locked)) returning 1
   )
   select count(*) as removed from removed`,
    }),
    batch,
  }
}

/** Deletes until a batch is not full, or until `stopping` aborts. */
export async function deleteInBatches(
  db: Pick<Queryable, 'runOne'>,
  { statement, batch }: BatchedDeletion,
  stopping: AbortSignal,
): Promise<void> {
  let removed = batch
  while (removed === batch && !stopping.aborted) removed = (await db.runOne(statement, []))?.removed ?? 0
}

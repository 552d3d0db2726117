import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'

/**
 * The engine's statements join a handful of rows with tables that may be empty or hold millions, by keys that are indexed. Their plans
 * are kept, so one made while a table was small must not read it whole when it has grown.
 */
const useIndexes = statement<[], unknown>(
  'use_indexes',
  `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
)

/** A transaction in which the planner joins by index. */
export async function indexedTransaction<T>(db: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return await db.transaction(async (tx) => {
    await tx.run(useIndexes, [])
    return await work(tx)
  })
}

import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'

/** Rows per statement: about a twentieth of a second on one connection. */
const PIECE = 5_000

/**
 * Finds rows by ctid, which every plan looks up directly. Skips rows that another process is deleting or a request uses. The index is
 * ordered by age, so each statement continues where the previous one ended.
 */
const deleteExpired = statement<[limit: number], { deleted: number }>({
  name: 'delete_expired_responses',
  connection: 'write',
  sql: `with deleted as (
     delete from idempotency_keys where ctid = any (array(
       select ctid from idempotency_keys where created_at < now() - interval '24 hours' order by created_at limit $1::bigint
       for update skip locked
     ))
     returning 1
   )
   select count(*) as deleted from deleted`,
})

/** Deletes expired responses in batches until none is left or `stopping` aborts. */
export async function expireResponses(db: Queryable, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const [piece] = await db.run(deleteExpired, [PIECE])
    if ((piece?.deleted ?? 0) < PIECE) return
  }
}

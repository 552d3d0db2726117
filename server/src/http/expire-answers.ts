import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** Rows of a statement: about a twentieth of a second of one connection. */
const PIECE = 5_000

/**
 * Finds rows by their place in the table, in any plan. What another server process is deleting, or a caller uses, is passed over. The
 * rows' ages are in the order of the index, so each piece begins where the one before it ended.
 */
const deleteExpired = statement<[limit: number], { deleted: number }>(
  'delete_expired_answers',
  `with deleted as (
     delete from idempotency_keys where ctid = any (array(
       select ctid from idempotency_keys where created_at < now() - interval '24 hours' order by created_at limit $1::bigint
       for update skip locked
     ))
     returning 1
   )
   select count(*) as deleted from deleted`,
)

/** Deletes stored answers that no request can get any more, piece by piece until none is left or `stopping` says so. */
export async function expireAnswers(db: Queryable, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const [piece] = await db.runApart(deleteExpired, [PIECE])
    if ((piece?.deleted ?? 0) < PIECE) return
  }
}

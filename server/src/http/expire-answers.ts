import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'

const deleteExpired = statement<[], never>(
  'delete_expired_answers',
  `delete from idempotency_keys where (tenant_id, key) in
     (select tenant_id, key from idempotency_keys where created_at < now() - interval '24 hours' limit 10000)`,
)

/** Deletes stored answers that no request can get any more. */
export async function expireAnswers(db: Queryable): Promise<void> {
  await db.run(deleteExpired, [])
}

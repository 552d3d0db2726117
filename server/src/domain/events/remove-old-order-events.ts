import type { Queryable } from '../../database/database.ts'
import { batchedDeletion, deleteInBatches } from '../../database/delete-in-batches.ts'

const OLD = batchedDeletion(
  'remove_old_order_events',
  'order_events',
  `order_events where created_at < now() - interval '30 days' order by created_at`,
  5_000,
)

/** Deletes the list of events by order after 30 days. */
export async function removeOldOrderEvents(db: Queryable, stopping: AbortSignal): Promise<void> {
  await deleteInBatches(db, OLD, stopping)
}

import type { Queryable } from '../../database/database.ts'
import { batchedDeletion, deleteInBatches } from '../../database/delete-in-batches.ts'
import { EVENT_DAYS_KEPT } from '../../database/retention.ts'

const OLD = batchedDeletion(
  'remove_old_order_events',
  'order_events',
  `order_events where created_at < now() - interval '${EVENT_DAYS_KEPT} days' order by created_at`,
  5_000,
)

/** Deletes from the list of events by order what is older than the events. */
export async function removeOldOrderEvents(db: Queryable, stopping: AbortSignal): Promise<void> {
  await deleteInBatches(db, OLD, stopping)
}

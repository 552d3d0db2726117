import type { Queryable } from '../../database/database.ts'
import { batchedDeletion, deleteInBatches } from '../../database/delete-in-batches.ts'
import { DEVICE_MAX_DAYS } from './device-life.ts'

/** How long ended sessions and used codes are kept, and how many are deleted at once. */
const KEPT = `interval '30 days'`
const BATCH = 1_000

const OLD = [
  batchedDeletion('remove_old_sessions', 'sessions', `sessions where least(ended_at, expires_at) < now() - ${KEPT}`, BATCH),
  batchedDeletion('remove_old_sign_in_codes', 'sign_in_codes', `sign_in_codes where expires_at < now() - ${KEPT}`, BATCH),
  // With their operators. The last session of such a device has ended before.
  batchedDeletion(
    'remove_old_devices',
    'devices',
    `devices where enrolled_at < now() - interval '${DEVICE_MAX_DAYS} days' - ${KEPT}`,
    BATCH,
  ),
]

/** Deletes sessions, codes and devices 30 days after they ended. */
export async function removeOldSessions(db: Queryable, stopping: AbortSignal): Promise<void> {
  for (const old of OLD) await deleteInBatches(db, old, stopping)
}

import type { Queryable } from '../../database/database.ts'
import { deleteInBatches } from '../../database/delete-in-batches.ts'
import { statement } from '../../database/statements/statement.ts'
import { DEVICE_MAX_DAYS } from './device-life.ts'

/** How long ended sessions and used codes are kept, and how many are deleted at once. */
const KEPT = `interval '30 days'`
const BATCH = 1_000

const deleteSessions = statement<[], { removed: number }>({
  name: 'remove_old_sessions',
  lane: 'bulk',
  sql: `with removed as (
     delete from sessions where ctid = any (array(
       select ctid from sessions where least(ended_at, expires_at) < now() - ${KEPT} limit ${BATCH} for update skip locked
     )) returning 1
   )
   select count(*) as removed from removed`,
})

const deleteCodes = statement<[], { removed: number }>({
  name: 'remove_old_sign_in_codes',
  lane: 'bulk',
  sql: `with removed as (
     delete from sign_in_codes where ctid = any (array(
       select ctid from sign_in_codes where expires_at < now() - ${KEPT} limit ${BATCH} for update skip locked
     )) returning 1
   )
   select count(*) as removed from removed`,
})

/** With their operators. Its last session has ended before. */
const deleteDevices = statement<[], { removed: number }>({
  name: 'remove_old_devices',
  lane: 'bulk',
  sql: `with removed as (
     delete from devices where ctid = any (array(
       select ctid from devices where enrolled_at < now() - interval '${DEVICE_MAX_DAYS} days' - ${KEPT} limit ${BATCH} for update skip locked
     )) returning 1
   )
   select count(*) as removed from removed`,
})

/** Deletes sessions, codes and devices 30 days after they ended. Of several processes, none waits for another. */
export async function removeOldSessions(db: Queryable, stopping: AbortSignal): Promise<void> {
  await deleteInBatches(db, deleteSessions, BATCH, stopping)
  await deleteInBatches(db, deleteCodes, BATCH, stopping)
  await deleteInBatches(db, deleteDevices, BATCH, stopping)
}

import type { Queryable } from '../../database/database.ts'
import { deleteInBatches } from '../../database/delete-in-batches.ts'
import { statement } from '../../database/statements/statement.ts'

const KEPT = `interval '90 days'`
const BATCH = 5_000

/** By the primary key of each tenant, so that the table needs no other index. */
const deleteUsage = statement<[], { removed: number }>({
  name: 'remove_old_usage',
  lane: 'bulk',
  sql: `with removed as (
     delete from usage_hours where ctid = any (array(
       select u.ctid from tenants t cross join lateral (
         select ctid from usage_hours where tenant_id = t.id and at < now() - ${KEPT} order by at limit ${BATCH} for update skip locked
       ) u limit ${BATCH}
     )) returning 1
   )
   select count(*) as removed from removed`,
})

/** Deletes counts of requests after 90 days. Of several processes, none waits for another. */
export async function removeOldUsage(db: Queryable, stopping: AbortSignal): Promise<void> {
  await deleteInBatches(db, deleteUsage, BATCH, stopping)
}

import type { Queryable } from '../../database/database.ts'
import { deleteInBatches } from '../../database/delete-in-batches.ts'
import { statement } from '../../database/statements/statement.ts'

const KEPT = `interval '90 days'`
const BATCH = 5_000

/** By the primary key of each tenant, so that the table needs no other index. */
const deleteOld = (table: 'usage_hours' | 'delivery_hours') =>
  statement<[], { removed: number }>({
    name: `remove_old_${table}`,
    lane: 'bulk',
    sql: `with removed as (
     delete from ${table} where ctid = any (array(
       select h.ctid from tenants t cross join lateral (
         select ctid from ${table} where tenant_id = t.id and at < now() - ${KEPT} order by at limit ${BATCH} for update skip locked
       ) h limit ${BATCH}
     )) returning 1
   )
   select count(*) as removed from removed`,
  })

const STATEMENTS = [deleteOld('usage_hours'), deleteOld('delivery_hours')]

/** Deletes counts by the hour after 90 days. Of several processes, none waits for another. */
export async function removeOldHours(db: Queryable, stopping: AbortSignal): Promise<void> {
  for (const statement of STATEMENTS) await deleteInBatches(db, statement, BATCH, stopping)
}

import type { Queryable } from '../../database/database.ts'
import { type BatchedDeletion, deleteInBatches } from '../../database/delete-in-batches.ts'
import { statement } from '../../database/statements/statement.ts'

const KEPT = `interval '90 days'`
const BATCH = 5_000

/** By the primary key of each tenant, so that the table needs no other index. */
const oldOf = (table: 'usage_hours' | 'delivery_hours'): BatchedDeletion => ({
  statement: statement({
    name: `remove_old_${table}`,
    connection: 'bulk',
    sql: `with removed as (
     delete from ${table} where ctid = any (array(
       select h.ctid from tenants t cross join lateral (
         select ctid from ${table} where tenant_id = t.id and at < now() - ${KEPT} order by at limit ${BATCH} for update skip locked
       ) h limit ${BATCH}
     )) returning 1
   )
   select count(*) as removed from removed`,
  }),
  batch: BATCH,
})

const OLD = [oldOf('usage_hours'), oldOf('delivery_hours')]

/** Deletes counts by the hour after 90 days. Of several processes, none waits for another. */
export async function removeOldHours(db: Queryable, stopping: AbortSignal): Promise<void> {
  for (const old of OLD) await deleteInBatches(db, old, stopping)
}

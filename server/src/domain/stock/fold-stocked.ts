import type { Queryable } from '../../database/database.ts'
import { trySystemLock } from '../../database/locks.ts'
import { statement } from '../../database/statements/statement.ts'
import { rollup } from '../../database/rollups/rollup.ts'

const rollUpStocked = `
   insert into stocked_totals (tenant_id, warehouse_id, count)
   select tenant_id, warehouse_id, sum(change) from taken group by tenant_id, warehouse_id having sum(change) <> 0
   on conflict (tenant_id, warehouse_id) do update set count = stocked_totals.count + excluded.count`

/** Counts the products in warehouses with something on hand. */
export const foldStocked = rollup({
  name: 'fold_stocked_counts',
  changes: 'stocked_count_changes',
  ctes: `by_warehouse as (${rollUpStocked}
   )`,
})

const takeLock = statement<[], { taken: boolean }>({
  name: 'take_recount_lock',
  connection: 'write',
  sql: `select ${trySystemLock('fold')} as taken`,
})

// Totals and existing counts are read in one snapshot, so changes made meanwhile are counted once.
const recount = statement<[], never>({
  name: 'recount_stocked',
  connection: 'bulk',
  sql: `insert into stocked_count_changes (tenant_id, warehouse_id, change)
   select tenant_id, warehouse_id, sum(n) from (
     select tenant_id, warehouse_id, count(*) as n from warehouse_stock where quantity <> 0 group by tenant_id, warehouse_id
     union all
     select tenant_id, warehouse_id, -count from stocked_totals
     union all
     select tenant_id, warehouse_id, -change from stocked_count_changes
   ) c
   group by tenant_id, warehouse_id having sum(n) <> 0`,
})

/** So many that the transaction runs over a connection for bulk writes: it reads the totals of all tenants. */
const ROWS_OF_RECOUNT = 100_000

/** Corrects the counts. They become wrong as long as processes of a former release run, which change stock without counting. */
export async function recountStocked(db: Queryable): Promise<void> {
  await db.transaction(
    async (tx) => {
      // Begins after the lock is taken, so it sees what another process has counted.
      if ((await tx.runOne(takeLock, []))?.taken === true) await tx.run(recount, [])
    },
    { rows: ROWS_OF_RECOUNT },
  )
}

import type { Queryable } from '../database/database.ts'
import { trySystemLock } from '../database/locks.ts'
import { statement } from '../database/statement.ts'

/** Keeps a transaction short. */
const BATCH = 5_000
/** Lists add up what is not folded yet: a tenant that changes very much must not leave more and more of it. */
const MAX_BATCHES = 20

const takeLock = statement<[], { taken: boolean }>('take_fold_lock', `select ${trySystemLock('fold')} as taken`)

// A row is taken out and counted in the same transaction, so every snapshot holds it once: as a change or in the rollups.
const taken = (table: string): string =>
  `taken as (delete from ${table} where ctid = any (array(select ctid from ${table} limit $1::int)) returning *)`

const rollUp = (table: string, columns: string): string => `
   insert into ${table} (${columns}, count)
   select ${columns}, sum(change) from (select *, date_trunc('month', created_day::timestamp)::date as created_month from taken) t
   group by ${columns} having sum(change) <> 0
   on conflict (${columns}) do update set count = ${table}.count + excluded.count`

const foldOrders = statement<[batch: number], { folded: number }>(
  'fold_order_counts',
  `with ${taken('order_count_changes')}, by_state as (${rollUp('order_totals', 'tenant_id, state_id')}
   ), by_day as (${rollUp('order_counts', 'tenant_id, created_day, state_id')}
   ), by_month as (${rollUp('order_month_counts', 'tenant_id, created_month, state_id')}
   ), by_assembly_date as (${rollUp('order_assembly_counts', 'tenant_id, assembly_date, created_day, state_id')}
   )
   select count(*) as folded from taken`,
)

const foldMovements = statement<[batch: number], { folded: number }>(
  'fold_movement_counts',
  `with ${taken('movement_count_changes')}, by_type as (${rollUp('movement_counts', 'tenant_id, created_day, movement_type')}
   ), by_product as (${rollUp('movement_product_counts', 'tenant_id, product_id, location_id, created_day, movement_type')}
   ), by_location as (${rollUp('movement_location_counts', 'tenant_id, location_id, created_day, movement_type')}
   ), by_month as (${rollUp('movement_month_counts', 'tenant_id, created_month, movement_type')}
   ), by_product_and_month as (${rollUp('movement_product_month_counts', 'tenant_id, product_id, location_id, created_month, movement_type')}
   ), by_location_and_month as (${rollUp('movement_location_month_counts', 'tenant_id, location_id, created_month, movement_type')}
   )
   select count(*) as folded from taken`,
)

const rollUpFlows = `
   insert into flow_totals (tenant_id, state, count)
   select tenant_id, state, sum(change) from taken group by tenant_id, state having sum(change) <> 0
   on conflict (tenant_id, state) do update set count = flow_totals.count + excluded.count`

const foldFlows = statement<[batch: number], { folded: number }>(
  'fold_flow_counts',
  `with ${taken('flow_count_changes')}, by_state as (${rollUpFlows}
   )
   select count(*) as folded from taken`,
)

/**
 * Folds the changes of order, movement and flow counts into the rollups that lists read, and returns how many; what is left when there are
 * very many is folded by the next call. Totals are the same before and after. Does nothing while another process folds.
 */
export async function foldCounts(db: Queryable): Promise<number> {
  let total = 0
  for (let batches = 1; batches <= MAX_BATCHES; batches++) {
    const folded = await foldBatch(db)
    total += folded.reduce((sum, count) => sum + count, 0)
    if (!folded.includes(BATCH)) break
  }
  return total
}

/** How many of each kind were folded. */
async function foldBatch(db: Queryable): Promise<number[]> {
  return await db.transaction(async (tx) => {
    const lock = await tx.runOne(takeLock, [])
    if (lock?.taken !== true) return []
    const folds = [foldOrders, foldMovements, foldFlows]
    const folded: number[] = []
    for (const fold of folds) folded.push((await tx.runOne(fold, [BATCH]))?.folded ?? 0)
    return folded
  })
}

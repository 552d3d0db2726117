import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Pause, Switching } from './switching.ts'

/** Rows changed by one statement. */
const PIECE = 1_000

const clearLines = statement<[tenantId: number, limit: number], { cleared: number }>({
  name: 'clear_order_reservations',
  connection: 'write',
  sql: `with removed as (
     delete from order_reservations where tenant_id = $1 and ctid = any (array(select ctid from order_reservations where tenant_id = $1 limit $2)) returning 1
   )
   select count(*) as cleared from removed`,
})

const clearSums = statement<[tenantId: number, limit: number], { cleared: number }>({
  name: 'clear_order_reservation_sums',
  connection: 'write',
  sql: `with removed as (
     delete from order_reservation_sums where tenant_id = $1 and ctid = any (array(select ctid from order_reservation_sums where tenant_id = $1 limit $2)) returning 1
   )
   select count(*) as cleared from removed`,
})

const releaseHolds = statement<[tenantId: number, limit: number], { cleared: number }>({
  name: 'release_all_holds',
  connection: 'write',
  sql: `with active as materialized (
     select id from holds where tenant_id = $1 and state = 'active' order by id limit $2 for no key update
   ), released as (
     update holds set state = case when expires_at <= clock_timestamp() then 'expired' else 'released' end, updated_at = clock_timestamp() where tenant_id = $1 and id = any (array(select id from active)) returning 1
   ), freed as (
     update hold_lines set reserved = 0 where tenant_id = $1 and hold_id = any (array(select id from active)) and reserved > 0
   )
   select count(*) as cleared from released`,
})

/** Totals by product and warehouse, from a product on. */
const clearTotals = statement<[tenantId: number, after: number, limit: number], { last: number | null }>({
  name: 'clear_reserved_totals',
  connection: 'write',
  sql: `with product as materialized (
     select product_id from warehouse_stock where tenant_id = $1 and product_id > $2 order by product_id limit $3
   ), locked as materialized (
     select product_id, warehouse_id from warehouse_stock
     where tenant_id = $1 and product_id = any (array(select product_id from product)) and (reserved <> 0 or backordered <> 0)
     order by product_id, warehouse_id for no key update
   ), cleared as (
     update warehouse_stock w set reserved = 0, held = 0, backordered = 0 from locked l
     where w.tenant_id = $1 and w.product_id = any (array(select product_id from locked)) and w.product_id = l.product_id and w.warehouse_id = l.warehouse_id
   )
   select max(product_id) as last from product`,
})

/**
 * Removes all reservations of a tenant and releases its holds. Meanwhile nobody else changes them: settling does nothing in this phase. True
 * when all is done.
 */
export async function clearReservations(db: Queryable, { tenantId }: Switching, pause: Pause): Promise<boolean> {
  for (const statement of [releaseHolds, clearLines, clearSums])
    for (;;) {
      const startedAt = performance.now()
      const row = await db.runOne(statement, [tenantId, PIECE])
      if (row === undefined || row.cleared === 0) break
      if (!(await pause(startedAt))) return false
    }
  for (let after = 0; ;) {
    const startedAt = performance.now()
    const row = await db.runOne(clearTotals, [tenantId, after, PIECE])
    if (row === undefined || row.last === null) return true
    after = row.last
    if (!(await pause(startedAt))) return false
  }
}

import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Pause, Switching } from './switching.ts'

/** Rows changed by one statement. Holds are released whole: those of a piece have fewer than this many lines without the last one, which has up to 1,000. */
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

/** Its result counts also holds that ended while it waited for them, so 0 means that none is left. */
const releaseHolds = statement<[tenantId: number, limit: number], { cleared: number }>({
  name: 'release_all_holds',
  connection: 'write',
  // One hold after the other, because counting the lines of all takes as long as releasing them.
  sql: `with recursive candidate as materialized (
     select id, row_number() over (order by id) as number
     from (select id from holds where tenant_id = $1 and state = 'active' order by id limit $2) first
   ), taken as (
     select 0::bigint as number, 0::bigint as lines
     union all
     select c.number, t.lines + (select count(*) from hold_lines where tenant_id = $1 and hold_id = c.id)
     from taken t join candidate c on c.number = t.number + 1 where t.lines < $2
   ), piece as materialized (
     select id from candidate where number <= (select max(number) from taken)
   ), active as materialized (
     select id from holds where tenant_id = $1 and state = 'active' and id = any (array(select id from piece)) order by id for no key update
   ), released as (
     update holds set state = case when expires_at <= clock_timestamp() then 'expired' else 'released' end, updated_at = clock_timestamp() where tenant_id = $1 and id = any (array(select id from active))
   ), freed as (
     update hold_lines set reserved = 0 where tenant_id = $1 and hold_id = any (array(select id from active)) and reserved > 0
   )
   select count(*) as cleared from piece`,
})

type Total = { product_id: number; warehouse_id: number }

/** Totals by product and warehouse, behind one of them. Returns the last of them. */
const clearTotals = statement<[tenantId: number, productId: number, warehouseId: number, limit: number], Total>({
  name: 'clear_reserved_totals',
  connection: 'write',
  sql: `with piece as materialized (
     select product_id, warehouse_id from warehouse_stock where tenant_id = $1 and (product_id, warehouse_id) > ($2, $3)
     order by product_id, warehouse_id limit $4
   ), locked as materialized (
     select w.product_id, w.warehouse_id from piece p
     join warehouse_stock w on w.tenant_id = $1 and w.product_id = p.product_id and w.warehouse_id = p.warehouse_id
     where w.product_id = any (array(select product_id from piece)) and (w.reserved <> 0 or w.backordered <> 0)
     order by w.product_id, w.warehouse_id for no key update of w
   ), cleared as (
     update warehouse_stock w set reserved = 0, held = 0, backordered = 0 from locked l
     where w.tenant_id = $1 and w.product_id = any (array(select product_id from locked)) and w.product_id = l.product_id and w.warehouse_id = l.warehouse_id
   )
   select product_id, warehouse_id from piece order by product_id desc, warehouse_id desc limit 1`,
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
  for (let after: Total = { product_id: 0, warehouse_id: 0 }; ;) {
    const startedAt = performance.now()
    const last = await db.runOne(clearTotals, [tenantId, after.product_id, after.warehouse_id, PIECE])
    if (last === undefined) return true
    after = last
    if (!(await pause(startedAt))) return false
  }
}

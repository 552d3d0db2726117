import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Pause, Switching } from './switching.ts'

/** Lines changed by one statement. */
const PIECE = 500

const nextTotals = statement<
  [tenantId: number, productId: number, warehouseId: number],
  { product_id: number; warehouse_id: number; is_unsettled: boolean }
>({
  name: 'list_totals_to_settle',
  lane: 'read',
  sql: `select product_id, warehouse_id, backordered > 0 and reserved < quantity - unsellable or reserved > quantity - unsellable as is_unsettled
   from warehouse_stock where tenant_id = $1 and (product_id, warehouse_id) > ($2::bigint, $3::bigint)
   order by product_id, warehouse_id limit 200`,
})

const settlePiece = statement<[tenantId: number, productId: number, warehouseId: number, limit: number], { orders: number }>({
  name: 'settle_piece',
  lane: 'write',
  sql: `select count(*) as orders
   from settle_reservations($1, array[$2::bigint], array[$3::bigint], '{}', '{}', '{}', false, null, $4::int)`,
})

const hasMore = statement<[tenantId: number, productId: number, warehouseId: number], { product_id: number }>({
  name: 'find_unsettled_total',
  lane: 'read',
  sql: 'select product_id from unsettled_stock where tenant_id = $1 and product_id = $2 and warehouse_id = $3',
})

/** Reserves for the backordered lines of all products, by rank. Sends no events. True when all is done. */
export async function settleAll(db: Queryable, { tenantId }: Switching, pause: Pause): Promise<boolean> {
  for (let at: readonly [number, number] = [0, 0]; ;) {
    const startedAt = performance.now()
    const totals = await db.run(nextTotals, [tenantId, ...at])
    const last = totals.at(-1)
    if (last === undefined) return true
    for (const { product_id, warehouse_id } of totals.filter(({ is_unsettled }) => is_unsettled))
      if (!(await settle(db, [tenantId, product_id, warehouse_id], pause))) return false
    at = [last.product_id, last.warehouse_id]
    if (!(await pause(startedAt))) return false
  }
}

async function settle(
  db: Queryable,
  total: readonly [tenantId: number, productId: number, warehouseId: number],
  pause: Pause,
): Promise<boolean> {
  do {
    const startedAt = performance.now()
    await db.run(settlePiece, [...total, PIECE])
    if (!(await pause(startedAt))) return false
  } while ((await db.run(hasMore, [...total])).length > 0)
  return true
}

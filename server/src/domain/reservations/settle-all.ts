import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Pause, Switching } from './switching.ts'

/** Lines changed by one statement, and totals that it locks. */
const PIECE = 500
const TOTALS = 25

interface Total {
  product_id: number
  warehouse_id: number
}

const nextTotals = statement<[tenantId: number, productId: number, warehouseId: number], Total & { is_unsettled: boolean }>({
  name: 'list_totals_to_settle',
  connection: 'read',
  sql: `select product_id, warehouse_id, backordered > 0 and reserved < quantity - unsellable or reserved > quantity - unsellable as is_unsettled
   from warehouse_stock where tenant_id = $1 and (product_id, warehouse_id) > ($2::bigint, $3::bigint)
   order by product_id, warehouse_id limit 200`,
})

const settlePiece = statement<
  [tenantId: number, productIds: number[], warehouseIds: number[], limit: number],
  { orders: number }
>({
  name: 'settle_piece',
  connection: 'write',
  sql: `select count(*) as orders
   from settle_reservations($1, $2::bigint[], $3::bigint[], '{}', '{}', '{}', false, null, $4::int)`,
})

const listLeft = statement<[tenantId: number, productIds: number[]], Total>({
  name: 'list_left_totals',
  connection: 'read',
  sql: 'select product_id, warehouse_id from unsettled_stock where tenant_id = $1 and product_id = any ($2::bigint[])',
})

/** Reserves for the backordered lines of all products, by rank. Sends no events. True when all is done. */
export async function settleAll(db: Queryable, { tenantId }: Switching, pause: Pause): Promise<boolean> {
  for (let at: readonly [number, number] = [0, 0]; ;) {
    const startedAt = performance.now()
    const totals = await db.run(nextTotals, [tenantId, ...at])
    const last = totals.at(-1)
    if (last === undefined) return true
    const unsettled = totals.filter(({ is_unsettled }) => is_unsettled)
    for (let first = 0; first < unsettled.length; first += TOTALS)
      if (!(await settle(db, tenantId, unsettled.slice(first, first + TOTALS), pause))) return false
    at = [last.product_id, last.warehouse_id]
    // Otherwise there was a pause after each piece.
    if (unsettled.length === 0 && !(await pause(startedAt))) return false
  }
}

/** Settles these totals, in several pieces if they have many lines. */
async function settle(db: Queryable, tenantId: number, totals: readonly Total[], pause: Pause): Promise<boolean> {
  for (let left = totals; left.length > 0;) {
    const startedAt = performance.now()
    const products = left.map(({ product_id: product }) => product)
    await db.run(settlePiece, [tenantId, products, left.map(({ warehouse_id: warehouse }) => warehouse), PIECE])
    if (!(await pause(startedAt))) return false
    left = await db.run(listLeft, [tenantId, products])
  }
  return true
}

import type { Queryable } from '../../database/database.ts'
import { isOfMovedTenant, isOfStatement } from '../../database/errors.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEvents } from '../events/index.ts'
import { NO_LINES, RESERVING, settled, withReservationEvents } from '../reserving/index.ts'

/** Products in warehouses of a tenant that one run settles: no tenant's backlog delays the others by more than this. */
const PIECE = 100

/** How long a tenant whose stock somebody locks delays the others. */
const LOCK_TIMEOUT_MS = 500

interface Unsettled {
  tenant_id: number
  product_id: number
  warehouse_id: number
}

const listUnsettled = statement<[limit: number], Unsettled>({
  name: 'list_unsettled',
  connection: 'read',
  // While reserving is switched, the job does the rest, and sends no events.
  sql: `select s.tenant_id, u.product_id, u.warehouse_id
   from tenant_settings s cross join lateral (
     (select product_id, warehouse_id from unsettled_stock
      where tenant_id = s.tenant_id and s.reservation_phase = 'ready' order by product_id, warehouse_id limit $1)
     union
     (select product_id, warehouse_id from hold_lines
      where tenant_id = s.tenant_id and reserved > 0 and expires_at <= clock_timestamp() order by expires_at limit $1)
   ) u
   where s.reservation_policy <> 'off' or s.reservation_phase <> 'ready'`,
})

const settleRestOf = statement<[tenantId: number, productId: number, warehouseId: number], never>({
  name: 'settle_rest',
  connection: 'write',
  // The time limit holds for this statement. It is set before the locks are taken, since it comes with what is settled.
  sql: `with ${RESERVING}, no_event as (
     select 0::bigint as position, '' as topic, '' as data where false
   ), ${settled({
     stock: `select $2::bigint as product_id, $3::bigint as warehouse_id from set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)`,
     lines: NO_LINES,
   })},
   ${recordEvents(withReservationEvents('no_event'))}
   select`,
})

/**
 * Settles what calls left because it was too much for them, and the lines of expired holds that no call dropped. What fails for a tenant is
 * reported, and does not keep the others.
 */
export async function settleRest(db: Queryable, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
  const failed = new Set<number>()
  for (const { tenant_id: tenant, product_id: product, warehouse_id: warehouse } of await db.run(listUnsettled, [PIECE])) {
    if (signal.aborted) break
    if (failed.has(tenant)) continue
    await db.run(settleRestOf, [tenant, product, warehouse]).catch((error: unknown) => {
      if (!isOfStatement(error)) throw error
      failed.add(tenant)
      // Its other shard settles.
      if (!isOfMovedTenant(error)) onError(error)
    })
  }
}

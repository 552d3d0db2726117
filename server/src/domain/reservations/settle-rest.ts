import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEvents } from '../events/index.ts'
import { NO_LINES, RESERVING, settled, withReservationEvents } from '../reserving/index.ts'

/** Products in warehouses that one run settles. */
const PIECE = 200

interface Unsettled {
  tenant_id: number
  product_id: number
  warehouse_id: number
}

const listUnsettled = statement<[limit: number], Unsettled>({
  name: 'list_unsettled',
  lane: 'read',
  // While reserving is switched, the job does the rest, and sends no events.
  sql: `(select tenant_id, product_id, warehouse_id from unsettled_stock u
    where not exists (select from tenant_settings s where s.tenant_id = u.tenant_id and s.reservation_phase <> 'ready') limit $1)
   union
   (select tenant_id, product_id, warehouse_id from hold_lines where reserved > 0 and expires_at <= clock_timestamp() order by expires_at limit $1)`,
})

const settleRestOf = statement<[tenantId: number, productId: number, warehouseId: number], never>({
  name: 'settle_rest',
  lane: 'write',
  sql: `with ${RESERVING}, no_event as (
     select 0::bigint as position, '' as topic, '' as data where false
   ), ${settled({ stock: 'select $2::bigint as product_id, $3::bigint as warehouse_id', lines: NO_LINES })},
   ${recordEvents(withReservationEvents('no_event'))}
   select`,
})

/**
 * Settles what calls left because it was too much for them, and the lines of expired holds that no call dropped. Returns the number of
 * products settled.
 */
export async function settleRest(db: Queryable, signal: AbortSignal): Promise<number> {
  const unsettled = await db.run(listUnsettled, [PIECE])
  for (const { tenant_id: tenant, product_id: product, warehouse_id: warehouse } of unsettled) {
    if (signal.aborted) break
    await db.run(settleRestOf, [tenant, product, warehouse])
  }
  return unsettled.length
}

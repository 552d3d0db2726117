import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEvents } from '../events/index.ts'
import { recordEventPosition } from '../records/index.ts'
import { PACKAGES_OF_RECORD, shipmentUpdatedData } from './shipment-json.ts'
import { statusOf } from './shipment-status.ts'

const cancelOpen = statement<[tenantId: number, orderId: number, reason: string | null], never>({
  name: 'cancel_shipments_of_order',
  connection: 'write',
  sql: `with cancelled as (
     update shipments set state = 'cancelled', cancelled_at = clock_timestamp(), updated_at = clock_timestamp(), cancellation_reason = $3::text
     where tenant_id = $1 and order_id = $2 and state = 'open'
     returning *
   ), status as materialized (
     -- None is open any more.
     select ${statusOf(`select state, total_quantity from shipments where tenant_id = $1 and order_id = $2 and state <> 'open'`)} as status
     from orders o where o.tenant_id = $1 and o.id = $2
   ), record_event as (
     select ${recordEventPosition('shipment', 'r.id')} as position, 'shipment/updated' as topic,
       ${shipmentUpdatedData(`'open'`, 's.status', PACKAGES_OF_RECORD)} as data
     from cancelled r cross join status s
   ), ${recordEvents('record_event')}
   select from cancelled`,
})

/** Cancels the open shipments of an order, in a transaction that has locked and cancelled it. The events follow those sent before. */
export async function cancelShipmentsOfOrder(
  tx: Queryable,
  tenantId: number,
  orderId: number,
  reason: string | null,
): Promise<void> {
  await tx.run(cancelOpen, [tenantId, orderId, reason])
}

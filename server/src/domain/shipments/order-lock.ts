import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { shipmentNotFound } from './read-shipment.ts'

/** An order that is locked until the end of the transaction. */
export interface LockedOrder {
  id: number
  state_id: number
}

const lockOrder = statement<[tenantId: number, shipmentId: number], LockedOrder>({
  name: 'lock_order_of_shipment',
  connection: 'write',
  sql: `select id, state_id from orders
   where tenant_id = $1 and id = (select order_id from shipments where tenant_id = $1 and id = $2) for no key update`,
})

/**
 * Locks the order of a shipment, in a transaction. Every change of a shipment does so first: what the order's shipments have together then
 * stays until the end, and its events have the status that follows from all of them. Throws `not_found`.
 */
export async function lockOrderOf(tx: Queryable, tenantId: number, shipmentId: number): Promise<LockedOrder> {
  const order = await tx.runOne(lockOrder, [tenantId, shipmentId])
  if (order === undefined) throw shipmentNotFound()
  return order
}

/** Whether nothing of the order can be packed or shipped. */
export const isCancelled = ({ state_id: state }: Pick<LockedOrder, 'state_id'>): boolean => state === ORDER_STATES.cancelled

/** Throws `shipment_error` if the order is cancelled. */
export function requireUncancelled(order: Pick<LockedOrder, 'state_id'>): void {
  if (isCancelled(order)) throw new ServiceError('shipment_error', 'The order is cancelled')
}

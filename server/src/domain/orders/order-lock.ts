import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { lockedOrder, PICKING_STATES } from '../order-states/index.ts'
import { cancelFlowOfOrder } from '../picking/index.ts'

/** An order that is locked until the end of the transaction. */
export interface LockedOrder {
  id: number
  state_id: number
  state_picking_id: number | null
  /** Whether it ever had a shipment; null for no. */
  has_shipments: boolean | null
}

/** Identifies an order: by its id or by the client's identifier. */
export interface OrderName {
  id: number | null
  orderTenantId: string | null
}

const selectLocked = statement<[tenantId: number, id: number | null, orderTenantId: string | null], LockedOrder>({
  name: 'lock_order',
  connection: 'write',
  sql: `with ${lockedOrder(
    `id = coalesce(
     (select id from orders where tenant_id = $1 and id = $2::bigint),
     (select id from orders where tenant_id = $1 and order_tenant_id = $3::text)
   )`,
    ', has_shipments',
  )}
   select id, state_id, state_picking_id, has_shipments from locked_order`,
})

/**
 * Locks an order, in a transaction, before anything else of it is locked or read ("Lock order" in docs/architecture.md). Throws `not_found`.
 */
export async function lockOrder({ db, caller }: RequestContext, name: OrderName): Promise<LockedOrder> {
  const order = await db.runOne(selectLocked, [caller.tenantId, name.id, name.orderTenantId])
  if (order === undefined) throw new ServiceError('not_found', 'Order not found')
  return order
}

/**
 * Locks an order to be cancelled, in a transaction, and cancels its running picking flow, if any. The caller must set `state_picking_id`
 * accordingly. Throws `not_found`, and `adjustment_error` when a location cannot hold the returned picks.
 */
export async function lockOrderToCancel(context: RequestContext, name: OrderName, reason: string | null): Promise<LockedOrder> {
  const order = await lockOrder(context, name)
  if (order.state_picking_id === PICKING_STATES.started) await cancelFlowOfOrder(context, { id: order.id, reason })
  return order
}

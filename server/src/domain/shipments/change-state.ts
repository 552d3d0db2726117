import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { recordEvents } from '../events/index.ts'
import { recordEventPosition } from '../records/index.ts'
import { isCancelled, type LockedOrder, lockOrderOf } from './order-lock.ts'
import { readShipment } from './read-shipment.ts'
import type { Shipment, ShipmentState } from './schemas.ts'
import { PACKAGES_OF_RECORD, shipmentUpdatedData } from './shipment-json.ts'
import { statusOf } from './shipment-status.ts'

/** The transitions by their new state: the states before it, a further condition on the shipment, and the column that keeps the time. */
const TRANSITIONS = {
  shipped: { from: ['open'], condition: ' and line_count > 0', at: 'shipped_at', needsOrder: true },
  delivered: { from: ['shipped'], condition: '', at: 'delivered_at', needsOrder: false },
  cancelled: { from: ['open', 'shipped'], condition: '', at: 'cancelled_at', needsOrder: false },
} as const

const STATUS = statusOf(`select state, total_quantity from shipments where tenant_id = $1 and order_id = o.id and id <> $2
         union all select state, total_quantity from changed`)

/**
 * The function that brings a shipment into a state, in a transaction. In that state, it changes nothing. Throws `not_found`, and
 * `shipment_error` in a state without such a transition, or when what it needs is missing.
 */
export function transitionTo(to: keyof typeof TRANSITIONS) {
  const { from, condition, at, needsOrder } = TRANSITIONS[to]
  const isAllowed = `state in (${from.map((state) => `'${state}'`).join(', ')})${condition}`
  const change = statement<
    [tenantId: number, shipmentId: number, reason: string | null, mayChange: boolean],
    { state: ShipmentState; is_done: boolean }
  >({
    name: `transition_shipment_to_${to}`,
    connection: 'write',
    sql: `with locked as materialized (
     select id, state, $4 and ${isAllowed} as is_allowed from shipments where tenant_id = $1 and id = $2 for no key update
   ), changed as (
     update shipments r set state = '${to}', ${at} = clock_timestamp(), updated_at = clock_timestamp(), cancellation_reason = $3::text
     from locked n where r.tenant_id = $1 and r.id = $2 and n.is_allowed
     returning r.*
   ), record_event as (
     select ${recordEventPosition('shipment', 'r.id')} as position, 'shipment/updated' as topic,
       ${shipmentUpdatedData('n.state', STATUS, PACKAGES_OF_RECORD)} as data
     from changed r join locked n using (id)
     cross join lateral (select id, state_id, state_picking_id from orders where tenant_id = $1 and id = r.order_id limit 1) o
   ), ${recordEvents('record_event')}
   select state, state = '${to}' or is_allowed as is_done from locked`,
  })
  return async (tx: Queryable, tenantId: number, id: number, reason: string | null = null): Promise<Shipment> => {
    const order = await lockOrderOf(tx, tenantId, id)
    const row = await tx.runOne(change, [tenantId, id, reason, !needsOrder || !isCancelled(order)])
    if (row?.is_done !== true) throw new ServiceError('shipment_error', refusalOf(to, row?.state, order))
    return readShipment(tx, tenantId, id)
  }
}

function refusalOf(to: keyof typeof TRANSITIONS, state: ShipmentState | undefined, order: LockedOrder): string {
  if (to !== 'shipped' || state !== 'open') return `The shipment is ${state} and cannot be ${to}`
  return isCancelled(order) ? 'The order is cancelled' : 'Nothing is packed yet'
}

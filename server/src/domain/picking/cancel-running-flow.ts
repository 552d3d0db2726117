import { statement, type Statement } from '../../database/statements/statement.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { recordEvents } from '../events/index.ts'
import { changeOrders, lockedOrder, ORDER_STATES, orderUpdatedData, PICKING_STATES } from '../order-states/index.ts'
import { settled, withReservationEvents } from '../reservation-core/index.ts'
import { applyStockChanges, SETTLED_STOCK } from '../stock/index.ts'
import { flowColumns, type FlowRow } from './flow-columns.ts'
import { endedFlows, recordFlowCounts } from './flow-counts.ts'
import { flowCancelledData } from './flow-events.ts'
import { orderOfFlow } from './order-lock.ts'
import { countPicks } from './pick-counts.ts'

type Cancellation = Statement<
  [tenantId: number, id: number, reason: string | null, defaultWarehouseId: number, createdBy: string],
  FlowRow
>

/** What else the statement does. */
interface Ending {
  releases: boolean
  settles: boolean
}

/** CTEs that release the order of the flow `$2`. */
const RELEASE = [
  lockedOrder(`id = ${orderOfFlow('$2')}`),
  `released_order as materialized (select o.* from locked_order o join running_flow r on r.order_id = o.id)`,
  changeOrders({
    source: 'released_order',
    set: { state_id: String(ORDER_STATES.released), state_picking_id: String(PICKING_STATES.cancelled) },
    by: '$5::text',
  }),
]
const RELEASE_EVENT = `union all select 2, 'order/updated', ${orderUpdatedData('o', `array['state_id', 'state_picking_id']`)} from changed_order o`

const REOPENED_LINES = 'select order_id, order_line_id, false as from_elsewhere from reopened_line'

/**
 * Cancels the running flow for which `condition` is true and returns its picks to stock, one movement each. Lock the order first: flow and
 * picks are read as of the beginning of the statement. With `releases`, the order is released for another flow. Without `settles`, a later
 * statement of the transaction settles; the totals are locked here, because a transaction locks totals once. No row when no such flow runs.
 */
function cancelRunning(name: string, condition: string, { releases, settles }: Ending): Cancellation {
  const ctes = [
    `running_flow as materialized (
     select f.id, f.order_id, f.operator_id, o.order_tenant_id, o.warehouse_id
     from picking_flows f join orders o on o.tenant_id = $1 and o.id = f.order_id
     where f.tenant_id = $1 and f.${condition} and f.state = 'started'
   ), cancelled_flow as (
     update picking_flows set state = 'cancelled', cancelled_at = clock_timestamp(), cancellation_reason = $3::text
     where tenant_id = $1 and id = (select id from running_flow)
     returning *
   ), stock_change as materialized (
     select row_number() over (order by p.movement_id)::int as position, p.product_id, p.location_id, p.quantity as amount, 'IN' as movement_type,
       'return' as reason, (select operator_id from running_flow) as user_id, (select order_id from running_flow) as order_id, null::text as other_location_id,
       p.flow_id, p.id as pick_id
     from picks p where p.tenant_id = $1 and p.flow_id = (select id from running_flow) and p.undone_at is null
   )`,
    applyStockChanges({
      source: 'stock_change',
      rows: 'together',
      amount: 'relative',
      eventReason: 'return',
      defaultWarehouse: '$4::bigint',
      createdBy: '$5::text',
      areOfPicks: true,
      totalsOfLines: `select l.product_id, f.warehouse_id from reserving r cross join running_flow f cross join lateral (
        select product_id from order_lines where tenant_id = r.tenant_id and order_id = f.order_id offset 0
      ) l`,
    }),
    `reopened_line as (
     update order_lines set picked_quantity = picked_before_flow
     where tenant_id = $1 and order_id = (select order_id from running_flow) and picked_quantity <> picked_before_flow
     returning order_id, id as order_line_id
   )`,
    ...(releases ? RELEASE : []),
    `returned_pick as (
     select created_at, quantity, operator_email from picks
     where tenant_id = $1 and flow_id = (select id from running_flow) and undone_at is null
   )`,
    countPicks('returned_pick', -1),
    `ended_flow as (${endedFlows('cancelled_flow')})`,
    recordFlowCounts('ended_flow'),
    `ended_event as (
     select 1 as kind, 'flow/cancelled' as topic, ${flowCancelledData('f', 'r')} as data from cancelled_flow f cross join running_flow r
     ${releases ? RELEASE_EVENT : ''}
   ), flow_event as (
     select position, topic, data from stock_event
     union all
     select s.last + kind, topic, data from ended_event cross join (select coalesce(max(position), 0) as last from stock_event) s
   )`,
    ...(settles ? [settled({ stock: SETTLED_STOCK, lines: REOPENED_LINES })] : []),
    recordEvents(settles ? withReservationEvents('flow_event') : 'flow_event'),
  ]
  return statement({
    name: name,
    connection: 'write',
    sql: `with ${ctes.join(', ')} select ${flowColumns('f', 'r')} from cancelled_flow f cross join running_flow r`,
  })
}

const cancelOfOrder = cancelRunning('cancel_flow_of_order', 'order_id = $2', { releases: false, settles: false })

/** Cancels a running flow and releases its order for another one. `$2` is the flow's id. */
export const cancelAndRelease = cancelRunning('cancel_flow', 'id = $2', { releases: true, settles: true })

/** The same for one of several flows, whose totals are locked and which the caller settles together. */
export const cancelOneOfSeveral = cancelRunning('cancel_flow_of_batch', 'id = $2', { releases: true, settles: false })

/**
 * Cancels the running flow of an order, if any, and returns its picks to stock. Call it before the order is cancelled, in the transaction
 * that locked the order. The caller must set the order's state_picking_id to 3. Throws `adjustment_error` when a location cannot hold the
 * returned picks.
 */
export async function cancelFlowOfOrder(
  { db, caller }: RequestContext,
  order: { id: number; reason: string | null },
): Promise<void> {
  await db.run(cancelOfOrder, [caller.tenantId, order.id, order.reason, caller.defaultWarehouse.id, caller.keyName])
}

import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { recordEvents } from '../events/index.ts'
import { requiredOperator, requireOwnFlow } from '../picking/index.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { RESERVING, settled, withReservationEvents } from '../reservation-core/index.ts'
import { batchNotFound } from './read-batch.ts'
import type { FlowBatchState } from './schemas.ts'

const lockOrders = statement<[tenantId: number, batchId: number], { id: number }>({
  name: 'lock_orders_of_batch',
  connection: 'write',
  sql: `select id from orders where tenant_id = $1 and id = any (array(
     select order_id from picking_flows where tenant_id = $1 and batch_id = $2 and state = 'started'
   )) order by id for no key update`,
})

const listFlows = statement<[tenantId: number, batchId: number], { id: number; state: FlowBatchState }>({
  name: 'list_flows_of_batch',
  connection: 'read',
  sql: 'select id, state from picking_flows where tenant_id = $1 and batch_id = $2 order by slot',
})

/** What the flows of a batch say about it. */
interface LockedBatch {
  state: FlowBatchState
  /** Ids of its running flows, in slot order. */
  running: number[]
}

/**
 * Locks the orders of a batch's running flows, in a transaction, so that none of the flows ends or is picked until its end. Throws
 * `not_found`, and `flow_error` when a device's operator may not change one of them.
 */
export async function lockBatch(db: Queryable, caller: RequestContext['caller'], batchId: number): Promise<LockedBatch> {
  await db.run(lockOrders, [caller.tenantId, batchId])
  // A statement of its own: it sees what came before the locks.
  const flows = await db.run(listFlows, [caller.tenantId, batchId])
  if (flows.length === 0) throw batchNotFound()
  const running = flows.filter(({ state }) => state === 'started').map(({ id }) => id)
  // Only a device has something to compare.
  for (const id of requiredOperator(caller) === null ? [] : running) await requireOwnFlow(db, caller, id)
  if (running.length > 0) return { state: 'started', running }
  return { state: flows.every(({ state }) => state === 'cancelled') ? 'cancelled' : 'completed', running }
}

/** Picks of the flows `$2` that were not undone, with the level from which each was taken. */
const PICKED_LEVELS = `unnest($2::bigint[]) f (id) cross join lateral (
       select product_id, location_id from picks where tenant_id = $1 and flow_id = f.id and undone_at is null offset 0
     ) p`

const lockLevels = statement<[tenantId: number, flowIds: number[]], { levels: number }>({
  name: 'lock_levels_of_flows',
  connection: 'write',
  sql: `with picked as materialized (
     select distinct p.product_id, p.location_id from ${PICKED_LEVELS}
   ), locked_level as materialized (
     select v.product_id, v.warehouse_id from picked p join stock_levels v on v.tenant_id = $1
       and v.product_id = p.product_id and v.location_id = p.location_id
     order by v.product_id, v.location_id for no key update of v
   ), ${RESERVING}, line as (
     select l.product_id, o.warehouse_id from reserving r cross join unnest($2::bigint[]) f (id)
     cross join lateral (select order_id from picking_flows where tenant_id = r.tenant_id and id = f.id limit 1) x
     cross join lateral (select id, warehouse_id from orders where tenant_id = r.tenant_id and id = x.order_id limit 1) o
     cross join lateral (select product_id from order_lines where tenant_id = r.tenant_id and order_id = o.id offset 0) l
   ), total as materialized (
     select array_agg(product_id) as products, array_agg(warehouse_id) as warehouses
     from (select product_id, warehouse_id from locked_level union select product_id, warehouse_id from line) p
   ), locked_total as materialized (
     select lock_totals($1, products, warehouses) from total
   )
   select (select count(*) from locked_level) as levels from locked_total`,
})

/**
 * Locks the levels to which the picks of flows return, then the totals of these and of the orders' lines, in the one order of locks. After it
 * the flows can be cancelled one by one.
 */
export async function lockLevelsOfFlows(db: Queryable, tenantId: number, flowIds: number[]): Promise<void> {
  await db.run(lockLevels, [tenantId, flowIds])
}

const settleFlows = statement<[tenantId: number, flowIds: number[]], never>({
  name: 'settle_flows_of_batch',
  connection: 'write',
  sql: `with ${RESERVING}, ended as materialized (
     select f.id, f.order_id, f.state, o.state_id from reserving r cross join unnest($2::bigint[]) n (id)
     cross join lateral (select id, order_id, state from picking_flows where tenant_id = r.tenant_id and id = n.id limit 1) f
     cross join lateral (select state_id from orders where tenant_id = r.tenant_id and id = f.order_id limit 1) o
   ), no_event as (
     select 0::bigint as position, '' as topic, '' as data where false
   ), ${settled({
     stock: `select p.product_id, v.warehouse_id from ended f cross join lateral (
         select product_id, location_id from picks where tenant_id = $1 and flow_id = f.id and undone_at is null offset 0
       ) p cross join lateral (
         select warehouse_id from stock_levels where tenant_id = $1 and product_id = p.product_id and location_id = p.location_id limit 1
       ) v
       where f.state = 'cancelled'`,
     lines: `select order_id, null::bigint as order_line_id, false as from_elsewhere from ended
       where state = 'cancelled' or state_id = ${ORDER_STATES.completed}`,
   })}, ${recordEvents(withReservationEvents('no_event'))}
   select`,
})

/** Settles the reservations of orders whose flows the transaction has ended, once for all, and records their events after all others. */
export async function settleFlowsOfBatch(db: Queryable, tenantId: number, flowIds: number[]): Promise<void> {
  await db.run(settleFlows, [tenantId, flowIds])
}

import { awaitTenantLock } from '../database/locks.ts'

const ORDER_COLUMNS = `id, order_tenant_id, state_id, state_picking_id, assembly_date, customer_name, shipping_address, warehouse_id,
    items_count, total_quantity, created_at, updated_at`

/**
 * SQL that waits until nobody else changes the order in a row of `orders`. A wait for the row's lock gives the transaction its id early,
 * and event ids begin with that: an order's events would be recorded in another order than that in which they happened.
 */
const AWAIT_TURN = `${awaitTenantLock('order', 'id')} as turn`

/**
 * The CTE `locked_order`: the order for which `condition` is true, in its newest version, with all of its columns but tenant_id. Nobody
 * else changes it until the end of the transaction. Locks are taken in this order everywhere: order, picking flow, stock levels.
 */
export function lockedOrder(condition: string): string {
  return `
awaited_order as materialized (
  select id, ${AWAIT_TURN} from orders where tenant_id = $1 and ${condition}
), locked_order as materialized (
  select ${ORDER_COLUMNS} from orders where tenant_id = $1 and id = (select id from awaited_order) for no key update
)`
}

export interface OrderChange {
  /** A relation with the columns of `locked_order`, or more of them: the orders as they are, locked by this transaction. */
  source: string
  /** SQL for the new value of each column that changes; `source` is named `p` in it. `updated_at` is set besides. */
  set: Partial<Record<'state_id' | 'state_picking_id' | 'assembly_date' | 'customer_name' | 'shipping_address', string>>
  /** SQL for whether a row of `source` is changed at all. */
  when?: string
}

/**
 * CTEs that change orders: every statement that changes one is made with them, because they keep the counts that lists read.
 * They offer `changed_order`: the columns of `locked_order` with their new values, and `previous_state_id`.
 */
export function changeOrders({ source, set, when = 'true' }: OrderChange): string {
  const assignments = Object.entries(set).map(([column, value]) => `${column} = ${value}`)
  // The array makes a lookup by id of it in any plan, also in one that was made while the table was empty.
  const columns = ORDER_COLUMNS.split(/,\s*/).map((column) => `o.${column}`)
  return `
changed_order as (
  update orders o set ${assignments.join(', ')}, updated_at = clock_timestamp()
  from ${source} p
  where o.tenant_id = $1 and o.id = any (array(select id from ${source})) and o.id = p.id and ${when}
  returning ${columns.join(', ')}, p.state_id as previous_state_id, p.assembly_date as previous_assembly_date
), moved_order_count as (
  select created_at, assembly_date, state_id, 1 as change from changed_order
  union all
  select created_at, previous_assembly_date, previous_state_id, -1 from changed_order
), ${recordOrderCounts('moved_order_count')}`
}

/**
 * The CTE `order_count_change`, which records what a statement does to the number of orders: the sums of `change` of the relation
 * `source` (created_at, assembly_date, state_id, change). The list's totals are made of these rows and of the rollups of them.
 */
export function recordOrderCounts(source: string): string {
  return `
order_count_change as (
  insert into order_count_changes (tenant_id, created_day, assembly_date, state_id, change)
  select $1, created_day, assembly_date, state_id, sum(change)
  from (select (created_at at time zone 'UTC')::date as created_day, assembly_date, state_id, change from ${source}) c
  group by created_day, assembly_date, state_id having sum(change) <> 0
)`
}

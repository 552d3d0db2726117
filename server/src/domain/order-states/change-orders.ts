const ORDER_COLUMNS = `id, order_tenant_id, state_id, state_picking_id, assembly_date, customer_name, shipping_address, warehouse_id,
    items_count, total_quantity, created_at, updated_at`

/**
 * The CTE `locked_order`: the latest version of the order for which `condition` is true, with all columns but tenant_id, locked until the
 * end of the transaction: "Lock order" in docs/architecture.md has what is locked before and after it. `further` has more columns, each
 * after a comma.
 */
export function lockedOrder(condition: string, further = ''): string {
  return `
named_order as materialized (
  select id from orders where tenant_id = $1 and ${condition}
), locked_order as materialized (
  select ${ORDER_COLUMNS}${further} from orders where tenant_id = $1 and id = (select id from named_order) for no key update
)`
}

/** The same for several orders, locked by id. `ids` is SQL for an array. */
export function lockedOrders(ids: string): string {
  return `
locked_order as materialized (
  select ${ORDER_COLUMNS} from orders where tenant_id = $1 and id = any (${ids}) order by id for no key update
)`
}

export interface OrderChange {
  /** A relation with at least the columns of `locked_order`: the current orders, locked by this transaction. */
  source: string
  /** SQL for the new value of each changed column, with `source` as `p`. `updated_at` is always set. */
  set: Partial<Record<'state_id' | 'state_picking_id' | 'assembly_date' | 'customer_name' | 'shipping_address', string>>
  /** SQL for whether a row of `source` is changed. */
  when?: string
  /** SQL for the name of the API key that changes the state, and for the reason of a cancellation. For the timeline of the order. */
  by: string
  reason?: string
}

/**
 * CTEs that change orders. Every statement that changes an order uses them, because they maintain the counts that lists read.
 * Result: `changed_order`, the columns of `locked_order` with their new values, `previous_state_id` and `previous_assembly_date`.
 */
export function changeOrders({ source, set, when = 'true', by, reason = 'null::text' }: OrderChange): string {
  const assignments = Object.entries(set).map(([column, value]) => `${column} = ${value}`)
  // The array makes it a lookup by id in any plan, even a plan made on an empty table.
  const columns = ORDER_COLUMNS.split(/,\s*/).map((column) => `o.${column}`)
  return `
changed_order as (
  update orders o set ${assignments.join(', ')}, updated_at = clock_timestamp()
  from ${source} p
  where o.tenant_id = $1 and o.id = any (array(select id from ${source})) and o.id = p.id and ${when}
  returning ${columns.join(', ')}, p.state_id as previous_state_id, p.assembly_date as previous_assembly_date
), changed_state as (
  insert into order_state_changes (tenant_id, order_id, at, state_id, previous_state_id, changed_by, reason)
  select $1, id, updated_at, state_id, previous_state_id, ${by}, ${reason} from changed_order where state_id <> previous_state_id
), moved_order_count as (
  select created_at, assembly_date, state_id, 1 as change from changed_order
  union all
  select created_at, previous_assembly_date, previous_state_id, -1 from changed_order
), ${recordOrderCounts('moved_order_count')}`
}

/**
 * The CTE `order_count_change`, which records how a statement changes the number of orders: the sums of `change` of the relation
 * `source` (created_at, assembly_date, state_id, change). The totals of the list add up these rows and their rollups. Where `source` has at most one row,
 * there is nothing to sum.
 */
export function recordOrderCounts(source: string, { isOneChange = false } = {}): string {
  const changes = `select (created_at at time zone 'UTC')::date as created_day, assembly_date, state_id, change from ${source}`
  const sums = `select created_day, assembly_date, state_id, sum(change) as change
    from (${changes}) c
    group by created_day, assembly_date, state_id having sum(change) <> 0`
  return `
order_count_change as (
  insert into order_count_changes (tenant_id, created_day, assembly_date, state_id, change)
  select $1, c.* from (${isOneChange ? changes : sums}) c
)`
}

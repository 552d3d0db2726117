import { RESERVING, settled } from '../reservation-core/index.ts'
import { comparedApart, comparedTogether } from './compared-changes.ts'
import { countStocked } from './count-stocked.ts'
import { movementsOf } from './movements-of.ts'
import { absoluteChanges, relativeChanges, type Rows, type StockChangeParts } from './stock-change-parts.ts'
import { eventsOfChanges } from './stock-events.ts'
import type { StockReason } from './stock-reasons.ts'

interface StockChanges {
  /**
   * The relation with the changes, its rows distinct by `position`. Its columns, all of them needed, with their types:
   * - `position` integer: the order in which changes of the same level follow one another, and the order of the events
   * - `product_id` bigint (of the tenant `$1`), `location_id` text
   * - `amount` numeric: the quantity to add, negative to remove; or, with `amount: 'absolute'` or `'compared'`, the new quantity
   * - `expected_quantity` numeric, with `amount: 'compared'` alone: what the level must be when the turn of the change comes. Null for any
   *   level, with `together` only
   * - `movement_type` text, `reason` text: stored in the movement
   * - `user_id` bigint, `order_id` bigint
   * - `other_location_id` text: for a transfer, the source or destination location
   */
  source: string
  /**
   * `together`: all changes are made, or none if stock is short for one. `apart`: each change on its own, no two of the same product, which
   * takes half the plan nodes. `compared` changes are never all or none: each is made if its level is what it expects.
   */
  rows: Rows
  /**
   * Whether `amount` is a difference or the new quantity. Relative changes of one level must all have the same sign. `compared`: a new
   * quantity for a level that is what is expected of it. With `apart`, one out of the range of a level is not made.
   */
  amount: 'relative' | 'absolute' | 'compared'
  /** The reason in `stock/updated` when the `reason` of the change is not an allowed value. */
  eventReason: StockReason
  /** SQL for the warehouse id of new locations. */
  defaultWarehouse: string
  /** SQL for the `created_by` of the movements. */
  createdBy: string
  /** Whether the changes are made by picks, or take picks back. `source` then also has the columns `flow_id` bigint and `pick_id` text. */
  areOfPicks?: boolean
  /**
   * For changes that also open or close order lines: a query, from `reserving`, of the `product_id` and `warehouse_id` of these lines. Their
   * totals are locked together with those of the stock, in one order. The caller then settles, with `SETTLED_STOCK`.
   */
  totalsOfLines?: string
}

/** The `stock` of `settled` for a statement with `totalsOfLines`. */
export const SETTLED_STOCK = 'select product_id, warehouse_id from warehouse_total'

/**
 * Part of the `set` of an upsert of levels. Normally it changes nothing. If the location was changed while the statement waited for the level, the
 * foreign key to the location fails, and the statement is retried: its snapshot may lack the location's new warehouse, which the events need, and
 * it judged by the old row whether the location is sellable.
 */
export const AS_LOCATION = 'warehouse_id = excluded.warehouse_id, sellable = excluded.sellable'

/**
 * CTEs that change stock levels. Every statement that changes stock uses them. They add up the changes of each level, create new locations,
 * change the levels and their warehouse totals, write and count one movement per change, and settle reservations. Results:
 *
 * - `short_level` (product_id, location_id, available): levels that hold less than the quantity to remove. They are not changed; with
 *   `together`, nothing is. Other CTEs of the statement must depend on it or on `stock_movement`. If another caller takes the stock in the
 *   meantime, the statement fails on the constraint stock_levels_quantity_range instead, which is also `adjustment_error`.
 * - `compared_change` (position, found, is_made), of `compared` changes: the level that each found when its turn came.
 * - `stock_movement` (position, id, product_id, location_id, warehouse_id, movement_type, quantity, previous_quantity, new_quantity,
 *   reason, user_id, order_id, created_at): the movements written.
 * - `stock_event` (position, topic, data): the events, for `recordEvents`; position is above 0. Unless the caller settles, they include
 *   those of reservations that changed.
 *
 * It locks new locations, then levels by (product_id, location_id), then warehouse totals by (product_id, warehouse_id), as "Lock order" in
 * docs/architecture.md says. Foreign keys are checked after all of them, out of that order: the deadlocks that remain are listed there, and
 * are retried. A transaction may have at most one such statement.
 */
export function applyStockChanges(changes: StockChanges): string {
  const { defaultWarehouse, totalsOfLines, areOfPicks = false } = changes
  const parts = partsOf(changes)
  const settlesHere = totalsOfLines === undefined
  const warehouseChange = settlesHere ? parts.warehouseChange : withTotals(parts.warehouseChange, totalsOfLines)
  return `${parts.inTurn}
net_change as materialized (
  ${parts.netChange}
), short_level as materialized (
  ${parts.shortLevels}
), named_location as materialized (
  select c.location_id, l.warehouse_id, l.sellable
  from (select distinct location_id from net_change c where ${parts.isMade}) c
  left join lateral (select warehouse_id, sellable from locations where tenant_id = $1 and id = c.location_id limit 1) l on true
), new_location as (
  insert into locations (tenant_id, id, code, warehouse_id)
  select $1, location_id, location_id, ${defaultWarehouse} from named_location where warehouse_id is null order by location_id
  -- Of any unique key: locations has two, and callers who make the same location at the same time may meet at either.
  on conflict do nothing
  returning id
), changed_level as (
  insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, sellable, quantity, previous_quantity)
  select $1, c.product_id, c.location_id, coalesce(l.warehouse_id, ${defaultWarehouse}), coalesce(l.sellable, true), ${parts.proposed}
  from net_change c join named_location l using (location_id)
  -- Always true: has the locations made before the first level is locked.
  where (select count(*) from new_location) >= 0 and ${parts.isMade}
  order by c.product_id, c.location_id
  on conflict (tenant_id, product_id, location_id) do update
  set quantity = ${parts.quantity}, previous_quantity = stock_levels.quantity, ${AS_LOCATION}, updated_at = clock_timestamp()
  returning product_id, location_id, warehouse_id, sellable, quantity, previous_quantity
), ${parts.compared}${settlesHere ? '' : `${RESERVING}, `}${warehouseTotal(warehouseChange)}, counted_total as (${countStocked('warehouse_total')}
), ${movementsOf(parts, areOfPicks)}, ${settlesHere ? `${settled({ stock: SETTLED_STOCK })}, ` : ''}stock_event as (
  ${eventsOfChanges(changes)}
  ${settlesHere ? 'union all select position, topic, data from reservation_event' : ''}
)`
}

/** The CTE that changes the totals. `change` is a query of the changes, in their order. */
export const warehouseTotal = (change: string): string => `warehouse_total as (
  insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity, unsellable)
  ${change}
  on conflict (tenant_id, product_id, warehouse_id) do update
  set quantity = warehouse_stock.quantity + excluded.quantity, previous_quantity = warehouse_stock.quantity,
    unsellable = warehouse_stock.unsellable + excluded.unsellable
  returning product_id, warehouse_id, quantity, previous_quantity
)`

/** The query `warehouseChange`, with a change of 0 for each of the `totals`: that locks them too. */
function withTotals(warehouseChange: string, totals: string): string {
  return `select $1, product_id, warehouse_id, sum(quantity), sum(unsellable) from (
    select product_id, warehouse_id, quantity, unsellable from (${warehouseChange}) c (tenant_id, product_id, warehouse_id, quantity, unsellable)
    union all
    select product_id, warehouse_id, 0, 0 from (${totals}) t
  ) c
  group by product_id, warehouse_id
  order by product_id, warehouse_id`
}

function partsOf({ source, rows, amount }: StockChanges): StockChangeParts {
  if (amount === 'relative') return relativeChanges(source, rows)
  if (amount === 'absolute') return absoluteChanges(source, rows)
  return rows === 'apart' ? comparedApart(source) : comparedTogether(source)
}

import { MAX_QUANTITY } from '../../procedures/fields/fields.ts'
import { RESERVING, settled } from '../reserving/index.ts'
import { comparedApart, comparedTogether } from './compared-changes.ts'
import { countStocked } from './count-stocked.ts'
import { movementsOf } from './movements-of.ts'
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
  rows: 'together' | 'apart'
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
   * For a change that also opens or closes order lines: a query, from `reserving`, of the `product_id` and `warehouse_id` of the lines' totals. They
   * are locked together with those of the stock, in one order. The caller then settles, with `SETTLED_STOCK`.
   */
  totalsOfLines?: string
}

/** The `stock` of `settled` for a statement with `totalsOfLines`. */
export const SETTLED_STOCK = 'select product_id, warehouse_id from warehouse_total'

/**
 * Part of the `set` of an upsert of levels. It changes nothing, unless the location was moved to another warehouse while the statement waited for
 * the level: then the foreign key to the location refuses it, and the statement is repeated. It could not make the events of the level, because
 * it may have begun before there was that warehouse.
 */
export const SAME_WAREHOUSE = 'warehouse_id = excluded.warehouse_id'

/** Above the maximum of a level: the range check of stock_levels refuses it before the column can overflow. */
export const OUT_OF_RANGE = `${MAX_QUANTITY}.999`

const RELATIVE = {
  netAmount: 'sum(amount)',
  // The quantity for a new level. An existing level is changed by "quantity - previous_quantity", because the proposed row must pass the
  // range check even when it is not the row stored.
  proposed: `least(greatest(c.amount, 0), ${OUT_OF_RANGE}), least(greatest(-c.amount, 0), ${OUT_OF_RANGE})`,
  quantity: `least(stock_levels.quantity + excluded.quantity - excluded.previous_quantity, ${OUT_OF_RANGE})`,
  previous: 'v.previous_quantity + sum(c.amount) over changes_of_level - c.amount',
  current: 'v.previous_quantity + sum(c.amount) over changes_of_level',
}

const ABSOLUTE = {
  netAmount: '(array_agg(amount order by position desc))[1]',
  proposed: 'c.amount, 0',
  quantity: 'excluded.quantity',
  previous: 'coalesce(lag(c.amount) over changes_of_level, v.previous_quantity)',
  current: 'c.amount',
}

/**
 * CTEs that change stock levels. Every statement that changes stock uses them. They create new locations, maintain warehouse totals and
 * movement counts, and write one movement per change. Results:
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
 * Lock order everywhere, so that no two callers deadlock: new locations, levels by (product_id, location_id), warehouse totals by
 * (product_id, warehouse_id). A transaction may have at most one such statement.
 */
export function applyStockChanges(changes: StockChanges): string {
  const { defaultWarehouse, totalsOfLines, areOfPicks = false } = changes
  const { amounts, sql } = partsOf(changes)
  const warehouseChange = totalsOfLines === undefined ? sql.warehouseChange : withTotals(sql.warehouseChange, totalsOfLines)
  const isMade = changes.amount === 'absolute' ? 'true' : sql.isMade
  return `${sql.inTurn}
net_change as materialized (
  ${sql.netChange}
), short_level as materialized (
  ${changes.amount === 'relative' ? SHORT_LEVELS : NO_SHORT_LEVELS}
), named_location as materialized (
  select c.location_id, l.warehouse_id, l.sellable
  from (select distinct location_id from net_change c where ${isMade}) c
  left join lateral (select warehouse_id, sellable from locations where tenant_id = $1 and id = c.location_id limit 1) l on true
), new_location as (
  insert into locations (tenant_id, id, code, warehouse_id)
  select $1, location_id, location_id, ${defaultWarehouse} from named_location where warehouse_id is null order by location_id
  -- Of any unique key: locations has two, and callers who make the same location at the same time may meet at either.
  on conflict do nothing
  returning id
), changed_level as (
  insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, sellable, quantity, previous_quantity)
  select $1, c.product_id, c.location_id, coalesce(l.warehouse_id, ${defaultWarehouse}), coalesce(l.sellable, true), ${amounts.proposed}
  from net_change c join named_location l using (location_id)
  -- Always true: has the locations made before the first level is locked.
  where (select count(*) from new_location) >= 0 and ${isMade}
  order by c.product_id, c.location_id
  on conflict (tenant_id, product_id, location_id) do update
  set quantity = ${amounts.quantity}, previous_quantity = stock_levels.quantity, ${SAME_WAREHOUSE}, updated_at = clock_timestamp()
  returning product_id, location_id, warehouse_id, sellable, quantity, previous_quantity
), ${sql.compared}${totalsOfLines === undefined ? '' : `${RESERVING}, `}${warehouseTotal(warehouseChange)}, counted_total as (${countStocked('warehouse_total')}
), ${movementsOf(sql, areOfPicks)}, ${totalsOfLines === undefined ? `${settled({ stock: SETTLED_STOCK })}, ` : ''}stock_event as (
  ${eventsOfChanges(changes)}
  ${totalsOfLines === undefined ? 'union all select position, topic, data from reservation_event' : ''}
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

const CREATED_DAY = `(created_at at time zone 'UTC')::date`
const CREATED_HOUR = `date_trunc('hour', created_at, 'UTC')`
const CHANGE = 'new_quantity - previous_quantity'

/** The part of a change that is in a location that is not sellable. */
export const UNSELLABLE = 'case when sellable then 0 else quantity - previous_quantity end'

/** The changes of totals, with further totals to lock, which do not change. */
function withTotals(warehouseChange: string, totals: string): string {
  return `select $1, product_id, warehouse_id, sum(quantity), sum(unsellable) from (
    select product_id, warehouse_id, quantity, unsellable from (${warehouseChange}) c (tenant_id, product_id, warehouse_id, quantity, unsellable)
    union all
    select product_id, warehouse_id, 0, 0 from (${totals}) t
  ) c
  group by product_id, warehouse_id
  order by product_id, warehouse_id`
}

function partsOf({ source, rows, amount }: StockChanges) {
  if (amount === 'compared' && rows === 'apart')
    return { amounts: comparedApart.amounts, sql: { ...apart(comparedApart.made(source)), ...comparedApart.sql(source) } }
  if (amount === 'compared') {
    const amounts = { ...ABSOLUTE, ...comparedTogether.amounts }
    return { amounts, sql: { ...together(comparedTogether.made(source), amounts), ...comparedTogether.sql(source) } }
  }
  const amounts = amount === 'relative' ? RELATIVE : ABSOLUTE
  const sql = rows === 'apart' ? apart(source) : together(source, amounts)
  return { amounts, sql: { ...sql, inTurn: '', compared: '' } }
}

/** The parts for changes `apart`. */
export function apart(source: string) {
  return {
    isMade: 'not exists (select from short_level s where s.product_id = c.product_id)',
    netChange: `select product_id, location_id, amount from ${source}`,
    warehouseChange: `select $1, product_id, warehouse_id, quantity - previous_quantity, ${UNSELLABLE} from changed_level
  where quantity <> previous_quantity order by product_id, warehouse_id`,
    movement: `v.previous_quantity, v.quantity as new_quantity, true as is_latest
    from ${source} c join changed_level v using (product_id)
    order by c.position`,
    counts: `select $1, ${CREATED_DAY}, ${CREATED_HOUR}, product_id, location_id, movement_type, 1, ${CHANGE} from stock_movement`,
  }
}

function together(source: string, amounts: typeof RELATIVE) {
  return {
    netChange: `select product_id, location_id, ${amounts.netAmount} as amount from ${source} group by product_id, location_id`,
    isMade: 'not exists (select from short_level)',
    warehouseChange: `select $1, product_id, warehouse_id, sum(quantity - previous_quantity), sum(${UNSELLABLE}) from changed_level
  group by product_id, warehouse_id having sum(quantity - previous_quantity) <> 0 or sum(${UNSELLABLE}) <> 0
  order by product_id, warehouse_id`,
    movement: `${amounts.previous} as previous_quantity, ${amounts.current} as new_quantity, lead(c.position) over changes_of_level is null as is_latest
    from ${source} c join changed_level v using (product_id, location_id)
    window changes_of_level as (partition by product_id, location_id order by c.position)
    order by c.position`,
    counts: `select $1, ${CREATED_DAY}, ${CREATED_HOUR}, product_id, location_id, movement_type, count(*), sum(${CHANGE}) from stock_movement
  group by 2, 3, 4, 5, 6`,
  }
}

// Levels are never deleted, and this reads them as of the beginning of the statement: a refusal is right as of that time, and a level that
// passes still exists when it is locked.
const SHORT_LEVELS = `select c.product_id, c.location_id, coalesce(v.quantity, 0) as available
  from net_change c left join lateral (
    select quantity from stock_levels where tenant_id = $1 and product_id = c.product_id and location_id = c.location_id limit 1
  ) v on true
  where c.amount < 0 and coalesce(v.quantity, 0) + c.amount < 0`

const NO_SHORT_LEVELS = 'select product_id, location_id, amount as available from net_change where false'

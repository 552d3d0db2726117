import { IS_RESERVING } from '../reservation-core/index.ts'
import { countStocked } from './count-stocked.ts'
import { movementsOf } from './movements-of.ts'
import { apart, OUT_OF_RANGE, UNSELLABLE } from './stock-change-parts.ts'
import { eventsOfChanges } from './stock-events.ts'
import type { StockReason } from './stock-reasons.ts'

interface OneChange {
  /** The relation with the change, with the columns that `applyStockChanges` needs. `amount` is a difference. */
  source: string
  /** SQL for its `product_id` and its `location_id`. */
  productId: string
  locationId: string
  eventReason: StockReason
  /** SQL for the `created_by` of the movement. */
  createdBy: string
}

/**
 * CTEs that do what `applyStockChanges` does, for a single change at two thirds of the cost: what a statement costs grows with its plan. The
 * level and its total must exist, the stock must suffice and the tenant must not reserve. Otherwise they change nothing, `stock_movement` has
 * no row, and the change is one for `applyStockChanges`. Results: `stock_movement` and `stock_event`, as there. The lock order is the same.
 */
export function changeOneLevel({ source, productId, locationId, ...events }: OneChange): string {
  const { movement, counts } = apart(source)
  return `known_level as materialized (
  select v.warehouse_id, c.amount
  from ${source} c
  cross join (
    select quantity, warehouse_id from stock_levels where tenant_id = $1 and product_id = ${productId} and location_id = ${locationId} limit 1
  ) v
  cross join lateral (
    select from warehouse_stock where tenant_id = $1 and product_id = ${productId} and warehouse_id = v.warehouse_id limit 1
  ) t
  where v.quantity + c.amount >= 0 and not ${IS_RESERVING}
), changed_level as (
  update stock_levels v
  set quantity = least(v.quantity + k.amount, ${OUT_OF_RANGE}), previous_quantity = v.quantity, updated_at = clock_timestamp()
  from known_level k
  -- Of the warehouse whose total is there: the location may have been moved to another one while this waited for the level.
  where v.tenant_id = $1 and v.product_id = ${productId} and v.location_id = ${locationId} and v.warehouse_id = k.warehouse_id
  returning v.product_id, v.location_id, v.warehouse_id, v.sellable, v.quantity, v.previous_quantity
), warehouse_total as (
  update warehouse_stock t set quantity = t.quantity + c.change, previous_quantity = t.quantity, unsellable = t.unsellable + c.unsellable_change
  from (
    select warehouse_id, quantity - previous_quantity as change, ${UNSELLABLE} as unsellable_change
    from changed_level where quantity <> previous_quantity
  ) c
  where t.tenant_id = $1 and t.product_id = ${productId} and t.warehouse_id = c.warehouse_id
  returning t.product_id, t.warehouse_id, t.quantity, t.previous_quantity
), counted_total as (${countStocked('warehouse_total')}
), ${movementsOf({ movement, counts })}, stock_event as (
  ${eventsOfChanges(events)}
)`
}

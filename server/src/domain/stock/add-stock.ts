import { settled } from '../reservation-core/index.ts'
import { AS_LOCATION, SETTLED_STOCK, warehouseTotal } from './apply-stock-changes.ts'
import { countStocked } from './count-stocked.ts'
import { movementsOf } from './movements-of.ts'
import { apart, OUT_OF_RANGE } from './stock-change-parts.ts'
import { eventsOfChanges } from './stock-events.ts'
import type { StockReason } from './stock-reasons.ts'

interface AddedStock {
  /**
   * The relation with the changes: the columns that `applyStockChanges` needs, and `warehouse_id` and `sellable` of the location. No two
   * changes are of the same product. `amount` is above 0.
   */
  source: string
  eventReason: StockReason
  /** SQL for the `created_by` of the movements. */
  createdBy: string
}

/**
 * CTEs that do what `applyStockChanges` does, for goods that are added at locations that exist. Their plan has a third of the nodes, because
 * stock cannot be short and no location is created. Results: `stock_movement` and `stock_event`, as there. The lock order is the same.
 */
export function addStock({ source, ...events }: AddedStock): string {
  const { warehouseChange, movement, counts } = apart(source)
  return `changed_level as (
  insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, sellable, quantity)
  select $1, product_id, location_id, warehouse_id, sellable, least(amount, ${OUT_OF_RANGE}) from ${source} order by product_id, location_id
  on conflict (tenant_id, product_id, location_id) do update
  set quantity = least(stock_levels.quantity + excluded.quantity, ${OUT_OF_RANGE}), previous_quantity = stock_levels.quantity,
    ${AS_LOCATION}, updated_at = clock_timestamp()
  returning product_id, location_id, warehouse_id, sellable, quantity, previous_quantity
), ${warehouseTotal(warehouseChange)}, counted_total as (${countStocked('warehouse_total')}
), ${movementsOf({ movement, counts })}, ${settled({ stock: SETTLED_STOCK })}, stock_event as (
  ${eventsOfChanges(events)}
  union all select position, topic, data from reservation_event
)`
}

import { statement } from '../../database/statements/statement.ts'
import { rollUp, taken, type Rollup } from '../counts/index.ts'

/** Counts movements by type, product, location, day and month. */
export const foldMovements: Rollup = statement<[batch: number], { folded: number }>({
  name: 'fold_movement_counts',
  lane: 'write',
  sql: `with ${taken('movement_count_changes')}, by_type as (${rollUp('movement_counts', 'tenant_id, created_day, movement_type')}
   ), by_product as (${rollUp('movement_product_counts', 'tenant_id, product_id, location_id, created_day, movement_type')}
   ), by_location as (${rollUp('movement_location_counts', 'tenant_id, location_id, created_day, movement_type')}
   ), by_month as (${rollUp('movement_month_counts', 'tenant_id, created_month, movement_type')}
   ), by_product_and_month as (${rollUp('movement_product_month_counts', 'tenant_id, product_id, location_id, created_month, movement_type')}
   ), by_location_and_month as (${rollUp('movement_location_month_counts', 'tenant_id, location_id, created_month, movement_type')}
   )
   select count(*) as folded from taken`,
})

import { addToRollup, rollup } from '../../database/rollups/rollup.ts'

/** SQL that adds the changes of stock of `taken` to a rollup by hour. */
const addUp = (table: string, columns: string): string => `
   insert into ${table} (${columns}, at, quantity)
   select ${columns}, created_hour, sum(quantity) from taken where created_hour is not null
   group by ${columns}, created_hour having sum(quantity) <> 0
   on conflict (${columns}, at) do update set quantity = ${table}.quantity + excluded.quantity`

const countAddedUp = `
   insert into movement_hour_days (tenant_id, day, count)
   select tenant_id, created_day, sum(change) from taken where created_hour is not null group by tenant_id, created_day
   on conflict (tenant_id, day) do update set count = movement_hour_days.count + excluded.count`

/** Counts movements by type, product, location, day and month, and adds up their changes of stock by hour. */
export const foldMovements = rollup({
  name: 'fold_movement_counts',
  changes: 'movement_count_changes',
  ctes: `by_type as (${addToRollup('movement_counts', 'tenant_id, created_day, movement_type')}
   ), by_product as (${addToRollup('movement_product_counts', 'tenant_id, product_id, location_id, created_day, movement_type')}
   ), by_location as (${addToRollup('movement_location_counts', 'tenant_id, location_id, created_day, movement_type')}
   ), by_month as (${addToRollup('movement_month_counts', 'tenant_id, created_month, movement_type')}
   ), by_product_and_month as (${addToRollup('movement_product_month_counts', 'tenant_id, product_id, location_id, created_month, movement_type')}
   ), by_location_and_month as (${addToRollup('movement_location_month_counts', 'tenant_id, location_id, created_month, movement_type')}
   ), by_product_and_hour as (${addUp('movement_product_hours', 'tenant_id, product_id')}
   ), by_level_and_hour as (${addUp('movement_level_hours', 'tenant_id, product_id, location_id')}
   ), added_up as (${countAddedUp}
   )`,
})

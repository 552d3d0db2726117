import { addToRollup, rollup } from '../../database/rollups/rollup.ts'

/** Counts orders by state, day, month and assembly date. */
export const foldOrders = rollup({
  name: 'fold_order_counts',
  changes: 'order_count_changes',
  ctes: `by_state as (${addToRollup('order_totals', 'tenant_id, state_id')}
   ), by_day as (${addToRollup('order_counts', 'tenant_id, created_day, state_id')}
   ), by_month as (${addToRollup('order_month_counts', 'tenant_id, created_month, state_id')}
   ), by_assembly_date as (${addToRollup('order_assembly_counts', 'tenant_id, assembly_date, created_day, state_id')}
   )`,
})

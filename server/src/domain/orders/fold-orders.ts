import { rollup, rollUp } from '../counts/index.ts'

/** Counts orders by state, day, month and assembly date. */
export const foldOrders = rollup({
  name: 'fold_order_counts',
  changes: 'order_count_changes',
  ctes: `by_state as (${rollUp('order_totals', 'tenant_id, state_id')}
   ), by_day as (${rollUp('order_counts', 'tenant_id, created_day, state_id')}
   ), by_month as (${rollUp('order_month_counts', 'tenant_id, created_month, state_id')}
   ), by_assembly_date as (${rollUp('order_assembly_counts', 'tenant_id, assembly_date, created_day, state_id')}
   )`,
})

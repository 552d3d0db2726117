import { rollup } from '../../database/rollups/rollup.ts'

const rollUpProducts = `
   insert into product_totals (tenant_id, is_active, count)
   select tenant_id, is_active, sum(change) from taken group by tenant_id, is_active having sum(change) <> 0
   on conflict (tenant_id, is_active) do update set count = product_totals.count + excluded.count`

/** Counts active and deleted products. */
export const foldProducts = rollup({
  name: 'fold_product_counts',
  changes: 'product_count_changes',
  ctes: `by_activity as (${rollUpProducts}
   )`,
})

import { statement } from '../../database/statements/statement.ts'
import { taken, type Rollup } from '../counts/index.ts'

const rollUpProducts = `
   insert into product_totals (tenant_id, is_active, count)
   select tenant_id, is_active, sum(change) from taken group by tenant_id, is_active having sum(change) <> 0
   on conflict (tenant_id, is_active) do update set count = product_totals.count + excluded.count`

/** Counts active and deleted products. */
export const foldProducts: Rollup = statement<[batch: number], { folded: number }>({
  name: 'fold_product_counts',
  lane: 'write',
  sql: `with ${taken('product_count_changes')}, by_activity as (${rollUpProducts}
   )
   select count(*) as folded from taken`,
})

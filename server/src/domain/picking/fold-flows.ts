import { rollup } from '../../database/rollups/rollup.ts'

const rollUpFlows = `
   insert into flow_totals (tenant_id, state, count)
   select tenant_id, state, sum(change) from taken group by tenant_id, state having sum(change) <> 0
   on conflict (tenant_id, state) do update set count = flow_totals.count + excluded.count`

/** Counts picking flows by state. */
export const foldFlows = rollup({
  name: 'fold_flow_counts',
  changes: 'flow_count_changes',
  ctes: `by_state as (${rollUpFlows}
   )`,
})

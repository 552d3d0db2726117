import { statement } from '../../database/statements/statement.ts'
import { taken, type Rollup } from '../counts/index.ts'

const rollUpFlows = `
   insert into flow_totals (tenant_id, state, count)
   select tenant_id, state, sum(change) from taken group by tenant_id, state having sum(change) <> 0
   on conflict (tenant_id, state) do update set count = flow_totals.count + excluded.count`

/** Counts picking flows by state. */
export const foldFlows: Rollup = statement<[batch: number], { folded: number }>({
  name: 'fold_flow_counts',
  lane: 'write',
  sql: `with ${taken('flow_count_changes')}, by_state as (${rollUpFlows}
   )
   select count(*) as folded from taken`,
})

/**
 * The CTE `flow_count_change`, which records how a statement changes the number of flows: the sums of `change` of the relation
 * `source` (state, change). The totals of the list add up these rows and their rollup.
 */
export function recordFlowCounts(source: string): string {
  return `
flow_count_change as (
  insert into flow_count_changes (tenant_id, state, change) select $1, state, change from ${source}
)`
}

/** A query (state, change) of the count changes when the flows in the relation `ended` end. */
export function endedFlows(ended: string): string {
  return `select state, 1 as change from ${ended} union all select 'started', -1 from ${ended}`
}

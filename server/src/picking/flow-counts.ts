/**
 * The CTE `flow_count_change`, which records what a statement does to the number of flows: the sums of `change` of the relation
 * `source` (state, change). The totals of the list are made of these rows and of the rollup of them.
 */
export function recordFlowCounts(source: string): string {
  return `
flow_count_change as (
  insert into flow_count_changes (tenant_id, state, change) select $1, state, change from ${source}
)`
}

/** A query (state, change) of what ending the flows in the relation `ended` does to the number of flows. */
export function endedFlows(ended: string): string {
  return `select state, 1 as change from ${ended} union all select 'started', -1 from ${ended}`
}

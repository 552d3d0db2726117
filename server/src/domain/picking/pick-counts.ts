const HOUR = `date_trunc('hour', created_at, 'UTC')`

/**
 * The CTE `pick_change`, which records the picks of the relation `source` (created_at, quantity, operator_email) for the report of picking,
 * or with `sign` -1 takes them back. An undone pick is taken back in the hour in which it was made, from the operator who made it.
 */
export function countPicks(source: string, sign: 1 | -1): string {
  return `
pick_change as (
  insert into pick_changes (tenant_id, at, operator_email, picks, units, flows, seconds)
  select $1, ${HOUR}, operator_email, ${sign} * count(*), ${sign} * sum(quantity), 0, 0 from ${source}
  -- A pick of before migration 0021 has no operator, and was not counted.
  where operator_email is not null group by 2, 3
)`
}

/** An operator who picks nothing for longer does something else: a break, a delivery, the night. */
const PAUSE = `interval '15 minutes'`

/** SQL for the seconds of a step of the length `length`; none for a pause. */
const secondsOf = (length: string): string => `case when ${length} <= ${PAUSE} then extract(epoch from ${length}) else 0 end`

/**
 * CTEs that record the completed flows of the relation `source` and the time that they took: a flow without a batch, or flows of one batch.
 *
 * The flows of a batch share the time of their walk: the operator walked once. Its steps lead from the start to the first pick of any of the
 * flows, from pick to pick, and from the last pick to the end. A step to a pick counts for the flow of that pick. The step to the end, and those
 * to picks of cancelled flows, are divided equally among the flows that are not cancelled. So the parts add up to the walk, whether the flows
 * are completed together or each when its order is picked. A part never changes: that of a flow which is cancelled after others were completed
 * is lost, as the time of any cancelled flow.
 */
export function countFlows(source: string): string {
  return `
walk as materialized (
  select min(started_at) as started_at, min(batch_id) as batch_id from ${source}
), flow_of_walk as materialized (
  select b.id, b.state <> 'cancelled' as is_counted
  from walk w cross join lateral (select id, state from picking_flows where tenant_id = $1 and batch_id = w.batch_id offset 0) b
  union all
  select id, true from ${source} where batch_id is null
), pick_step as (
  select f.id, f.is_counted, p.created_at as at, p.created_at - lag(p.created_at, 1, w.started_at) over (order by p.created_at) as length
  from walk w cross join flow_of_walk f cross join lateral (select created_at from picks where tenant_id = $1 and flow_id = f.id offset 0) p
), walked as materialized (
  select id, is_counted, max(at) as last_at, sum(${secondsOf('length')}) as seconds from pick_step group by 1, 2
), pick_change as (
  insert into pick_changes (tenant_id, at, operator_email, picks, units, flows, seconds)
  select $1, date_trunc('hour', f.completed_at, 'UTC'), f.operator_email, 0, 0, 1,
    own_seconds + (shared_seconds + ${secondsOf('f.completed_at - coalesce(last_at, f.started_at)')})
      / (select count(*) from flow_of_walk where is_counted)
  from ${source} f cross join lateral (
    select max(last_at) as last_at, coalesce(sum(seconds) filter (where id = f.id), 0) as own_seconds,
      coalesce(sum(seconds) filter (where not is_counted), 0) as shared_seconds
    from walked
  ) s
)`
}

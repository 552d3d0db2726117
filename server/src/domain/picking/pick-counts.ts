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

/** SQL for the seconds that the operator worked on the flow `f`: between its start, its picks and its end, without pauses. */
const WORKED = `(
    select coalesce(sum(extract(epoch from at - before)) filter (where at - before <= ${PAUSE}), 0)
    from (
      select at, lag(at) over (order by at) as before from (
        select f.started_at as at union all select f.completed_at
        union all select created_at from picks where tenant_id = $1 and flow_id = f.id
      ) moment
    ) step
  )`

/** SQL for the number of flows that were picked in the same walk. */
const TOGETHER = `greatest((select count(*) from picking_flows b where b.tenant_id = $1 and b.batch_id = f.batch_id), 1)`

/**
 * The CTE `pick_change`, which records the completed flows of the relation `source` and the time that they took. The flows of a batch share the
 * time of their walk: each has the picks of its order alone, but the operator walked once.
 */
export function countFlows(source: string): string {
  return `
pick_change as (
  insert into pick_changes (tenant_id, at, operator_email, picks, units, flows, seconds)
  select $1, date_trunc('hour', completed_at, 'UTC'), operator_email, 0, 0, 1, ${WORKED} / ${TOGETHER} from ${source} f
)`
}

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

/** The CTE `pick_change`, which records the completed flows of the relation `source` and the time that they took. */
export function countFlows(source: string): string {
  return `
pick_change as (
  insert into pick_changes (tenant_id, at, operator_email, picks, units, flows, seconds)
  select $1, date_trunc('hour', completed_at, 'UTC'), operator_email, 0, 0, 1, extract(epoch from completed_at - started_at) from ${source}
)`
}

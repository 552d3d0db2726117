/** Upper limits of the classes of durations that `delivery_hours` counts, in milliseconds. The last class also has all longer attempts. */
export const DURATION_LIMITS_MS = [
  5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 20_000,
] as const

const CLASSES = DURATION_LIMITS_MS.length

/** SQL for the class of a duration in whole milliseconds, 1 to 20. */
const classOf = (durationMs: string): string =>
  `least(width_bucket(${durationMs} - 1, '{${DURATION_LIMITS_MS.join(',')}}'::int[]) + 1, ${CLASSES})`

/**
 * The CTE `counted_attempt`, which counts the results of `source` (tenant_id, subscription_id, state, attempt) that have an attempt, in the
 * hour of `now`. `source` must depend on the lock of the lanes: rows are locked after them, in key order.
 */
export function countAttempts(source: string, now: string): string {
  return `
measured as materialized (
  select tenant_id, subscription_id, state, ${classOf(`(attempt->>'duration_ms')::int`)} as class from ${source} where attempt is not null
), counted_attempt as (
  insert into delivery_hours as h (tenant_id, at, subscription_id, succeeded, failed, durations)
  select tenant_id, date_trunc('hour', ${now}, 'UTC'), subscription_id, count(*) filter (where state = 'succeeded'),
    count(*) filter (where state <> 'succeeded'),
    array[${DURATION_LIMITS_MS.map((_, index) => `count(*) filter (where class = ${index + 1})`).join(', ')}]::int[]
  from measured group by tenant_id, subscription_id order by tenant_id, subscription_id
  on conflict (tenant_id, at, subscription_id) do update
  set succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed,
    durations = (select array_agg(kept + added order by class) from unnest(h.durations, excluded.durations) with ordinality d (kept, added, class))
)`
}

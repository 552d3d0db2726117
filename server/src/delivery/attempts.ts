/** Attempts that a delivery keeps: the newest ones. Each has its number, so that the count stays exact. */
const MAX_KEPT = 100

/** SQL for the number of attempts of a delivery. */
export const attemptCount = (attempts: string): string => `coalesce((${attempts} -> -1 ->> 'number')::int, 0)`

/** SQL that appends an attempt. */
export const withAttempt = (attempts: string, attempt: string): string =>
  `case when jsonb_array_length(${attempts}) < ${MAX_KEPT} then ${attempts}
     else jsonb_path_query_array(${attempts}, '$[last - ${MAX_KEPT - 2} to last]') end || ${attempt}`

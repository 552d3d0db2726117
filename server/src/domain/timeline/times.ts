// Times as Postgres has them in JSON, in UTC: `2026-12-01T08:15:30.12+00:00`. Parsing them as dates takes ten times as long.

const SECONDS = 'yyyy-mm-ddThh:mm:ss'.length
const OFFSET = '+00:00'.length
const WHOLE = 'yyyy-mm-ddThh:mm:ss.uuuuuu+00:00'.length

/** A time as responses have it. */
export const inMilliseconds = (at: string): string =>
  at.length === WHOLE ? `${at.slice(0, SECONDS + 4)}Z` : `${at.slice(0, SECONDS)}.${microsecondsOf(at).slice(0, 3)}Z`

/** Of a second: `2026-12-01T08:15:30.12+00:00` has 120000. */
export const microsecondsOf = (at: string): string => at.slice(SECONDS + 1, -OFFSET).padEnd(6, '0')

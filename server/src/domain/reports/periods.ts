const HOUR_MS = 3_600_000
const LENGTH_MS = { hour: HOUR_MS, day: 24 * HOUR_MS }

/** The beginning of the hour or day (UTC) of a time. */
export function beginningOf(period: keyof typeof LENGTH_MS, moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / LENGTH_MS[period]) * LENGTH_MS[period])
}

/** The first and the last day (UTC) of a period whose end is exclusive. Without an end, `LAST_DAY` tells the last day. */
export function daysOf(since: Date, until: Date | undefined): [first: string, last: string | null] {
  return [dayOf(since), until === undefined ? null : dayOf(new Date(until.getTime() - 1))]
}

/** SQL for the last day, `$3`: by default today, by the clock of the database. */
export const LAST_DAY = `coalesce($3::date, (now() at time zone 'UTC')::date)`

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 'YYYY-MM-DD'.length)

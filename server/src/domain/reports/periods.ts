const HOUR_MS = 3_600_000
const LENGTH_MS = { hour: HOUR_MS, day: 24 * HOUR_MS }

/** The beginning of the hour or day (UTC) of a time. */
export function beginningOf(period: keyof typeof LENGTH_MS, moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / LENGTH_MS[period]) * LENGTH_MS[period])
}

/** The first and the last day (UTC) of a period whose end is exclusive. Without an end, the last day is today. */
export function daysOf(since: Date, until: Date | undefined): [first: string, last: string] {
  return [dayOf(since), dayOf(until === undefined ? new Date() : new Date(until.getTime() - 1))]
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 'YYYY-MM-DD'.length)

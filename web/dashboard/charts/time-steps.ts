import { formatDay, formatHour, formatHourOfDay, formatShortDay } from '../../shared/format.ts'
import type { Point } from './chart-data.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

export type Step = 'hour' | 'day'

/** The beginning of the hour or day (UTC) of a moment. */
function beginningOf(step: Step, ms: number): number {
  const length = step === 'hour' ? HOUR_MS : DAY_MS
  return Math.floor(ms / length) * length
}

/** The first of the last so many days (UTC), today included: a date. */
export const firstOfDays = (days: number): string => dayOf(new Date(Date.now() - (days - 1) * DAY_MS).toISOString())

/** The beginning of the first of the last so many hours, this one included. */
export const firstOfHours = (hours: number): string =>
  new Date(beginningOf('hour', Date.now()) - (hours - 1) * HOUR_MS).toISOString()

/** The day (UTC) of a moment. */
export const dayOf = (moment: string): string => moment.slice(0, 10)

/** All hours or days from one moment up to now, so that those without numbers are there too. */
export function stepsSince(step: Step, since: string, until = Date.now()): string[] {
  const length = step === 'hour' ? HOUR_MS : DAY_MS
  const first = beginningOf(step, Date.parse(since))
  const count = Math.max(Math.floor((until - first) / length) + 1, 0)
  return Array.from({ length: count }, (_, index) => new Date(first + index * length).toISOString())
}

/** The point of an hour or a day, in a chart of so many days. */
export function pointOf(step: Step, at: string, values: Point['values'], days = 1): Point {
  const label = step === 'hour' ? formatHour(at) : formatDay(dayOf(at))
  return { id: at, label, short: step === 'hour' && days <= 1 ? formatHourOfDay(at) : formatShortDay(at), values }
}

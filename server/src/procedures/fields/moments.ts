import { z } from 'zod'
import { date } from './fields.ts'

const DAY_MS = 86_400_000
const LATEST_MS = Date.UTC(9999, 11, 31)

const timestamp = z.iso.datetime({ offset: true })
const isMoment = (value: string): boolean => date.safeParse(value).success || timestamp.safeParse(value).success

const moment = z.string().refine(isMoment, 'must be a date YYYY-MM-DD or an ISO 8601 timestamp')

const isDay = (value: string): boolean => value.length === 'YYYY-MM-DD'.length

/** Clamped to years that a Postgres timestamp can hold. */
const pointInTime = (ms: number): Date => new Date(Math.min(Math.max(ms, 0), LATEST_MS))

/** The start of a period: a date means the start of that day, UTC. */
export const since = moment.transform((value) => pointInTime(Date.parse(value)))

/** The exclusive end of a period: a date includes that whole day, UTC, and a timestamp includes its millisecond. */
export const until = moment.transform((value) => pointInTime(Date.parse(value) + (isDay(value) ? DAY_MS : 1)))

import { z } from 'zod'
import { date } from '../fields.ts'

const DAY_MS = 86_400_000
const LATEST_MS = Date.UTC(9999, 11, 31)

const timestamp = z.iso.datetime({ offset: true })
const isMoment = (value: string): boolean => date.safeParse(value).success || timestamp.safeParse(value).success

const moment = z.string().refine(isMoment, 'must be a date YYYY-MM-DD or an ISO 8601 timestamp')

const isDay = (value: string): boolean => value.length === 'YYYY-MM-DD'.length

/** Clamped to what Postgres has a timestamp for. */
const pointInTime = (ms: number): Date => new Date(Math.min(Math.max(ms, 0), LATEST_MS))

/** The beginning of a period: a day counts from its first moment, UTC. */
export const since = moment.transform((value) => pointInTime(Date.parse(value)))

/** The end of a period, as the first moment after it: a day counts until its end, UTC, a timestamp's millisecond is in the period. */
export const until = moment.transform((value) => pointInTime(Date.parse(value) + (isDay(value) ? DAY_MS : 1)))

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Delay before each retry; there is one more attempt than there are delays. */
const DELAYS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** Total attempts of a delivery. */
export const ATTEMPTS_OF_SCHEDULE = DELAYS_MS.length + 1

const JITTER = 0.2
/** After more tries, a requested wait can only be longer than that of the schedule: a second each would use up all attempts in an outage. */
const TRIES_AS_REQUESTED = 3
const LONGEST_HOLD_MS = 24 * HOUR

/**
 * Time of the next attempt after `tries` failed attempts; undefined after the last one. `hold` is the end of the wait that the receiver
 * requested with the last one.
 */
export function nextTry(tries: number, failedAt: Date, hold?: Date): Date | undefined {
  const delay = DELAYS_MS[tries - 1]
  if (delay === undefined) return undefined
  const scheduled = new Date(failedAt.getTime() + Math.round(delay * (1 + Math.random() * JITTER)))
  if (hold === undefined) return scheduled
  return tries <= TRIES_AS_REQUESTED || hold > scheduled ? hold : scheduled
}

/** The end of the wait requested by a `Retry-After` header, at most 24 hours from now; undefined when it requests none. */
export function heldUntil(retryAfter: string | undefined, now: Date): Date | undefined {
  if (retryAfter === undefined) return undefined
  const value = retryAfter.trim()
  const waitMs = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - now.getTime()
  return waitMs > 0 ? new Date(now.getTime() + Math.min(waitMs, LONGEST_HOLD_MS)) : undefined
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after a failed attempt the next one follows; there is one attempt more than there are delays. */
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

/** Attempts of a delivery in all. */
export const ATTEMPTS_OF_SCHEDULE = DELAYS_MS.length + 1

const JITTER = 0.2
const LONGEST_HOLD_MS = 24 * HOUR

/** When to try again after the `tries`th attempt failed, or undefined when that was the last one. */
export function nextTry(tries: number, failedAt: Date): Date | undefined {
  const delay = DELAYS_MS[tries - 1]
  return delay === undefined ? undefined : new Date(failedAt.getTime() + Math.round(delay * (1 + Math.random() * JITTER)))
}

/** Until when a `Retry-After` header, in seconds or as a date, asks to wait: at most 24 hours; undefined when it asks for nothing. */
export function heldUntil(retryAfter: string | undefined, now: Date): Date | undefined {
  if (retryAfter === undefined) return undefined
  const value = retryAfter.trim()
  const waitMs = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - now.getTime()
  return waitMs > 0 ? new Date(now.getTime() + Math.min(waitMs, LONGEST_HOLD_MS)) : undefined
}

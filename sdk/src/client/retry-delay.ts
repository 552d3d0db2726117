import { APIError } from './api-error.ts'
import { ConnectionError } from './connection-error.ts'

const FIRST_DELAY_MS = 1_000
const LONGEST_BACKOFF_MS = 8_000
/** A server that asks for more patience than this gets none: the caller hears of it at once. */
const LONGEST_RETRY_AFTER_MS = 60_000

/** How long to wait before the next try, or undefined when the failure is final. */
export function retryDelayMs(error: unknown, failedAttempts: number): number | undefined {
  if (error instanceof ConnectionError) return backoffMs(failedAttempts)
  if (!(error instanceof APIError) || !isTransient(error.status)) return undefined
  const { retryAfterMs } = error
  if (retryAfterMs === undefined) return backoffMs(failedAttempts)
  return retryAfterMs > LONGEST_RETRY_AFTER_MS ? undefined : retryAfterMs
}

/** Milliseconds of a `Retry-After` header, which holds seconds or an HTTP date. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1_000
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

// 409 is never retried: the answer would be the same, and a conflict is the caller's to resolve.
function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

// Half of the delay is random, so that clients which failed together do not come back together.
function backoffMs(failedAttempts: number): number {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failedAttempts - 1), LONGEST_BACKOFF_MS)
  return delayMs * (0.5 + Math.random() / 2)
}

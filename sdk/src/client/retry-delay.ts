import { APIError } from './api-error.ts'
import { ConnectionError } from './connection-error.ts'

const FIRST_DELAY_MS = 1_000
const LONGEST_BACKOFF_MS = 8_000
/** A server that asks for more patience than this gets none: the caller hears of it at once. */
const LONGEST_RETRY_AFTER_MS = 60_000

/** How long to wait before the next try, or undefined when the failure is final. */
export function retryDelayMs(error: unknown, failedAttempts: number): number | undefined {
  if (error instanceof ConnectionError) return backoffMs(failedAttempts)
  if (!(error instanceof APIError) || !isTransient(error)) return undefined
  const { retryAfterMs = 0 } = error
  if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined
  // Never sooner than without the header, which may say 0 or a time that is past. Up to a tenth longer than it says, so that clients
  // which were all told the same do not come back together.
  return Math.max(backoffMs(failedAttempts), retryAfterMs * (1 + Math.random() / 10))
}

/** Milliseconds of a `Retry-After` header, which holds seconds or an HTTP date. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (!header) return undefined
  const ms = /^-?\d+(\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

// A 409 is the caller's to resolve, and the answer would be the same: but for the one that says to come back, because an earlier attempt
// with the same Idempotency-Key is still running.
function isTransient({ status, code, retryAfterMs }: APIError): boolean {
  if (code === 'idempotency_conflict') return retryAfterMs !== undefined
  return status === 408 || status === 429 || status >= 500
}

// Half of the delay is random, so that clients which failed together do not come back together.
function backoffMs(failedAttempts: number): number {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failedAttempts - 1), LONGEST_BACKOFF_MS)
  return delayMs * (0.5 + Math.random() / 2)
}

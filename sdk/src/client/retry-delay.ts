import { APIError } from './api-error.ts'
import { ConnectionError } from './connection-error.ts'

const FIRST_DELAY_MS = 1_000
const LONGEST_BACKOFF_MS = 8_000
/** If the server asks for a longer wait, the call fails immediately. */
const LONGEST_RETRY_AFTER_MS = 60_000

/** The wait before the next attempt, or undefined if the failure is not retried. */
export function retryDelayMs(error: unknown, failedAttempts: number): number | undefined {
  if (error instanceof ConnectionError) return backoffMs(failedAttempts)
  if (!(error instanceof APIError) || !isTransient(error)) return undefined
  const { retryAfterMs = 0 } = error
  if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined
  // Never shorter than without the header, which may be 0 or in the past. Up to a tenth longer than the header, so that clients that got
  // the same value do not retry at the same time.
  return Math.max(backoffMs(failedAttempts), retryAfterMs * (1 + Math.random() / 10))
}

/** The milliseconds of a `Retry-After` header, which contains seconds or an HTTP date. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (!header) return undefined
  const ms = /^-?\d+(\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

// A retry of a 409 would get the same response. The exception is a 409 with Retry-After: an earlier attempt with the same Idempotency-Key
// is still running.
function isTransient({ status, code, retryAfterMs }: APIError): boolean {
  if (code === 'idempotency_conflict') return retryAfterMs !== undefined
  return status === 408 || status === 429 || status >= 500
}

// Half of the delay is random, so that clients that failed at the same time do not retry at the same time.
function backoffMs(failedAttempts: number): number {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failedAttempts - 1), LONGEST_BACKOFF_MS)
  return delayMs * (0.5 + Math.random() / 2)
}

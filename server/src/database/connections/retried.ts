import { retry } from '../../runtime/retry.ts'
import { isRetryable } from '../errors.ts'

const MAX_TRIES = 5
const RETRY_PAUSE_MS = 5

/** Runs a statement or transaction, and repeats it after a deadlock, or after any failure that `mayRetry` accepts. */
export function retried<T>(attempt: () => Promise<T>, mayRetry: (error: unknown) => boolean = isRetryable): Promise<T> {
  return retry(attempt, {
    maxTries: MAX_TRIES,
    isRetryable: mayRetry,
    pauseMs: (failed) => RETRY_PAUSE_MS * 2 ** (failed - 1),
  })
}

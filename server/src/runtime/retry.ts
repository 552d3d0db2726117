import { setTimeout as delay } from 'node:timers/promises'

/** Options of `retry`. */
export interface RetryOptions {
  /** Maximum number of attempts. Without it, only `isRetryable` decides. */
  maxTries?: number
  /** Whether another attempt may succeed. */
  isRetryable: (error: unknown) => boolean
  /**
   * Pause after this many failures. The actual pause is a random time from half of it to all of it: jitter, so that operations that failed
   * together don't collide again.
   */
  pauseMs: (failures: number) => number
  /** Called before each pause. */
  onRetry?: (error: unknown) => void
}

/** Runs `operation`, and repeats it after each retryable error. Rejects with the last error. */
export async function retry<T>(
  operation: () => Promise<T>,
  { maxTries = Infinity, isRetryable, pauseMs, onRetry }: RetryOptions,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await operation()
    } catch (error) {
      if (failures >= maxTries || !isRetryable(error)) throw error
      onRetry?.(error)
      await delay(pauseMs(failures) * (0.5 + Math.random() / 2))
    }
  }
}

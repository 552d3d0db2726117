import { onAbort } from './on-abort.ts'

/** The signal of one attempt. It aborts after `timeoutMs`, or when the caller's signal aborts. */
export interface AttemptSignal {
  signal: AbortSignal
  timedOut(): boolean
  /** Rejects once the signal aborts, even if `promise` never settles: a custom `fetch` may ignore the signal. */
  race<T>(promise: T | PromiseLike<T>): Promise<T>
  /** Clears the timer and removes the listener from the caller's signal. */
  release(): void
}

// Longer timers overflow and fire immediately.
const LONGEST_TIMER_MS = 2 ** 31 - 1

// Not AbortSignal.any: Safari before 17.4 lacks it, and the listener must be removed from a signal that outlives the attempt.
export function attemptSignal(timeoutMs: number, callerSignal: AbortSignal | undefined): AttemptSignal {
  const controller = new AbortController()
  const { signal } = controller
  let timedOut = false
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  // After the attempt nothing awaits this promise, so a rejection would be unhandled.
  aborted.catch(() => undefined)
  const timer = setTimeout(
    () => {
      timedOut = true
      // As of AbortSignal.timeout: a custom `fetch` can tell it from an abort by the caller.
      controller.abort(new DOMException('The attempt timed out', 'TimeoutError'))
    },
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  )
  const forget = onAbort(callerSignal, () => controller.abort(callerSignal?.reason))
  return {
    signal,
    timedOut: () => timedOut,
    race: (promise) => Promise.race([aborted, promise]),
    release() {
      clearTimeout(timer)
      forget()
    },
  }
}

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget()
      resolve()
    }, ms)
    const forget = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal?.reason)
    })
  })
}

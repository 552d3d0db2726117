/** One attempt's limit: aborts after `timeoutMs`, or when the caller's signal does. */
export interface AttemptSignal {
  signal: AbortSignal
  timedOut(): boolean
  /** The promise, or a rejection once the signal aborts: a `fetch` of the caller's own may not heed the signal. */
  race<T>(promise: T | PromiseLike<T>): Promise<T>
  /** Lets go of the timer and of the caller's signal. */
  release(): void
}

// Longer timers overflow and fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

// Not AbortSignal.any: Safari before 17.4 lacks it, and a listener must not stay on a signal that outlives the attempt.
export function attemptSignal(timeoutMs: number, callerSignal: AbortSignal | undefined): AttemptSignal {
  const controller = new AbortController()
  const { signal } = controller
  let timedOut = false
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  // An attempt that is over has nobody left who waits for this.
  aborted.catch(() => undefined)
  const onAbort = () => controller.abort(callerSignal?.reason)
  const timer = setTimeout(
    () => {
      timedOut = true
      controller.abort()
    },
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  )
  if (callerSignal?.aborted) onAbort()
  callerSignal?.addEventListener('abort', onAbort)
  return {
    signal,
    timedOut: () => timedOut,
    race: (promise) => Promise.race([aborted, promise]),
    release() {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

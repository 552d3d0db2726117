/** One attempt's limit: aborts after `timeoutMs`, or when the caller's signal does. */
export interface AttemptSignal {
  signal: AbortSignal
  timedOut(): boolean
  /** Lets go of the timer and of the caller's signal. */
  release(): void
}

// Longer timers overflow and fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

// Not AbortSignal.any: Safari before 17.4 lacks it, and a listener must not stay on a signal that outlives the attempt.
export function attemptSignal(timeoutMs: number, callerSignal: AbortSignal | undefined): AttemptSignal {
  const controller = new AbortController()
  let timedOut = false
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
    signal: controller.signal,
    timedOut: () => timedOut,
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

import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const TICK_MS = 50

/**
 * Resolves with true when the process has had `ms` to read a response, or with false when the signal aborts the wait. Time is counted in
 * ticks of the event loop, and a late tick counts once, because a busy process reads no responses. With `needsThreads`, as for name
 * resolution and authentication, time counts only while the threads of libuv are free.
 */
export async function ownTimePassed(ms: number, signal: AbortSignal, needsThreads: () => boolean): Promise<boolean> {
  for (let passedMs = 0; passedMs < ms; passedMs += TICK_MS) {
    await delay(TICK_MS, undefined, { signal }).catch(() => {})
    if (!signal.aborted && needsThreads()) await stat('/').catch(() => {})
    if (signal.aborted) return false
  }
  return true
}

import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const TICK_MS = 50

/**
 * Resolves with true when the process has had `ms` in which it could have heard an answer, with false when the signal ends the wait. Counted
 * in ticks of its own event loop, a late one as one: while the process is busy, an answer lies unread. With `needsThreads`, as for name
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

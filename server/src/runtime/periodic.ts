import { setTimeout as delay } from 'node:timers/promises'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS

/** A task that runs at intervals. */
export interface PeriodicTask {
  /** Aborts the current run and waits for its end. No further run starts. */
  stop(): Promise<void>
}

/** Runs `task` after `delayMs`, and again `intervalMs` after the end of each run. A failed run is reported and does not stop the next one. */
export function repeat(
  intervalMs: number | (() => number),
  task: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
  delayMs = 0,
): PeriodicTask {
  const stopping = new AbortController()
  const finished = loop()
  return {
    stop: async () => {
      stopping.abort()
      await finished
    },
  }

  async function loop(): Promise<void> {
    if (delayMs > 0) await pause(delayMs)
    while (!stopping.signal.aborted) {
      await task(stopping.signal).catch(onError)
      await pause(typeof intervalMs === 'number' ? intervalMs : intervalMs())
    }
  }

  async function pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: stopping.signal }).catch(() => {})
  }
}

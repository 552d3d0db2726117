import { setTimeout as delay } from 'node:timers/promises'

/** A task that runs again and again. */
export interface PeriodicTask {
  /** Waits for a run that is under way; none starts after it. */
  stop(): Promise<void>
}

/** Runs `task`, waits `intervalMs`, and so on. A failed run is reported and the next one comes at its time. A long task can look at the signal. */
export function repeat(
  intervalMs: number,
  task: (stopping: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
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
    while (!stopping.signal.aborted) {
      await task(stopping.signal).catch(onError)
      await delay(intervalMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
}

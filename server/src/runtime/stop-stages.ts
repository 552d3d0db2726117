import { within } from './within.ts'

/** A part of a process that is stopped. */
export interface StopStage {
  /** `the deliveries`, for messages. */
  name: string
  /** What the stages after it need, in milliseconds. */
  restMs?: number
  /** Stops it. It should be done within `leftMs`. */
  stop(leftMs: number): Promise<unknown> | undefined
}

/**
 * Runs the stages one after the other, until the deadline by the monotonic clock. Each has the time that is left, but for what those after it
 * need: then it is left behind. Also after a failure all of them run. Throws what failed or was left behind.
 */
export async function runStages(stages: Iterable<StopStage>, deadlineMs: number): Promise<void> {
  const failures: unknown[] = []
  for (const { name, restMs = 0, stop } of stages) {
    const leftMs = Math.max(0, deadlineMs - performance.now() - restMs)
    try {
      await within(leftMs, stop(leftMs), () => {
        throw new Error(`There was no time to stop ${name} in good order`)
      })
    } catch (error) {
      failures.push(error)
    }
  }
  const [first, ...others] = failures
  if (others.length > 0) throw new AggregateError(failures, failures.map(String).join('; '))
  if (first !== undefined) throw first
}

import { setTimeout as delay } from 'node:timers/promises'

/**
 * The result of `work` if it is there within `ms`, otherwise that of `late`, which may throw. Late work goes on: its result is ignored, and
 * its failure too.
 */
export async function within<Result, Late>(ms: number, work: Result | Promise<Result>, late: () => Late): Promise<Result | Late> {
  const inTime = new AbortController()
  const timeout = delay(ms, undefined, { signal: inTime.signal }).then(late)
  return await Promise.race([work, timeout]).finally(() => inTime.abort())
}

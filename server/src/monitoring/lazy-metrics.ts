import type { Slice } from '../procedures/slice.ts'
import { loadOnce } from '../runtime/load-once.ts'
import type { Shards } from '../shards/shards.ts'
import type { Metrics, Siblings } from './metrics.ts'

/** Time after which the library is loaded even without a request for metrics. */
const LOAD_AFTER_MS = 2_000

/** Metrics that are recorded from the start of the process, with a library that is loaded later. */
export interface LazyMetrics extends Metrics {
  /** Stops the timer that loads the library. */
  close(): void
}

/**
 * Buffers measurements until prom-client is loaded. Its 87 modules, most of them OpenTelemetry's, take a twelfth of the start time, and no
 * request needs them.
 */
export function lazyMetrics(shards: Shards, slices: readonly Slice[], siblings?: Siblings): LazyMetrics {
  let loaded: Metrics | undefined
  let timer: NodeJS.Timeout
  const noted: ((metrics: Metrics) => void)[] = []
  const later = (work: (metrics: Metrics) => void): void => {
    if (loaded === undefined) noted.push(work)
    else work(loaded)
  }
  const load = loadOnce(async (): Promise<Metrics> => {
    const { createMetrics } = await import('./metrics.ts')
    const metrics = createMetrics(shards, slices, siblings)
    loaded = metrics
    for (const work of noted.splice(0)) work(metrics)
    return metrics
  })
  // Again after a failure: what was noted is kept in memory until then.
  const loadLater = (): void => {
    timer = setTimeout(() => void load().catch(loadLater), LOAD_AFTER_MS).unref()
  }
  loadLater()

  return {
    // Called for every request: once the library is loaded, it allocates nothing.
    requestCompleted: (method, route, status, seconds) => {
      if (loaded === undefined) noted.push((metrics) => metrics.requestCompleted(method, route, status, seconds))
      else loaded.requestCompleted(method, route, status, seconds)
    },
    signInRefused: () => later((metrics) => metrics.signInRefused()),
    deliveryAttempted: (...attempt) => later((metrics) => metrics.deliveryAttempted(...attempt)),
    measureHeldBytes: (held) => later((metrics) => metrics.measureHeldBytes(held)),
    measureReplica: (replica) => {
      let count: ReturnType<Metrics['measureReplica']> = () => {}
      later((metrics) => {
        count = metrics.measureReplica(replica)
      })
      return (target) => later(() => count(target))
    },
    render: async () => await (await load()).render(),
    renderOwn: async () => await (await load()).renderOwn(),
    close: () => clearTimeout(timer),
  }
}

import { Counter, Histogram, type Registry } from 'prom-client'
import { PREFIX, SECONDS } from './conventions.ts'

/** The metrics of a route with resolved labels. The client library would look up the labels by name at each call. */
interface RouteMetrics {
  count: Counter.Internal
  seconds: Histogram.Internal<string>
}

/** Adds the metrics of requests, and returns the function that records one. `route` is the path with the names of its parameters. */
export function requestMetrics(registry: Registry): (method: string, route: string, status: number, seconds: number) => void {
  const registers = [registry]
  const requests = new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Requests completed, by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: `${PREFIX}http_request_seconds`,
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers,
  })
  const byMethod = new Map<string, Map<string, Map<number, RouteMetrics>>>()
  const metricsOf = (method: string, route: string, status: number): RouteMetrics => {
    const byRoute = getOrInsert(byMethod, method, () => new Map<string, Map<number, RouteMetrics>>())
    const byStatus = getOrInsert(byRoute, route, () => new Map<number, RouteMetrics>())
    return getOrInsert(byStatus, status, () => ({
      count: requests.labels(method, route, String(status)),
      seconds: requestSeconds.labels(method, route),
    }))
  }
  return (method, route, status, seconds) => {
    const labelled = metricsOf(method, route, status)
    labelled.count.inc()
    labelled.seconds.observe(seconds)
  }
}

function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const made = make()
  map.set(key, made)
  return made
}

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { stateOf } from '../../database/database-state.ts'
import type { Database } from '../../database/database.ts'
import type { ReadTarget } from '../../database/replica/replica-reads.ts'
import type { Replica } from '../../database/replica/replica.ts'
import type { HeldBytes } from '../../http/limits/memory-limits.ts'
import type { Slice, SliceMetrics } from '../../procedures/slice.ts'
import type { Shards } from '../../shards/shards.ts'
import { mergeMetrics } from './merge-metrics.ts'

const PREFIX = 'fulfillment_'
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The outcome of a delivery attempt. */
export type AttemptOutcome = 'succeeded' | 'retried' | 'failed'

/** The metrics of one server process. They contain no tenant, key or record, so they reveal nothing about customers. */
export interface Metrics {
  /** `route` is the path with the names of its parameters. */
  requestCompleted(method: string, route: string, status: number, seconds: number): void
  /** A sign-in to the dashboard with an invalid API key or code. */
  signInRefused(): void
  deliveryAttempted(outcome: AttemptOutcome, seconds: number): void
  /** Starts measuring a replica. The returned function counts a read that is allowed on it. */
  measureReplica(replica: Pick<Replica, 'isUsable' | 'lagSeconds'>): (target: ReadTarget) => void
  /** Starts measuring the memory held by bodies and responses. */
  measureHeldBytes(held: HeldBytes): void
  /** The metrics of all processes behind the port, in the text format of Prometheus. */
  render(): Promise<{ contentType: string; text: string }>
  /** The metrics of this process alone, without those read from the database. */
  renderOwn(): Promise<string>
}

/** The metrics of a route with resolved labels. The client library would look up the labels by name at each call. */
interface RequestMetrics {
  count: Counter.Internal
  seconds: Histogram.Internal<string>
}

/** The processes behind one port, including this one. */
export interface Siblings {
  /** The number of this process. */
  number: string
  /** The metrics of each process, in the text format of Prometheus. */
  metricsOfAll(): Promise<string[]>
}

/**
 * Creates the metrics of a process. With siblings, each series has the label `process`: a sum over processes would drop when one is
 * restarted, and Prometheus would take that for a reset counter. Metrics read from the database are the same for all processes and have no
 * such label. With several shards, the series of databases have the label `shard`.
 */
export function createMetrics(shards: Shards, slices: readonly Slice[], siblings?: Siblings): Metrics {
  const registry = new Registry()
  const ofDatabase = new Registry()
  if (siblings !== undefined) registry.setDefaultLabels({ process: siblings.number })
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
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
  const attempts = new Counter({
    name: `${PREFIX}webhook_attempts_total`,
    help: 'Webhook delivery attempts of this process, by outcome: acknowledged, to be retried, or given up.',
    labelNames: ['outcome'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: `${PREFIX}webhook_attempt_seconds`,
    help: 'Duration of webhook delivery attempts.',
    buckets: SECONDS,
    registers,
  })
  const refusedSignIns = new Counter({
    name: `${PREFIX}sign_ins_refused_total`,
    help: 'Sign-ins to the dashboard that were refused: the API key or the code was not valid.',
    registers,
  })
  measureDatabases(shards, registry)
  const measureSlices = slices.flatMap(({ metrics }) => (metrics === undefined ? [] : [sliceGauges(metrics, shards, ofDatabase)]))
  const byMethod = new Map<string, Map<string, Map<number, RequestMetrics>>>()
  const metricsOf = (method: string, route: string, status: number): RequestMetrics => {
    const byRoute = getOrInsert(byMethod, method, () => new Map<string, Map<number, RequestMetrics>>())
    const byStatus = getOrInsert(byRoute, route, () => new Map<number, RequestMetrics>())
    return getOrInsert(byStatus, status, () => ({
      count: requests.labels(method, route, String(status)),
      seconds: requestSeconds.labels(method, route),
    }))
  }

  return {
    requestCompleted(method, route, status, seconds) {
      const labelled = metricsOf(method, route, status)
      labelled.count.inc()
      labelled.seconds.observe(seconds)
    },
    signInRefused: () => refusedSignIns.inc(),
    deliveryAttempted(outcome, seconds) {
      attempts.inc({ outcome })
      attemptSeconds.observe(seconds)
    },
    measureHeldBytes: (held) => {
      const gauge = gaugesOn(registry)
      gauge('body_bytes', 'Memory held by large request bodies.', held.bodies)
      gauge('response_bytes', 'Memory held by large responses that clients have not read yet.', held.responses)
    },
    measureReplica: (replica) => measureReplica(replica, registry),
    async render() {
      await Promise.all(measureSlices.map((measure) => measure()))
      const ofProcesses = siblings === undefined ? await registry.metrics() : mergeMetrics(await siblings.metricsOfAll())
      return { contentType: registry.contentType, text: `${ofProcesses}\n${await ofDatabase.metrics()}` }
    },
    renderOwn: () => registry.metrics(),
  }
}

function measureDatabases(shards: Shards, registry: Registry): void {
  const gauge = (name: string, help: string, value: (db: Database) => number | Promise<number>): Gauge =>
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames: ['shard'],
      registers: [registry],
      async collect() {
        const measured = shards.all.map(async ({ id, db }) => ({
          id,
          value: db === undefined ? valueOfNone(name) : await value(db),
        }))
        const values = await Promise.all(measured)
        this.reset()
        for (const { id, value: one } of values) this.set(labelsOf(shards, id), one)
      },
    })
  gauge(UP, '0 while the database cannot be reached or does not respond.', async (db) => Number((await stateOf(db)) !== 'lost'))
  gauge('database_waiting_queries', 'Queries waiting for a result.', (db) => db.usage().waitingQueries)
  gauge('database_pool_waiting_requests', 'Requests waiting for a connection.', (db) => db.usage().pool.waitingRequests)
  gauge('database_pool_connections', 'Open connections of the pool.', (db) => db.usage().pool.open)
  gauge('database_pool_idle_connections', 'Unused open connections of the pool.', (db) => db.usage().pool.idle)
}

const UP = 'database_up'

/** Of a shard that was not reached since the start. */
const valueOfNone = (name: string): number => (name === UP ? 0 : Number.NaN)

/** With one database, its series have no label. */
const labelsOf = (shards: Shards, id: number): { shard?: string } => (shards.all.length === 1 ? {} : { shard: String(id) })

function measureReplica(replica: Pick<Replica, 'isUsable' | 'lagSeconds'>, registry: Registry): (target: ReadTarget) => void {
  const gauge = gaugesOn(registry)
  gauge('replica_up', '0 while the replica is unusable: it does not respond, or lags too far.', () => Number(replica.isUsable))
  gauge(
    'replica_lag_seconds',
    'Maximum age of the data on the replica, to a second; NaN while unknown.',
    () => replica.lagSeconds ?? Number.NaN,
  )
  const reads = new Counter({
    name: `${PREFIX}replica_reads_total`,
    help: 'Reads that are allowed on a replica, by the server that executed them.',
    labelNames: ['target'],
    registers: [registry],
  })
  return (target) => reads.inc({ target })
}

/** Creates gauges whose values are read when the metrics are rendered. */
function gaugesOn(registry: Registry) {
  return (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name: PREFIX + name,
      help,
      registers: [registry],
      collect() {
        this.set(value())
      },
    })
}

/** Gauges of a slice. Those of a database are absent while it cannot be read. */
function sliceGauges({ gauges, measure }: SliceMetrics, shards: Shards, registry: Registry): () => Promise<void> {
  const all = Object.entries(gauges).map(
    ([name, help]) => [name, new Gauge({ name: PREFIX + name, help, labelNames: ['shard'], registers: [registry] })] as const,
  )
  return async () => {
    const measured = await Promise.all(
      shards.all.map(async ({ id, db }) => ({ id, values: db && (await measure(db).catch(() => undefined)) })),
    )
    for (const [name, gauge] of all) {
      gauge.reset()
      for (const { id, values } of measured) if (values !== undefined) gauge.set(labelsOf(shards, id), values[name] ?? Number.NaN)
    }
  }
}

function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const made = make()
  map.set(key, made)
  return made
}

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ReadTarget } from '../database/replica/replica-reads.ts'
import type { Replica } from '../database/replica/replica.ts'
import type { HeldBytes } from '../http/limits/memory-limits.ts'
import type { Slice } from '../procedures/slice.ts'
import type { Shards } from '../shards/shards.ts'
import { PREFIX, SECONDS } from './conventions.ts'
import { measureDatabases, sliceGauges } from './database-metrics.ts'
import { mergeMetrics } from './merge-metrics.ts'
import { requestMetrics } from './request-metrics.ts'

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
  collectDefaultMetrics({ register: registry })
  const requestCompleted = requestMetrics(registry)
  const deliveryAttempted = attemptMetrics(registry)
  const refusedSignIns = new Counter({
    name: `${PREFIX}sign_ins_refused_total`,
    help: 'Sign-ins to the dashboard that were refused: the API key or the code was not valid.',
    registers: [registry],
  })
  measureDatabases(shards, registry)
  const measureSlices = slices.flatMap(({ metrics }) => (metrics === undefined ? [] : [sliceGauges(metrics, shards, ofDatabase)]))

  return {
    requestCompleted,
    signInRefused: () => refusedSignIns.inc(),
    deliveryAttempted,
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

/** Adds the metrics of webhook attempts, and returns the function that records one. */
function attemptMetrics(registry: Registry): Metrics['deliveryAttempted'] {
  const registers = [registry]
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
  return (outcome, seconds) => {
    attempts.inc({ outcome })
    attemptSeconds.observe(seconds)
  }
}

/** Adds the metrics of a replica, and returns the function that counts a read. */
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

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../database/database.ts'
import type { Replica } from '../database/replica.ts'
import type { ReadTarget } from '../database/replica-reads.ts'
import type { HeldBytes } from '../http/memory-limits.ts'
import { measureBacklog, type Backlog } from '../webhooks/index.ts'

const PREFIX = 'fulfillment_'
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What became of an attempt to deliver an event. */
export type AttemptOutcome = 'succeeded' | 'retried' | 'failed'

/** What one server process measures. No tenant, key or record is named: who may read them learns nothing about customers. */
export interface Metrics {
  /** `route` is the path with its parameters' names. */
  requestAnswered(method: string, route: string, status: number, seconds: number): void
  deliveryAttempted(outcome: AttemptOutcome, seconds: number): void
  /** Begins to measure a replica; what it returns is to be called for each read that the replica may answer. */
  measureReplica(replica: Pick<Replica, 'isUsable' | 'lagSeconds'>): (target: ReadTarget) => void
  /** Begins to show what requests hold in memory. */
  measureHeldBytes(held: HeldBytes): void
  /** In the text format of Prometheus. */
  render(): Promise<{ contentType: string; text: string }>
}

/** Begins to measure. */
export function createMetrics(db: Database): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: `${PREFIX}http_request_seconds`,
    help: 'From the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers,
  })
  const attempts = new Counter({
    name: `${PREFIX}webhook_attempts_total`,
    help: 'Attempts to deliver an event that this process made: acknowledged, to be made again, or given up.',
    labelNames: ['outcome'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: `${PREFIX}webhook_attempt_seconds`,
    help: 'Duration of attempts to deliver an event.',
    buckets: SECONDS,
    registers,
  })
  measureDatabase(db, registry)
  const backlog = backlogGauges(registry)
  const childrenOf = memoized((key) => {
    const [method = '', route = '', status = ''] = key.split(' ')
    return { count: requests.labels(method, route, status), seconds: requestSeconds.labels(method, route) }
  })

  return {
    requestAnswered(method, route, status, seconds) {
      const children = childrenOf(`${method} ${route} ${status}`)
      children.count.inc()
      children.seconds.observe(seconds)
    },
    deliveryAttempted(outcome, seconds) {
      attempts.inc({ outcome })
      attemptSeconds.observe(seconds)
    },
    measureHeldBytes: (held) => {
      const gauge = gaugesOn(registry)
      gauge('body_bytes', 'Bytes of large bodies that arrive or are worked on.', held.bodies)
      gauge('answer_bytes', 'Bytes of large answers that their readers have not taken yet.', held.answers)
    },
    measureReplica: (replica) => measureReplica(replica, registry),
    async render() {
      await measureBacklog(db).then(backlog.set, backlog.reset)
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

function measureDatabase(db: Database, registry: Registry): void {
  const gauge = gaugesOn(registry)
  gauge('database_up', '0 while the database does not answer.', () => Number(db.usage().isAnswering))
  gauge('database_waiting_queries', 'Queries that wait for an answer.', () => db.usage().waitingQueries)
  gauge('database_pool_waiting_requests', 'Requests that wait for a connection.', () => db.usage().pool.waitingRequests)
  gauge('database_pool_connections', 'Open connections of the pool.', () => db.usage().pool.open)
  gauge('database_pool_idle_connections', 'Open connections of the pool that nobody uses.', () => db.usage().pool.idle)
}

function measureReplica(replica: Pick<Replica, 'isUsable' | 'lagSeconds'>, registry: Registry): (target: ReadTarget) => void {
  const gauge = gaugesOn(registry)
  gauge('replica_up', '0 while no read can go to the replica: it does not answer, or is too far behind.', () =>
    Number(replica.isUsable),
  )
  gauge(
    'replica_lag_seconds',
    'How old what the replica shows may be, to a second; NaN while that is unknown.',
    () => replica.lagSeconds ?? Number.NaN,
  )
  const reads = new Counter({
    name: `${PREFIX}replica_reads_total`,
    help: 'Reads that may go to a replica, by who answered them.',
    labelNames: ['target'],
    registers: [registry],
  })
  return (target) => reads.inc({ target })
}

/** Makes gauges whose values are asked for whenever they are shown. */
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

/** The same in every process: what lies in the database that they share. Absent while that can't be read. */
function backlogGauges(registry: Registry): { set(backlog: Backlog): void; reset(): void } {
  const gauge = (name: string, help: string): Gauge => new Gauge({ name: PREFIX + name, help, registers: [registry] })
  const gauges: Record<keyof Backlog, Gauge> = {
    outboxEvents: gauge('outbox_events', 'Events that wait to be turned into deliveries; counted up to 100000.'),
    outboxAgeSeconds: gauge('outbox_age_seconds', 'Age of the oldest of them; 0 when there is none.'),
    eventsSetAside: gauge(
      'outbox_set_aside_events',
      'Events that could not be turned into deliveries; tried again once an hour.',
    ),
    waitingDeliveries: gauge('webhook_waiting_deliveries', 'Deliveries that are to be made; counted up to 100000.'),
    dueLanes: gauge('webhook_due_lanes', 'Subscriptions that have something due.'),
    heldLanes: gauge('webhook_held_lanes', 'Subscriptions that are paused because their receiver asked for it, or fails.'),
    failingLanes: gauge('webhook_failing_lanes', 'Subscriptions whose latest attempt failed.'),
  }
  const entries = Object.entries(gauges) as [keyof Backlog, Gauge][]
  return {
    set: (backlog) => entries.forEach(([name, gauge]) => gauge.set(backlog[name])),
    reset: () => entries.forEach(([, gauge]) => gauge.remove()),
  }
}

function memoized<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>()
  return (key) => {
    const existing = made.get(key)
    if (existing !== undefined) return existing
    const value = make(key)
    made.set(key, value)
    return value
  }
}

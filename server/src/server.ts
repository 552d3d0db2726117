import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { connect } from './connect.ts'
import type { Database } from './database/database.ts'
import { Replica } from './database/replica/replica.ts'
import { ReplicaReads } from './database/replica/replica-reads.ts'
import { dashboardLink } from './dashboard-link.ts'
import { bringUpToDate } from './database/bring-up-to-date.ts'
import { createFirstTenant } from './first-tenant.ts'
import { closeWithin } from './http/draining.ts'
import { handOverConnections } from './http/hand-over.ts'
import { monitoringRoutes } from './http/monitoring.ts'
import { buildMonitoringServer } from './http/monitoring-server.ts'
import { createLog, type Log } from './runtime/log.ts'
import { runStages, type StopStage } from './runtime/stop-stages.ts'
import { lazyMetrics } from './runtime/monitoring/lazy-metrics.ts'
import type { Metrics, Siblings } from './runtime/monitoring/metrics.ts'
import { requireKeyOfDatabase } from './runtime/encryption/encryption-check.ts'
import { ensurePartitions, startMaintenance } from './maintenance.ts'
import { followShards } from './shards/follow-shards.ts'
import { DIRECTORY, DIRECTORY_TENANT, type Shard, Shards } from './shards/shards.ts'
import { warnOfUnknownShards } from './shards/warn-of-unknown-shards.ts'
import { SLICES } from './slices.ts'
import { startTracing } from './runtime/tracing/index.ts'
import { type DeliveryEngine, Names, startDeliveryEngine } from './delivery/index.ts'

/** Less than the 28 seconds after which `main.ts` ends the process. */
const STOP_WITHIN_MS = 27_500
// Of this time, what the stages of a stop leave to those after them.
const DATABASE_REST_MS = 4_000
const WORK_REST_MS = 5_000
const API_REST_MS = 6_000
/** The part of the API's time in which it records what it counted, after the last request. */
const AFTER_REQUESTS_MS = 500

/** A running server process. */
export interface RunningServer {
  /** Undefined for a process that only delivers webhooks. */
  url: string | undefined
  /** The admin key of the first tenant, if this start created it. */
  firstKey: string | undefined
  /** Signs in to the dashboard with that key, once, within 15 minutes. */
  dashboardLink: string | undefined
  /** Completes requests in progress, then stops. */
  stop(): Promise<void>
  /** Hands the port over to other processes without failing a request, then stops. */
  handOver(): Promise<void>
  /** The metrics of this process alone, in the text format of Prometheus. */
  ownMetrics(): Promise<string>
}

/**
 * Opens the database, migrates its schema and starts what the role asks for: the API (`api`), webhook delivery (`worker`) or both.
 * `siblings` are the other processes behind the same port.
 */
export async function startServer(config: Config, siblings?: Siblings): Promise<RunningServer> {
  const log = createLog(config.logLevel, { isShared: siblings !== undefined })
  const stopTracing = await startTracing(config.tracing, log)
  const { db, encryption, close } = await connect(config, (line) => log.info(line))
  const webhookTargets = {
    allowPrivateNetwork: config.webhookAllowPrivateNetwork,
    requireHttps: config.production,
    names: new Names(config.webhookDnsServers),
  }
  // Stopped in reverse order of their start.
  const started: StopStage[] = [
    { name: 'tracing', stop: stopTracing },
    { name: 'the database', restMs: 500, stop: close },
  ]
  let ended: Promise<void> | undefined
  const end = (deadlineMs = performance.now() + STOP_WITHIN_MS): Promise<void> =>
    (ended ??= runStages(started.toReversed(), deadlineMs))
  const stopping = new AbortController()
  const stop = async (): Promise<void> => {
    const deadlineMs = performance.now() + STOP_WITHIN_MS
    stopping.abort()
    if (config.role !== 'worker') await delay(config.stopDelaySeconds * 1_000)
    await end(deadlineMs)
  }
  const servers: FastifyInstance[] = []
  // Stays ready until the end: a load balancer sees all processes as one server, and the others are ready.
  const handOver = async (): Promise<void> => {
    await Promise.all(servers.map((server) => handOverConnections(server, stopping.signal)))
    await end()
  }
  try {
    const shards = new Shards(db)
    const works = ({ id }: { id: number }): boolean => config.shards?.includes(id) ?? true
    const prepare = async (shard: Database): Promise<void> => {
      await bringUpToDate(shard, (line) => log.info(line))
      await ensurePartitions(shard)
    }
    await prepare(db)
    await requireKeyOfDatabase(db, encryption, config)
    const startTasks = (shard: Database): (() => Promise<unknown>) => {
      const tasks = startMaintenance(shard, (error) => log.warn({ err: error }, 'maintenance failed; it will be retried'))
      return () => Promise.all(tasks.map((task) => task.stop()))
    }
    if (works({ id: DIRECTORY })) started.push({ name: 'maintenance', restMs: DATABASE_REST_MS, stop: startTasks(db) })
    const metrics = lazyMetrics(shards, SLICES, siblings)
    started.push({ name: 'metrics', stop: async () => metrics.close() })
    const monitoring = monitoringRoutes(shards, metrics, () => stopping.signal.aborted)
    const monitor = config.monitoringPort === undefined ? undefined : buildMonitoringServer(monitoring, log)
    started.push({ name: 'monitoring', restMs: WORK_REST_MS, stop: () => monitor?.close() })
    if (monitor !== undefined) servers.push(monitor)
    const control = { stop, handOver, ownMetrics: metrics.renderOwn }
    // Starts last, because it reports that the process is ready.
    const startMonitor = async (): Promise<unknown> =>
      monitor?.listen({ port: config.monitoringPort, host: config.host }).catch((error: Error) => {
        throw cannotListen('MONITORING_PORT', config.host, config.monitoringPort, error)
      })
    const onAttempt = metrics.deliveryAttempted
    const engines = new Map<Database, DeliveryEngine>()
    const startEngine = (shard: Database): (() => Promise<unknown>) => {
      if (config.role === 'api') return async () => {}
      const engine = startDeliveryEngine({ db: shard, encryption, webhookTargets, log, onAttempt })
      engines.set(shard, engine)
      return async () => {
        engines.delete(shard)
        await engine.stop()
      }
    }
    const stopEngine = works({ id: DIRECTORY }) ? startEngine(db) : async () => {}
    let stopFollowing = async (): Promise<void> => {}
    // Together: an engine waits for its requests in flight.
    started.push({
      name: 'the deliveries and the shards',
      restMs: WORK_REST_MS,
      stop: () => Promise.all([stopEngine(), stopFollowing()]),
    })
    const startWork = ({ id, db: shard }: Shard): { stop(): Promise<unknown> } => {
      if (!works({ id })) return { stop: async () => {} }
      const stops = [startTasks(shard), startEngine(shard)]
      return { stop: () => Promise.all(stops.map((stopOne) => stopOne())) }
    }
    // Any process with an API serves all tenants; a worker opens only the shards that it works for.
    const uses = (id: number): boolean => config.role !== 'worker' || works({ id })
    // Loaded when it is needed, which is hardly ever.
    const endDeadSwitch = async (tenantId: number): Promise<void> =>
      await (await import('./shards/move/end-switch.ts')).endDeadSwitch(shards, tenantId)
    const following = await followShards(shards, { encryption, log, uses, prepare, endDeadSwitch, start: startWork })
    stopFollowing = following.stop
    if (config.shards !== undefined) await warnOfUnknownShards(db, config.shards, log)
    if (config.role === 'worker') {
      await startMonitor()
      return { url: undefined, firstKey: undefined, dashboardLink: undefined, ...control }
    }
    const first = await createFirstTenant(db)
    const replica = openReplica(config, db, log)
    started.push({ name: 'the replica', restMs: WORK_REST_MS, stop: () => replica?.close() })
    const replicaReads = replica && readsFrom(replica, db, metrics, log)
    // After the response: a tenant may be out of reach by then.
    const onWrite = (tenantId = DIRECTORY_TENANT): void => {
      const shard = shards.reached(tenantId)
      if (shard !== undefined) engines.get(shard)?.wake()
    }
    const app = await buildApp({
      slices: SLICES,
      config,
      shards,
      replicaReads,
      encryption,
      webhookTargets,
      log,
      metrics,
      onWrite,
    })
    started.push({
      name: 'the API',
      restMs: API_REST_MS,
      stop: (leftMs) => {
        // At the same time: both wait for requests. The stage of the deliveries tells whether it succeeds.
        for (const engine of engines.values()) engine.stop().catch(() => {})
        return closeWithin(app, leftMs - AFTER_REQUESTS_MS)
      },
    })
    servers.push(app)
    if (monitor === undefined) await app.register(monitoring)
    const url = await listen(app, config)
    await startMonitor()
    return { url, firstKey: first?.key, dashboardLink: first && dashboardLink(config, url, first.code), ...control }
  } catch (error) {
    await end().catch((failure: unknown) => log.warn({ err: failure }, 'what had started was not stopped in good order'))
    throw error
  }
}

function openReplica({ databaseReplicaUrl: url }: Config, db: Database, log: Log): Replica | undefined {
  return url === undefined ? undefined : new Replica(db, url, (message) => log.info(message))
}

function readsFrom(replica: Replica, db: Database, metrics: Metrics, log: Log): ReplicaReads {
  return new ReplicaReads(db, replica, {
    onRead: metrics.measureReplica(replica),
    onError: (error) =>
      log.warn({ err: error }, 'the replica failed; its reads go to the primary (logged at most once a minute)'),
  })
}

function cannotListen(setting: 'PORT' | 'MONITORING_PORT', host: string, port: number | undefined, { message }: Error): Error {
  return new Error(`HOST, ${setting}: cannot listen on ${host}, port ${port}: ${message}`)
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  await app.listen({ port, host }).catch((error: Error) => {
    throw cannotListen('PORT', host, port, error)
  })
  const address = app.server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

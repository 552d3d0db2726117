import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { connect } from './connect.ts'
import { bringUpToDate } from './database/bring-up-to-date.ts'
import type { Database } from './database/database.ts'
import { ReplicaReads } from './database/replica/replica-reads.ts'
import { Replica } from './database/replica/replica.ts'
import { HostNameResolver, type WebhookTargetPolicy } from './delivery/index.ts'
import { closeWithin } from './http/draining.ts'
import { buildMonitoringServer } from './http/monitoring-server.ts'
import { monitoringRoutes } from './http/monitoring.ts'
import { dashboardLink } from './http/pages/dashboard-link.ts'
import { BackgroundWork } from './lifecycle/background-work.ts'
import { createFirstTenant, hasNoTenants } from './lifecycle/first-tenant.ts'
import { Shutdown } from './lifecycle/shutdown.ts'
import { ensurePartitions } from './maintenance.ts'
import { requireKeyOfDatabase } from './runtime/encryption/encryption-check.ts'
import type { Encryption } from './runtime/encryption/encryption.ts'
import { createLog, type Log } from './runtime/log.ts'
import { lazyMetrics } from './monitoring/lazy-metrics.ts'
import type { Metrics, Siblings } from './monitoring/metrics.ts'
import { startTracing } from './runtime/tracing/index.ts'
import { followShards } from './shards/follow-shards.ts'
import { DIRECTORY, DIRECTORY_TENANT, Shards } from './shards/shards.ts'
import { warnOfUnknownShards } from './shards/warn-of-unknown-shards.ts'
import { SLICES } from './slices.ts'

/** The part of the API's time to stop in which it records what it counted, after the last request. */
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
  const shutdown = new Shutdown(config)
  shutdown.add('tracing', await startTracing(config.tracing, log))
  const { db, encryption, close } = await connect(config, (line) => log.info(line))
  shutdown.add('the database', close)
  try {
    await prepare(db, log)
    await requireKeyOfDatabase(db, encryption, config)
    const shards = new Shards(db)
    const metrics = lazyMetrics(shards, SLICES, siblings)
    shutdown.add('metrics', async () => metrics.close())
    const parts: Parts = { config, log, shutdown, shards, encryption, webhookTargets: webhookTargetsOf(config), metrics }
    const work = await startWork(parts)
    const isFirst = config.role !== 'worker' && (await hasNoTenants(shards.directory))
    let isStarting = isFirst
    const monitoring = monitoringRoutes(shards, metrics, () => {
      if (shutdown.isBegun) return 'The server is shutting down'
      return isStarting ? 'The server is starting' : undefined
    })
    const url = config.role === 'worker' ? undefined : await startApi(parts, work, monitoring)
    // After the API, because it reports that the process is ready.
    if (config.monitoringPort !== undefined) await startMonitoring(parts, monitoring, config.monitoringPort)
    // After all that can fail, for example because a port is taken: nobody would see the key.
    const credentials = isFirst && url !== undefined ? await firstCredentials(shards.directory, config, url) : NO_CREDENTIALS
    isStarting = false
    return {
      url,
      ...credentials,
      stop: () => shutdown.stop(),
      handOver: () => shutdown.handOver(),
      ownMetrics: metrics.renderOwn,
    }
  } catch (error) {
    await shutdown.end().catch((err: unknown) => log.warn({ err }, 'what had started was not stopped in good order'))
    throw error
  }
}

/** What the parts of a process share. */
interface Parts {
  config: Config
  log: Log
  shutdown: Shutdown
  shards: Shards
  encryption: Encryption
  webhookTargets: WebhookTargetPolicy
  metrics: Metrics
}

type Credentials = Pick<RunningServer, 'firstKey' | 'dashboardLink'>
type Routes = (app: FastifyInstance) => Promise<void>

const NO_CREDENTIALS: Credentials = { firstKey: undefined, dashboardLink: undefined }

function webhookTargetsOf(config: Config): WebhookTargetPolicy {
  return {
    allowPrivateNetwork: config.webhookAllowPrivateNetwork,
    requireHttps: config.production,
    names: new HostNameResolver(config.webhookDnsServers),
  }
}

/** Brings the schema of a database up to date, before anything else uses it. */
async function prepare(db: Database, log: Log): Promise<void> {
  await bringUpToDate(db, (line) => log.info(line))
  await ensurePartitions(db)
}

/** Starts the background work, and opens the shards that the process uses. */
async function startWork({ config, log, shutdown, shards, encryption, webhookTargets, metrics }: Parts): Promise<BackgroundWork> {
  const work = new BackgroundWork({ config, encryption, webhookTargets, log, metrics })
  const directory = { id: DIRECTORY, db: shards.directory }
  const maintenance = work.startMaintenance(directory)
  shutdown.add('maintenance', () => maintenance.stop())
  const delivery = work.startDelivery(directory)
  shutdown.add('the deliveries and the shards', () => delivery.stop())
  const following = await followShards(shards, {
    encryption,
    log,
    // Any process with an API serves all tenants; a worker opens only the shards that it works for.
    uses: (shardId) => config.role !== 'worker' || work.isFor(shardId),
    prepare: (shard) => prepare(shard, log),
    // Loaded when it is needed, which is hardly ever.
    endDeadSwitch: async (tenantId) => (await import('./shards/move/end-switch.ts')).endDeadSwitch(shards, tenantId),
    start: (shard) => work.start(shard),
  })
  shutdown.add('the deliveries and the shards', () => following.stop())
  if (config.shards !== undefined) await warnOfUnknownShards(shards.directory, config.shards, log)
  return work
}

/** Serves the API, with the monitoring routes unless these have a port of their own, and returns its URL. */
async function startApi(parts: Parts, work: BackgroundWork, monitoring: Routes): Promise<string> {
  const { config, log, shutdown, shards, encryption, webhookTargets, metrics } = parts
  const replicaReads = openReplica(parts)
  // After the response: a tenant may be out of reach by then.
  const onWrite = (tenantId = DIRECTORY_TENANT): void => {
    const shard = shards.reached(tenantId)
    if (shard !== undefined) work.wakeDelivery(shard)
  }
  const app = await buildApp({ slices: SLICES, config, shards, replicaReads, encryption, webhookTargets, log, metrics, onWrite })
  shutdown.addServer('the API', app, (leftMs) => {
    // At the same time: both wait for requests. The stage of the deliveries tells whether it succeeds.
    work.endDelivery()
    return closeWithin(app, leftMs - AFTER_REQUESTS_MS)
  })
  if (config.monitoringPort === undefined) await app.register(monitoring)
  await listen(app, { setting: 'PORT', host: config.host, port: config.port })
  return urlOf(app, config.host)
}

/** Creates the first tenant, unless another server does. */
async function firstCredentials(directory: Database, config: Config, url: string): Promise<Credentials> {
  const first = await createFirstTenant(directory)
  return first === undefined ? NO_CREDENTIALS : { firstKey: first.key, dashboardLink: dashboardLink(config, url, first.code) }
}

/** Reads from the replica that `DATABASE_REPLICA_URL` names; undefined without one. */
function openReplica({ config, log, shutdown, shards, metrics }: Parts): ReplicaReads | undefined {
  if (config.databaseReplicaUrl === undefined) return undefined
  const replica = new Replica(shards.directory, config.databaseReplicaUrl, (message) => log.info(message))
  shutdown.add('the replica', () => replica.close())
  return new ReplicaReads(shards.directory, replica, {
    onRead: metrics.measureReplica(replica),
    onError: (error) =>
      log.warn({ err: error }, 'the replica failed; its reads go to the primary (logged at most once a minute)'),
  })
}

async function startMonitoring({ config, log, shutdown }: Parts, monitoring: Routes, port: number): Promise<void> {
  const server = buildMonitoringServer(monitoring, log)
  shutdown.addServer('monitoring', server, () => server.close())
  await listen(server, { setting: 'MONITORING_PORT', host: config.host, port })
}

/** An address to listen on. `setting` is the one of the port. */
interface Address {
  setting: 'PORT' | 'MONITORING_PORT'
  host: string
  port: number
}

async function listen(server: FastifyInstance, { setting, host, port }: Address): Promise<void> {
  await server.listen({ port, host }).catch(({ message }: Error) => {
    throw new Error(`HOST, ${setting}: cannot listen on ${host}, port ${port}: ${message}`)
  })
}

function urlOf({ server }: FastifyInstance, host: string): string {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { connect } from './connect.ts'
import { foldCounts } from './counts/index.ts'
import type { Database } from './database/database.ts'
import { Replica } from './database/replica.ts'
import { ReplicaReads } from './database/replica-reads.ts'
import { isBehind } from './database/schema-version.ts'
import { maintainPartitions } from './events/index.ts'
import { createFirstTenant } from './first-tenant.ts'
import { expireAnswers } from './http/expire-answers.ts'
import { monitoringRoutes } from './http/monitoring.ts'
import { buildMonitoringServer } from './http/monitoring-server.ts'
import { createLog, type Log } from './log.ts'
import { createMetrics, type Metrics } from './monitoring/metrics.ts'
import { repeat, type PeriodicTask } from './periodic.ts'
import { appRouter } from './router.ts'
import { startTracing } from './tracing/index.ts'
import { clearDeletedSubscriptions, Names, putBackEvents, startDeliveryEngine } from './webhooks/index.ts'

const FOLD_INTERVAL_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const CLEAR_INTERVAL_MS = 10_000
const PUT_BACK_INTERVAL_MS = 60_000

/** A running server process. */
export interface RunningServer {
  /** Undefined for a process that only delivers webhooks. */
  url: string | undefined
  /** The admin key of the first tenant, when this start made it. */
  firstKey: string | undefined
  /** Finishes what is under way, then stops. */
  stop(): Promise<void>
}

/**
 * Opens the database, brings its schema up to date and does what the role says: answers requests (`api`), delivers webhooks
 * (`worker`) or both.
 */
export async function startServer(config: Config): Promise<RunningServer> {
  const log = createLog(config.logLevel)
  const stopTracing = await startTracing(config.tracing, log)
  const { db, encryption, close } = await connect(config, (line) => log.info(line))
  const webhookTargets = {
    allowPrivateNetwork: config.webhookAllowPrivateNetwork,
    requireHttps: config.production,
    names: new Names(config.webhookDnsServers),
  }
  // What was started last is stopped first.
  const started: (() => Promise<unknown> | undefined)[] = [stopTracing, close]
  const end = async (): Promise<void> => {
    for (const stopOne of started.splice(0).toReversed()) await stopOne()
  }
  let isStopping = false
  const stop = async (): Promise<void> => {
    isStopping = true
    if (config.role !== 'worker') await delay(config.stopDelaySeconds * 1_000)
    await end()
  }
  try {
    await bringUpToDate(db, (line) => log.info(line))
    await maintainPartitions(db)
    const tasks = startMaintenance(db, (error) => log.warn({ err: error }, 'maintenance failed and will be tried again'))
    started.push(() => Promise.all(tasks.map((task) => task.stop())))
    const metrics = createMetrics(db)
    const monitoring = monitoringRoutes(db, metrics, () => isStopping)
    const monitor = config.monitoringPort === undefined ? undefined : buildMonitoringServer(monitoring, log)
    started.push(() => monitor?.close())
    // Only when all else runs: what asks whether the process is ready asks there.
    const startMonitor = async (): Promise<unknown> => monitor?.listen({ port: config.monitoringPort, host: config.host })
    const onAttempt = metrics.deliveryAttempted
    const engine = config.role === 'api' ? undefined : startDeliveryEngine({ db, encryption, webhookTargets, log, onAttempt })
    started.push(() => engine?.stop())
    if (config.role === 'worker') {
      await startMonitor()
      return { url: undefined, firstKey: undefined, stop }
    }
    const firstKey = await createFirstTenant(db)
    const replica = openReplica(config, db, log)
    started.push(() => replica?.close())
    const replicaReads = replica && readsFrom(replica, db, metrics, log)
    const onWrite = (): void => engine?.wake()
    const app = await buildApp({ router: appRouter, config, db, replicaReads, encryption, webhookTargets, log, metrics, onWrite })
    started.push(() => app.close())
    if (monitor === undefined) await app.register(monitoring)
    const url = await listen(app, config)
    await startMonitor()
    return { url, firstKey, stop }
  } catch (error) {
    await end()
    throw error
  }
}

function openReplica({ databaseReplicaUrl: url }: Config, db: Database, log: Log): Replica | undefined {
  return url === undefined ? undefined : new Replica(db, url, (message) => log.info(message))
}

function readsFrom(replica: Replica, db: Database, metrics: Metrics, log: Log): ReplicaReads {
  return new ReplicaReads(db, replica, {
    onRead: metrics.measureReplica(replica),
    onError: (error) => log.warn({ err: error }, 'the replica failed, and the primary was asked; told at most once a minute'),
  })
}

/** What migrates takes a tenth of a start to load, and has something to do at one in many. */
async function bringUpToDate(db: Database, log: (line: string) => void): Promise<void> {
  if (!(await isBehind(async (text) => (await db.pool.query(text)).rows, log))) return
  const { migrate } = await import('./database/migrate.ts')
  await db.unhurried((kysely) => migrate(kysely, log))
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  await app.listen({ port, host }).catch((error: Error) => {
    throw new Error(`HOST, PORT: cannot listen on ${host}, port ${port}: ${error.message}`)
  })
  const address = app.server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

/** What keeps the database in shape. Every process does it; each task sees to it that processes do not get in each other's way. */
function startMaintenance(db: Database, onError: (error: unknown) => void): PeriodicTask[] {
  return [
    repeat(FOLD_INTERVAL_MS, () => foldCounts(db), onError),
    repeat(MINUTE_MS, (stopping) => expireAnswers(db, stopping), onError),
    repeat(HOUR_MS, () => maintainPartitions(db), onError),
    repeat(CLEAR_INTERVAL_MS, (signal) => clearDeletedSubscriptions(db, signal), onError),
    repeat(PUT_BACK_INTERVAL_MS, () => putBackEvents(db), onError),
  ]
}

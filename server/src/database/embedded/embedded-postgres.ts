import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionString, isPassing, makeDatabase } from './application-database.ts'
import { type FileLock, tryLock, withLock } from './file-lock.ts'
import { type Cluster, type ClusterAccess, ensureRunning, openCluster } from './postgres-cluster.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'
import { readLogTail } from './start-postmaster.ts'

const LOCK_TIMEOUT_MS = 120_000
const READY_TIMEOUT_MS = 30_000
const SLOW_START_MS = 10_000
/** The statuses of a postmaster that does not accept connections yet. */
const RECOVERING = new Set(['starting', 'standby'])
const READY_POLL_MS = 20
const MAX_DEATHS = 3
const WATCH_MS = 200
const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 2_000
const RESTART_TIMEOUT_MS = 10_000
const STABLE_AFTER_MS = 10_000

type Log = (line: string) => void

interface Joined {
  access: ClusterAccess
  membership: FileLock
}

/** A Postgres cluster that this process uses, and restarts when it dies. */
export interface EmbeddedPostgres {
  /** Stays the same when Postgres is restarted. */
  readonly connectionString: string
  /** Stops Postgres, unless another process uses it too. */
  stop(): Promise<void>
}

/** Options of `startEmbeddedPostgres`. */
export interface EmbeddedPostgresOptions {
  /** The folder for all files that Postgres writes. It is created if missing. */
  dataDir: string
  log?: Log
  /** Server settings that extend or replace the defaults of this module. A server that is already running keeps its settings. */
  settings?: Record<string, string>
  /** Gives up waiting for Postgres, which recovers its data for as long as it takes. */
  signal?: AbortSignal
}

/**
 * Starts the embedded Postgres on `dataDir`, or joins the one that is running there.
 *
 * All processes on a data folder have the same role. Each holds a shared lock, each restarts Postgres when it has died, and the last one to
 * leave stops it. A killed process loses its lock and leaves Postgres running; the next process joins it.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log = () => {},
  settings = {},
  signal,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDir, settings)
  const { access, membership } = await enter(cluster)
  try {
    await waitUntilReady(cluster, access, log, signal)
  } catch (error) {
    await leave(cluster, membership)
    throw error
  }
  const stopping = new AbortController()
  const watch = keepRunning(cluster, access.port, stopping.signal, log)
  const stop = async () => {
    stopping.abort()
    await watch
    await leave(cluster, membership)
  }
  let stopped: Promise<void> | undefined
  return { connectionString: connectionString(access), stop: () => (stopped ??= stop()) }
}

// Starting, restarting and stopping exclude each other.
function alone<T>({ dataDir }: Cluster, work: () => Promise<T>): Promise<T> {
  return withLock(join(dataDir, 'postgres.lock'), LOCK_TIMEOUT_MS, work)
}

/** Runs `work` while no other process uses or joins the cluster. Throws when a process uses it. */
export async function whileUnused<T>(cluster: Cluster, work: () => Promise<T>): Promise<T> {
  return await alone(cluster, async () => {
    const users = tryLock(usersFile(cluster), 'exclusive')
    if (!users) throw new Error(`DATA_DIR: ${cluster.dataDir} is in use by another process: stop it first`)
    try {
      return await work()
    } finally {
      users.release()
    }
  })
}

function usersFile({ dataDir }: Cluster): string {
  return join(dataDir, 'postgres.users.lock')
}

async function enter(cluster: Cluster): Promise<Joined> {
  const deadline = performance.now() + RESTART_TIMEOUT_MS
  for (;;) {
    const joined = await alone(cluster, () => tryEnter(cluster))
    if (joined) return joined
    if (performance.now() > deadline)
      throw new Error(
        `another process uses ${cluster.dataDir}, but its Postgres was not found: does it run in another container?`,
      )
    await sleep(WATCH_MS)
  }
}

// If other processes use the cluster and Postgres is missing, they must restart it. Postgres may also run in another container, where it is
// invisible from here, and a second server on the same data would destroy the data.
async function tryEnter(cluster: Cluster): Promise<Joined | undefined> {
  const first = tryLock(usersFile(cluster), 'exclusive')
  first?.release()
  if (!first && !findPostmaster(cluster.directory)) return undefined
  const membership = tryLock(usersFile(cluster), 'shared')
  if (!membership) throw new Error(`${usersFile(cluster)} is locked by an unknown process`)
  try {
    return { access: await ensureRunning(cluster), membership }
  } catch (error) {
    membership.release()
    throw error
  }
}

async function leave(cluster: Cluster, membership: FileLock): Promise<void> {
  await alone(cluster, async () => {
    membership.release()
    const last = tryLock(usersFile(cluster), 'exclusive')
    const postmaster = findPostmaster(cluster.directory)
    try {
      if (last && postmaster) await stopPostmaster(cluster.directory, postmaster.pid)
    } finally {
      last?.release()
    }
  })
}

/** Recovery takes as long as Postgres works at it: one that is ended begins again at the next start. */
async function waitUntilReady(cluster: Cluster, access: ClusterAccess, log: Log, signal: AbortSignal | undefined): Promise<void> {
  let startingUntil = performance.now()
  let slowFrom = startingUntil + SLOW_START_MS
  for (let deaths = 0; ;) {
    const error = await makeDatabase(access).catch((failure: Error) => failure)
    if (!error) return
    if (!isPassing(error)) throw error
    signal?.throwIfAborted()
    const now = performance.now()
    const postmaster = findPostmaster(cluster.directory)
    if (postmaster !== undefined && RECOVERING.has(postmaster.status)) startingUntil = now
    if (now > startingUntil + READY_TIMEOUT_MS)
      throw new Error('Postgres is running but accepts no connections', { cause: error })
    if (now > slowFrom) {
      log('Postgres is still starting: it recovers its data from the write-ahead log')
      slowFrom = Infinity
    }
    if (postmaster) await sleep(READY_POLL_MS)
    else if (++deaths < MAX_DEATHS) await alone(cluster, () => ensureRunning(cluster, access.port))
    else throw new Error(`Postgres stopped during its start:\n${await readLogTail(cluster.logFile)}`)
  }
}

async function keepRunning(cluster: Cluster, port: number, stopping: AbortSignal, log: Log): Promise<void> {
  let backoffMs = 0
  let restartedAt = -Infinity
  while (await pause(WATCH_MS + backoffMs, stopping)) {
    if (performance.now() - restartedAt > STABLE_AFTER_MS) backoffMs = 0
    if (!(await restartIfDead(cluster, port, log))) continue
    backoffMs = Math.min(Math.max(FIRST_BACKOFF_MS, backoffMs * 2), MAX_BACKOFF_MS)
    restartedAt = performance.now()
  }
}

// Returns whether Postgres was dead. Never throws: after any error, the next attempt may succeed.
async function restartIfDead(cluster: Cluster, port: number, log: Log): Promise<boolean> {
  try {
    if (findPostmaster(cluster.directory)) return false
    log('Postgres has died, restarting it')
    await alone(cluster, () => ensureRunning(cluster, port))
    log('Postgres is running again')
  } catch (error) {
    log(`Postgres could not be restarted: ${String(error)}`)
  }
  return true
}

// Returns false when the signal aborts the pause.
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal, ref: false }).catch(() => false)
}

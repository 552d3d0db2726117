import type { Kysely } from 'kysely'
import pg from 'pg'
import { Availability } from './connections/availability.ts'
import { Client, type ClientConfig } from './connections/client.ts'
import { ExclusiveConnections } from './connections/exclusive-connections.ts'
import { kyselyOn } from './connections/kysely-on.ts'
import { PipelinedConnections } from './connections/pipelined-connections.ts'
import { Probe } from './connections/probe.ts'
import type { Queryable } from './connections/queryable.ts'
import type { Schema } from './schema.ts'
import { ConnectionSet, TenantQueries } from './connections/tenant-queries.ts'
import { INTERNAL } from './connections/fair-slots.ts'
import { within } from '../runtime/within.ts'

export { MAX_SHARED_SIZE } from './statements/call-batches.ts'
export type { Queryable, Transaction } from './connections/queryable.ts'

/** The database. Its own `Queryable` methods are for work of the service itself, without a tenant. */
export interface Database extends Queryable {
  /** Its connection string, with the password. */
  readonly url: string
  /** For connections that are kept, such as the delivery engine's. They are not assigned in turn. */
  readonly dedicatedPool: pg.Pool
  /** Runs the SQL of a tenant, within the tenant's limits on connections. */
  forTenant(tenantId: number): Queryable
  /** Current use of the connections. */
  usage(): DatabaseUsage
  /** Runs `work` over a dedicated connection without time limits: for migrations, which may take long. */
  withoutTimeLimits<T>(work: (kysely: Kysely<Schema>) => Promise<T>): Promise<T>
  /** Waits a few seconds, and at most `withinMs`, for queries in progress. */
  close(withinMs?: number): Promise<void>
}

export interface DatabaseUsage {
  /** Queries that wait for a response, over all connections. */
  waitingQueries: number
  pool: { open: number; idle: number; waitingRequests: number }
}

/** Reads only need the processor, so few connections serve many reads at a time. */
const READING_CONNECTIONS = 2
/** A single active tenant gets 10 of them. */
const EXCLUSIVE_CONNECTIONS = 22
/** Further connections of the pool for `dedicatedPool`, so that none waits for the exclusive ones: a server keeps one, commands use more. */
const DEDICATED_CONNECTIONS = 4
/**
 * The limit of a process: the readers, the pool, the unsynced connection and the probe. A server has three fewer, 27, because it keeps one
 * dedicated connection.
 */
export const MAX_CONNECTIONS = READING_CONNECTIONS + EXCLUSIVE_CONNECTIONS + DEDICATED_CONNECTIONS + 2
const CONNECT_TIMEOUT_MS = 1_500
const STATEMENT_TIMEOUT_MS = 15_000
const KEEP_ALIVE_MS = 30_000
const CLOSE_GRACE_MS = 5_000

/**
 * Statements with array parameters would otherwise be planned again at every call, which takes longer than running them. JIT compilation
 * costs more than it saves in queries of a few milliseconds.
 */
const SESSION_SETTINGS = '-c timezone=UTC -c plan_cache_mode=force_generic_plan -c jit=off'
/**
 * Unsynced statements look up rows by key. A plan made while a table is empty and vacuumed would scan the whole table, and idempotency_keys
 * is empty a day after its last use.
 */
const UNSYNCED_SETTINGS = '-c synchronous_commit=off -c enable_seqscan=off'
const timeLimits = (ms: number): string => `-c statement_timeout=${ms} -c idle_in_transaction_session_timeout=${ms}`

const { builtins } = pg.types
const types = new pg.TypeOverrides()
// Ids and counts stay below 2^53 and quantities have at most 15 digits, so both fit a number exactly.
types.setTypeParser(builtins.INT8, Number)
types.setTypeParser(builtins.NUMERIC, Number)
types.setTypeParser(builtins.DATE, (text: string) => text)
types.setTypeParser(builtins.TIMESTAMPTZ, isoTimestamp)

/** Converts `2026-11-21 06:49:30.12+00` to `2026-11-21T06:49:30.120Z`. The session's time zone is UTC. */
function isoTimestamp(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, -3).padEnd(9, '.').padEnd(12, '0').slice(0, 12)}Z`
}

/** Opens the database. Connections are made when they are first used. */
export function openDatabase(
  connectionString: string,
  options: {
    exclusiveConnections?: number
    pipelinedConnections?: number
    statementTimeoutMs?: number
    onConnectionError?: (error: Error) => void
  } = {},
): Database {
  const report = (error: Error): void => options.onConnectionError?.(error)
  const driverConfig: pg.ClientConfig = {
    connectionString,
    types,
    options: `${SESSION_SETTINGS} ${timeLimits(options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS)}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
  const availability = new Availability(new Probe(driverConfig), (message) => report(new Error(message)))
  const config: ClientConfig = { ...driverConfig, availability, pipeline: true, sendsTogether: true }
  const slots = options.exclusiveConnections ?? EXCLUSIVE_CONNECTIONS
  // The pool passes its own options on to the client.
  const pool = new pg.Pool({ ...config, Client: Client as never, max: slots + DEDICATED_CONNECTIONS })
  pool.on('error', report)
  const exclusive = new ExclusiveConnections(pool, slots)
  const readers = new PipelinedConnections(() => new Client(config), options.pipelinedConnections ?? READING_CONNECTIONS)
  const unsyncedConfig = { ...config, sendsTogether: false, options: `${config.options} ${UNSYNCED_SETTINGS}` }
  const unsynced = new PipelinedConnections(() => new Client(unsyncedConfig), 1)
  const connections = new ConnectionSet({ read: readers, unsynced }, exclusive)
  const own = new TenantQueries(connections, INTERNAL)

  return {
    url: connectionString,
    dedicatedPool: pool,
    get kysely() {
      return own.kysely
    },
    forTenant: (tenantId) => new TenantQueries(connections, tenantId),
    run: (statement, values, runOptions) => own.run(statement, values, runOptions),
    runOne: (statement, values) => own.runOne(statement, values),
    runBatched: (batched, call) => own.runBatched(batched, call),
    transaction: (work, transactionOptions) => own.transaction(work, transactionOptions),
    usage: () => ({
      waitingQueries: availability.waiting,
      pool: {
        open: pool.totalCount,
        idle: pool.idleCount + exclusive.idle,
        waitingRequests: pool.waitingCount + exclusive.waiting,
      },
    }),
    withoutTimeLimits: (work) => overOneConnection({ ...driverConfig, options: SESSION_SETTINGS }, work),
    close: async (withinMs = CLOSE_GRACE_MS) => {
      exclusive.close()
      const ended = Promise.all([readers.end(), unsynced.end(), pool.end()])
      await within(Math.min(withinMs, CLOSE_GRACE_MS), ended, () => {})
      availability.close()
    },
  }
}

async function overOneConnection<T>(config: pg.PoolConfig, work: (kysely: Kysely<Schema>) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ ...config, max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  try {
    return await work(kyselyOn(pool))
  } finally {
    await pool.end()
  }
}

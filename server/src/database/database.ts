import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { Availability } from './availability.ts'
import { ExclusiveConnections } from './exclusive-connections.ts'
import { kyselyOn } from './kysely-on.ts'
import { PipelinedConnections } from './pipelined-connections.ts'
import { Probe } from './probe.ts'
import type { Queryable } from './queryable.ts'
import { sendingTogether } from './sending-together.ts'
import type { Schema } from './schema.ts'
import { send } from './send.ts'
import { Lanes, retried, TenantQueries } from './tenant-queries.ts'
import { INTERNAL } from './turns.ts'

export { MAX_SHARED_SIZE } from './call-batches.ts'
export type { Queryable, Transaction } from './queryable.ts'

/** As a `Queryable` it is what the service itself does, for no tenant. */
export interface Database extends Queryable {
  /** For connections that are kept, such as the delivery engine's: these wait for nobody's turn. */
  readonly pool: pg.Pool
  /** What runs the SQL of a tenant: it gets no more of the connections than its share. */
  forTenant(tenantId: number): Queryable
  /**
   * Runs a quick statement that nobody else's can hold up, and that does not wait for the disk: it is kept whenever something is kept that
   * is written after it.
   */
  runAside: Queryable['run']
  /** How the connections are used at the moment. */
  usage(): DatabaseUsage
  /** Runs `work` over a connection of its own that has no time limits: for migrations, which may take long. */
  unhurried<T>(work: (kysely: Kysely<Schema>) => Promise<T>): Promise<T>
  /** Lets what is under way end, for a few seconds. */
  close(): Promise<void>
}

export interface DatabaseUsage {
  /** False while the database does not answer, and everything is refused. */
  isAnswering: boolean
  /** Queries that wait for an answer, over all connections. */
  waitingQueries: number
  pool: { open: number; idle: number; waitingRequests: number }
}

/** Reads only wait for the processor: few connections answer many of them at a time. */
const READING_CONNECTIONS = 2
/** Of these a tenant alone gets 10. */
const EXCLUSIVE_CONNECTIONS = 22
/** Besides, for what is kept. */
const KEPT_CONNECTIONS = 4
const CONNECT_TIMEOUT_MS = 1_500
const STATEMENT_TIMEOUT_MS = 15_000
const KEEP_ALIVE_MS = 30_000
const CLOSE_GRACE_MS = 5_000

/** Array statements are otherwise planned anew at every call, which takes longer than running them. */
const SESSION_SETTINGS = '-c timezone=UTC -c plan_cache_mode=force_generic_plan'
const timeLimits = (ms: number): string => `-c statement_timeout=${ms} -c idle_in_transaction_session_timeout=${ms}`

const { builtins } = pg.types
const types = new pg.TypeOverrides()
// Ids and counts stay below 2^53, quantities have at most 15 digits: both fit a number exactly.
types.setTypeParser(builtins.INT8, Number)
types.setTypeParser(builtins.NUMERIC, Number)
types.setTypeParser(builtins.DATE, (text: string) => text)
types.setTypeParser(builtins.TIMESTAMPTZ, isoTimestamp)

/** Postgres's `2026-11-21 06:49:30.12+00` as `2026-11-21T06:49:30.120Z`; the session's time zone is UTC. */
function isoTimestamp(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, -3).padEnd(9, '.').padEnd(12, '0').slice(0, 12)}Z`
}

/** Opens the database. Connections are made when they are first needed. */
export function openDatabase(
  connectionString: string,
  options: {
    maxConnections?: number
    pipelinedConnections?: number
    statementTimeoutMs?: number
    onConnectionError?: (error: Error) => void
  } = {},
): Database {
  const report = (error: Error): void => options.onConnectionError?.(error)
  const config: pg.ClientConfig = {
    connectionString,
    types,
    options: `${SESSION_SETTINGS} ${timeLimits(options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS)}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
  const availability = new Availability(new Probe(config), (message) => report(new Error(message)))
  class Client extends pg.Client {
    constructor(clientConfig?: pg.ClientConfig) {
      super(clientConfig)
      availability.watch(this)
    }
  }
  class PooledClient extends Client {
    constructor(clientConfig?: pg.ClientConfig) {
      super(clientConfig)
      sendingTogether(this)
    }
  }
  const places = options.maxConnections ?? EXCLUSIVE_CONNECTIONS
  const pool = new pg.Pool({
    ...config,
    pipeline: true,
    Client: PooledClient,
    max: places + KEPT_CONNECTIONS,
  })
  pool.on('error', report)
  const exclusive = new ExclusiveConnections(pool, places)
  const connectPipelined = (): pg.Client => sendingTogether(new Client({ ...config, pipeline: true }))
  const readers = new PipelinedConnections(connectPipelined, options.pipelinedConnections ?? READING_CONNECTIONS)
  const asideOptions = `${config.options} -c synchronous_commit=off`
  const aside = new PipelinedConnections(() => new Client({ ...config, pipeline: true, options: asideOptions }), 1)
  const lanes = new Lanes(readers, exclusive)
  const own = new TenantQueries(lanes, INTERNAL)

  return {
    pool,
    get kysely() {
      return own.kysely
    },
    forTenant: (tenantId) => new TenantQueries(lanes, tenantId),
    run: (statement, values) => own.run(statement, values),
    runOne: (statement, values) => own.runOne(statement, values),
    runApart: (statement, values) => own.runApart(statement, values),
    runBatched: (batched, call) => own.runBatched(batched, call),
    transaction: (work, options) => own.transaction(work, options),
    runAside: (statement, values) => retried(async () => (await send(aside, statement, values)).rows as never),
    usage: () => ({
      isAnswering: !availability.isLost,
      waitingQueries: availability.waiting,
      pool: {
        open: pool.totalCount,
        idle: pool.idleCount + exclusive.idle,
        waitingRequests: pool.waitingCount + exclusive.waiting,
      },
    }),
    unhurried: (work) => unhurried({ ...config, options: SESSION_SETTINGS }, work),
    close: async () => {
      exclusive.close()
      const grace = new AbortController()
      const ended = Promise.all([readers.end(), aside.end(), pool.end()]).finally(() => grace.abort())
      await Promise.race([ended, delay(CLOSE_GRACE_MS, undefined, { signal: grace.signal }).catch(() => {})])
      availability.close()
    },
  }
}

async function unhurried<T>(config: pg.PoolConfig, work: (kysely: Kysely<Schema>) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ ...config, max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  try {
    return await work(kyselyOn(pool))
  } finally {
    await pool.end()
  }
}

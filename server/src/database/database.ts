import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import pg from 'pg'
import type { BatchedStatement } from './batched-statement.ts'
import { Availability } from './availability.ts'
import { CallBatches, MAX_SHARED_SIZE } from './call-batches.ts'
import { isRetryable } from './errors.ts'
import { kyselyOn } from './kysely-on.ts'
import { PipelinedConnections } from './pipelined-connections.ts'
import { Probe } from './probe.ts'
import type { Queryable } from './queryable.ts'
import { sendingTogether } from './sending-together.ts'
import type { Schema } from './schema.ts'
import { queryOf } from './statement.ts'
import { acquire, inTransaction, runPooled } from './transaction.ts'

export type { Queryable, Transaction } from './queryable.ts'

export interface Database extends Queryable {
  readonly pool: pg.Pool
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
/** Writes wait for the disk and for one another, each holding up those behind it: 12 connections do twice what 2 do. */
const WRITING_CONNECTIONS = 12
const MAX_TRIES = 5
/** Before a statement is run again, at random up to this, twice as long each time: those that met are to miss each other. */
const RETRY_DELAY_MS = 5
const CONNECT_TIMEOUT_MS = 1_500
/** How long a request waits while all connections of the pool are in use. */
const POOL_WAIT_MS = 5_000
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
      super({ ...clientConfig, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
      availability.watch(this)
    }
  }
  class PooledClient extends Client {
    constructor(clientConfig?: pg.ClientConfig) {
      super(clientConfig)
      sendingTogether(this)
    }
  }
  const pool = new pg.Pool({
    ...config,
    pipeline: true,
    Client: PooledClient,
    connectionTimeoutMillis: POOL_WAIT_MS,
    max: options.maxConnections ?? 10,
  })
  pool.on('error', report)
  const connectPipelined = (): pg.Client => sendingTogether(new Client({ ...config, pipeline: true }))
  const readers = new PipelinedConnections(connectPipelined, options.pipelinedConnections ?? READING_CONNECTIONS)
  const writers = new PipelinedConnections(connectPipelined, options.pipelinedConnections ?? WRITING_CONNECTIONS)
  const asideOptions = `${config.options} -c synchronous_commit=off`
  const aside = new PipelinedConnections(() => new Client({ ...config, pipeline: true, options: asideOptions }), 1)
  let kysely: Kysely<Schema> | undefined

  const run: Queryable['run'] = (statement, values) =>
    retried(async () => (await (statement.writes ? writers : readers).query(queryOf(statement, values))).rows as never)
  const runApart: Queryable['run'] = (statement, values) => retried(() => runPooled(pool, statement, values)) as never
  const batches = new Map<unknown, CallBatches<never, never>>()
  const batchesOf = <Call, Row extends { call: number }>(batched: BatchedStatement<Call, Row>): CallBatches<Call, Row> => {
    const known = batches.get(batched) as CallBatches<Call, Row> | undefined
    const one = known ?? new CallBatches(batched, run)
    if (known === undefined) batches.set(batched, one as never)
    return one
  }

  return {
    pool,
    get kysely() {
      return (kysely ??= kyselyOn({ connect: () => acquire(pool), end: () => pool.end(), options: pool.options }))
    },
    run,
    runOne: async (statement, values) => (await run(statement, values))[0],
    runApart,
    runBatched: (batched, call) =>
      batched.sizeOf(call) > MAX_SHARED_SIZE
        ? runApart(batched.statement, batched.valuesOf([call]))
        : batchesOf(batched).add(call),
    transaction: (work) => retried(() => inTransaction(pool, work)),
    runAside: (statement, values) => retried(async () => (await aside.query(queryOf(statement, values))).rows as never),
    usage: () => ({
      isAnswering: !availability.isLost,
      waitingQueries: availability.waiting,
      pool: { open: pool.totalCount, idle: pool.idleCount, waitingRequests: pool.waitingCount },
    }),
    unhurried: (work) => unhurried({ ...config, options: SESSION_SETTINGS }, work),
    close: async () => {
      const grace = new AbortController()
      const ended = Promise.all([readers.end(), writers.end(), aside.end(), pool.end()]).finally(() => grace.abort())
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

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === MAX_TRIES || !isRetryable(error)) throw error
      await delay(Math.random() * RETRY_DELAY_MS * 2 ** (tries - 1))
    }
  }
}

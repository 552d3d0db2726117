import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { isRetryable } from './errors.ts'
import { PipelinedConnections } from './pipelined-connections.ts'
import type { Schema } from './schema.ts'
import type { Statement } from './statement.ts'

/** What runs SQL: the database itself, or one transaction of it. */
export interface Queryable {
  /** Typed queries for lists and management. */
  readonly kysely: Kysely<Schema>
  /** Runs one prepared statement. Outside of a transaction it is a transaction of its own and is run again after a deadlock. */
  run<Values extends readonly unknown[], Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]>
  /** The statement's only row, or undefined when there is none. */
  runOne<Values extends readonly unknown[], Row>(statement: Statement<Values, Row>, values: Values): Promise<Row | undefined>
  /**
   * Runs `work` in a transaction, and again after a deadlock or serialization failure, so it must have no other effects. Within a
   * transaction it is part of that one.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

export interface Database extends Queryable {
  readonly pool: pg.Pool
  close(): Promise<void>
}

const MAX_TRIES = 5
const CONNECT_TIMEOUT_MS = 1_500
const STATEMENT_TIMEOUT_MS = 15_000

/** Array statements are otherwise planned anew at every call, which takes longer than running them. */
const SESSION_SETTINGS = `-c timezone=UTC -c plan_cache_mode=force_generic_plan -c statement_timeout=${STATEMENT_TIMEOUT_MS} -c idle_in_transaction_session_timeout=${STATEMENT_TIMEOUT_MS}`

const { builtins } = pg.types
const parsers = new Map<number, (text: string) => unknown>([
  // Ids and counts stay below 2^53, quantities have at most 15 digits: both fit a number exactly.
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
  [builtins.DATE, (text) => text],
  [builtins.TIMESTAMPTZ, isoTimestamp],
])
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
}

/** Postgres's `2026-11-21 06:49:30.12+00` as `2026-11-21T06:49:30.120Z`; the session's time zone is UTC. */
function isoTimestamp(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, -3).padEnd(9, '.').padEnd(12, '0').slice(0, 12)}Z`
}

/** Opens the database. Connections are made when they are first needed. */
export function openDatabase(
  connectionString: string,
  options: { maxConnections?: number; pipelinedConnections?: number; onConnectionError?: (error: Error) => void } = {},
): Database {
  const config: pg.ClientConfig = {
    connectionString,
    types,
    options: SESSION_SETTINGS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  }
  const pool = new pg.Pool({ ...config, max: options.maxConnections ?? 10 })
  pool.on('error', (error) => options.onConnectionError?.(error))
  const pipelined = new PipelinedConnections(config, options.pipelinedConnections ?? 2)
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })

  const run: Queryable['run'] = (statement, values) =>
    retried(async () => (await pipelined.query(queryOf(statement, values))).rows as never)

  return {
    pool,
    kysely,
    run,
    runOne: async (statement, values) => (await run(statement, values))[0],
    transaction: (work) => retried(() => inTransaction(pool, work)),
    close: async () => {
      await Promise.all([pipelined.end(), kysely.destroy()])
    },
  }
}

function queryOf(statement: Statement<readonly unknown[], unknown>, values: readonly unknown[]): pg.QueryConfig {
  return { name: statement.name, text: statement.text, values: values as unknown[] }
}

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === MAX_TRIES || !isRetryable(error)) throw error
    }
  }
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error): void => {
    broken = error
  }
  client.on('error', onError)
  try {
    await client.query('begin')
    const result = await work(transactionOn(client))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(onError)
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

function transactionOn(client: pg.PoolClient): Queryable {
  let kysely: Kysely<Schema> | undefined
  const run: Queryable['run'] = async (statement, values) => (await client.query(queryOf(statement, values))).rows as never
  const transaction: Queryable = {
    get kysely() {
      return (kysely ??= kyselyOn(client))
    },
    run,
    runOne: async (statement, values) => (await run(statement, values))[0],
    transaction: (work) => work(transaction),
  }
  return transaction
}

function kyselyOn(client: pg.PoolClient): Kysely<Schema> {
  const borrowed = { query: client.query.bind(client), release: () => {} }
  return new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: { options: {}, connect: async () => borrowed as never, end: async () => {} } }),
  })
}

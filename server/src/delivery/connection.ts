import type pg from 'pg'
import type { Database } from '../database/database.ts'
import { retried } from '../database/connections/retried.ts'
import { isRetryable } from '../database/errors.ts'
import { statement, type Statement } from '../database/statements/statement.ts'

/**
 * The engine's statements join a few rows with tables of any size by indexed keys. Their plans are kept, so a plan made on a small table
 * must not scan the table once it has grown.
 */
const USE_INDEXES = 'set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off'

/**
 * SQL for a transaction that need not wait for the disk. After a crash, its events are fanned out and its deliveries claimed again.
 * Results do wait for the disk: without its result, a delivery is sent again when its lease ends.
 */
export const SYNCHRONOUS_COMMIT_OFF = `set_config('synchronous_commit', 'off', true)`

/** For a transaction of several statements. */
export const begin = statement<[], unknown>({
  name: 'begin_delivery_work',
  connection: 'write',
  sql: 'begin',
})
export const commit = statement<[], unknown>({
  name: 'commit_delivery_work',
  connection: 'write',
  sql: 'commit',
})
const limitTime = statement<[ms: string], unknown>({
  name: 'limit_time',
  connection: 'write',
  sql: `select set_config('statement_timeout', $1, true)`,
})

/** An engine's dedicated connection. It is not returned to the pool, so that the engine and requests do not wait for each other. */
export class EngineConnection {
  readonly #db: Database
  #client: pg.PoolClient | undefined
  #inTransaction = false

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Runs a prepared statement, and again after a deadlock. Any other error closes the connection and rolls back its transaction; the next
   * call opens a new connection.
   */
  async run<Values extends readonly unknown[], Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]> {
    try {
      // In a transaction, the earlier statements are lost too.
      return await retried(
        () => this.#send(statement, values),
        (error) => !this.#inTransaction && isRetryable(error),
      )
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Runs a statement in a transaction with its own time limit. */
  async runWithin<Values extends readonly unknown[], Row>(
    timeLimitMs: number,
    limited: Statement<Values, Row>,
    values: Values,
  ): Promise<Row[]> {
    await this.run(begin, [])
    await this.run(limitTime, [String(timeLimitMs)])
    const rows = await this.run(limited, values)
    await this.run(commit, [])
    return rows
  }

  close(): void {
    // Not returned to the pool: it has its own settings.
    this.#client?.release(true)
    this.#client = undefined
    this.#inTransaction = false
  }

  async #send<Row>({ name, sql }: Statement<readonly unknown[], Row>, values: readonly unknown[]): Promise<Row[]> {
    const client = (this.#client ??= await this.#open())
    const { rows } = await client.query({ name, text: sql, values: [...values] })
    if (name === begin.name || name === commit.name) this.#inTransaction = name === begin.name
    return rows as Row[]
  }

  async #open(): Promise<pg.PoolClient> {
    const client = await this.#db.dedicatedPool.connect()
    try {
      await client.query(USE_INDEXES)
    } catch (error) {
      client.release(true)
      throw error
    }
    // An old one may fail late.
    client.on('error', () => {
      if (this.#client === client) this.close()
    })
    return client
  }
}

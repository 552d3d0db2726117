import type pg from 'pg'
import type { Database } from '../../database/database.ts'
import { isRetryable } from '../../database/errors.ts'
import { statement, type Statement } from '../../database/statement.ts'

const MAX_TRIES = 5

/**
 * The engine's statements join a handful of rows with tables that may be empty or hold millions, by keys that are indexed. Their plans
 * are kept, so one made while a table was small must not read it whole when it has grown.
 */
const USE_INDEXES = 'set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off'

/**
 * SQL to be run within a transaction that need not wait for the disk, because nothing is lost with it: events are fanned out and
 * deliveries claimed once more. What became of a delivery is waited for: without it, that would be sent again when its lease ends.
 */
export const WAITS_FOR_NO_DISK = `set_config('synchronous_commit', 'off', true)`

/** Of a transaction of several statements. */
export const begin = statement<[], unknown>('begin_delivery_work', 'begin')
export const commit = statement<[], unknown>('commit_delivery_work', 'commit')
const limitTime = statement<[ms: string], unknown>('limit_time', `select set_config('statement_timeout', $1, true)`)

/** A connection that an engine takes from the pool and keeps, so that it neither waits for requests nor holds them up. */
export class EngineConnection {
  readonly #db: Database
  #client: pg.PoolClient | undefined
  #inTransaction = false

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Runs a prepared statement, and again after a deadlock. Any other error ends the connection, and with it a transaction that was begun;
   * the next call makes a new one.
   */
  async run<Values extends readonly unknown[], Row>({ name, text }: Statement<Values, Row>, values: Values): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      try {
        const client = (this.#client ??= await this.#open())
        const { rows } = await client.query({ name, text, values: values as unknown as unknown[] })
        if (name === begin.name || name === commit.name) this.#inTransaction = name === begin.name
        return rows as Row[]
      } catch (error) {
        // Of a transaction, what was done before is lost, too.
        if (tries < MAX_TRIES && !this.#inTransaction && isRetryable(error)) continue
        this.close()
        throw error
      }
    }
  }

  /** Runs a statement in a transaction with a time limit of its own. */
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
    // Not given back: it has settings of its own.
    this.#client?.release(true)
    this.#client = undefined
    this.#inTransaction = false
  }

  async #open(): Promise<pg.PoolClient> {
    const client = await this.#db.pool.connect()
    try {
      await client.query(USE_INDEXES)
    } catch (error) {
      client.release(true)
      throw error
    }
    client.on('error', () => this.close())
    return client
  }
}

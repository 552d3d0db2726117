import type { Kysely } from 'kysely'
import { type Preface, PrefaceFailed } from '../database/connections/preface.ts'
import type { Queryable, Transaction, TransactionOptions } from '../database/connections/queryable.ts'
import type { KeyedCall } from '../database/keyed-calls/keyed-call.ts'
import type { Schema } from '../database/schema.ts'
import type { BatchedStatement } from '../database/statements/batched-statement.ts'
import type { RunOptions, Statement } from '../database/statements/statement.ts'

/** Runs the SQL of a call that takes its preface along: its batched statement does. Anything else is run behind it, in a round trip of its own. */
export class PrefacedQueries implements Queryable {
  readonly runOne: Queryable['runOne'] = async (statement, values) => (await this.run(statement, values))[0]
  readonly #db: Queryable
  readonly #preface: Preface & { refused(cause: unknown): unknown }

  constructor(db: Queryable, preface: Preface & { refused(cause: unknown): unknown }) {
    this.#db = db
    this.#preface = preface
  }

  get kysely(): Kysely<Schema> {
    throw new Error('A call that is one statement builds no query')
  }

  async run<Values extends readonly unknown[], Row>(
    statement: Statement<Values, Row>,
    values: Values,
    options?: RunOptions,
  ): Promise<Row[]> {
    await this.#preface.run()
    return await this.#db.run(statement, values, options)
  }

  async runBatched<Call, Row extends { call: number }>(
    batched: BatchedStatement<Call, Row>,
    call: Call,
    keyed?: KeyedCall,
  ): Promise<Row[]> {
    try {
      return await this.#db.runBatched(batched, call, keyed, this.#preface)
    } catch (error) {
      throw error instanceof PrefaceFailed ? this.#preface.refused(error.cause) : error
    }
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    await this.#preface.run()
    return await this.#db.transaction(work, options)
  }
}

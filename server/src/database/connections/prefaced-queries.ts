import type { Kysely } from 'kysely'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'
import type { Schema } from '../schema.ts'
import type { BatchedStatement } from '../statements/batched-statement.ts'
import type { RunOptions, Statement } from '../statements/statement.ts'
import { type Preface, PrefaceError } from './preface.ts'
import type { Queryable, Transaction, TransactionOptions } from './queryable.ts'

/** Runs the SQL of a call with a preface. A batched statement is sent together with it; anything else waits until it is committed. */
export class PrefacedQueries implements Queryable {
  readonly runOne: Queryable['runOne'] = async (statement, values) => (await this.run(statement, values))[0]
  readonly #db: Queryable
  readonly #preface: Preface

  constructor(db: Queryable, preface: Preface) {
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
      throw error instanceof PrefaceError ? this.#preface.refused(error.cause) : error
    }
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    await this.#preface.run()
    return await this.#db.transaction(work, options)
  }
}

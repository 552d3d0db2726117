import type { Kysely } from 'kysely'
import { kyselyOn } from '../../database/connections/kysely-on.ts'
import type { Preface } from '../../database/connections/preface.ts'
import type { Queryable, Transaction, TransactionOptions } from '../../database/connections/queryable.ts'
import { MAX_SHARED_SIZE } from '../../database/database.ts'
import { claimKeys, KeyTakenError } from '../../database/keyed-calls/claim-keys.ts'
import { keepResponses } from '../../database/keyed-calls/keep-responses.ts'
import type { KeyedCall } from '../../database/keyed-calls/keyed-call.ts'
import type { Schema } from '../../database/schema.ts'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import type { RunOptions, Statement } from '../../database/statements/statement.ts'

/** The work failed, so its transaction is rolled back. */
class WorkFailedError extends Error {}

/**
 * Runs the SQL of a call with an `Idempotency-Key`. All its statements, the key and the response are in one transaction. If the call is
 * part of a batched statement, this is the batch's transaction; otherwise the call has its own, which begins with its first statement.
 */
export class KeyedQueries implements Queryable {
  readonly runOne: Queryable['runOne'] = async (statement, values) => (await this.run(statement, values))[0]
  readonly #db: Queryable
  readonly #keyed: KeyedCall
  #isBatched = false
  #hasRows = false
  #opened: Promise<Transaction> | undefined
  #kysely: Kysely<Schema> | undefined

  constructor(db: Queryable, keyed: KeyedCall) {
    this.#db = db
    this.#keyed = keyed
  }

  get kysely(): Kysely<Schema> {
    const connect = async () => (await this.#own()).connections.connect()
    return (this.#kysely ??= kyselyOn({ connect, end: async () => {}, options: {} }))
  }

  async run<Values extends readonly unknown[], Row>(
    statement: Statement<Values, Row>,
    values: Values,
    options?: RunOptions,
  ): Promise<Row[]> {
    const tx = await this.#own({ rows: (options?.connection ?? statement.connection) === 'bulk' ? MAX_SHARED_SIZE + 1 : 1 })
    return tx.run(statement, values)
  }

  async runBatched<Call, Row extends { call: number }>(
    batched: BatchedStatement<Call, Row>,
    call: Call,
    _keyed?: KeyedCall,
    preface?: Preface,
  ): Promise<Row[]> {
    const rows = batched.sizeOf(call)
    if (this.#opened !== undefined || rows > MAX_SHARED_SIZE) {
      await preface?.run()
      return (await this.#own({ rows })).runBatched(batched, call)
    }
    this.#isBatched = true
    const result = await this.#db.runBatched(batched, call, this.#keyed, preface)
    this.#hasRows = true
    return result
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return (await this.#own(options)).transaction(work)
  }

  /** The work is done: stores the response and commits. */
  async keep(response: Buffer): Promise<void> {
    if (!this.#isBatched) await this.#own()
    await this.#keyed.succeeded(response)
  }

  /** The work failed. Resolves when its transaction has ended, so that the key is free again. */
  async abandon(): Promise<void> {
    this.#keyed.failed()
    if (this.#hasRows || this.#opened !== undefined) await this.#keyed.over
  }

  #own(options?: TransactionOptions): Promise<Transaction> {
    if (this.#isBatched) return Promise.reject(new Error('A call with a batched statement runs no other one'))
    return (this.#opened ??= this.#open(options))
  }

  #open(options?: TransactionOptions): Promise<Transaction> {
    const keyed = this.#keyed
    const { promise, resolve, reject } = Promise.withResolvers<Transaction>()
    const work = async (tx: Transaction): Promise<void> => {
      const [claimed] = await claimKeys(tx, [{ keyed }])
      if (claimed === undefined) throw new KeyTakenError()
      resolve(tx)
      const response = await keyed.response
      if (response === undefined) throw new WorkFailedError()
      await keepResponses(tx, [{ keyed, response }])
    }
    // The transaction is not repeated alone: the whole call is.
    this.#db.transaction(work, { ...options, mayRepeat: () => false }).then(
      () => keyed.ended(),
      (error: unknown) => {
        reject(error)
        keyed.ended(error)
      },
    )
    return promise
  }
}

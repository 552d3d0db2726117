import type { Kysely, PostgresPool } from 'kysely'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'
import type { BatchedStatement } from '../statements/batched-statement.ts'
import type { Schema } from '../schema.ts'
import type { Statement, StatementRunner } from '../statements/statement.ts'
import type { Step } from './chain.ts'
import type { Preface } from './preface.ts'

/** Runs SQL: the database, or a transaction. */
export interface Queryable extends StatementRunner {
  /** Typed queries for lists and management. Outside of a transaction they run on a `slow` connection. */
  readonly kysely: Kysely<Schema>
  /**
   * Executes a call of a batched statement and returns its rows. It shares the statement with other calls, unless it is large or in a
   * transaction. With `keyed`, the rows are part of a transaction that commits with the stored response: see `KeyedCall`. `preface` is
   * committed before the statement runs.
   */
  runBatched<Call, Row extends { call: number }>(
    batched: BatchedStatement<Call, Row>,
    call: Call,
    keyed?: KeyedCall,
    preface?: Preface,
  ): Promise<Row[]>
  /**
   * Runs `work` in a transaction, and again after a deadlock or serialization failure, so it must have no other effects. Within a
   * transaction it is part of that one, whatever its options.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
}

/** Options of a transaction. */
export interface TransactionOptions {
  /** The approximate number of rows written. Only a few transactions with many rows run at a time, so that they leave the processor to short ones. */
  rows?: number
  /** Whether it may run again after a deadlock or a serialization failure. The default is always. */
  mayRepeat?: () => boolean
}

/** A transaction. `runFirst`, `runGuarded` and `runLast` save a round trip each: a transaction of two statements takes a quarter less time with them. */
export interface Transaction extends Queryable {
  /**
   * Runs a statement without waiting for `begin`: both are sent to the database together. Only for a statement that writes nothing, because
   * it is a transaction of its own when `begin` fails.
   */
  runFirst: Queryable['run']
  /**
   * Runs a statement behind another one, the guard, without waiting for the guard, and at the beginning of a transaction for `begin`. It does not
   * run if the guard fails. Resolves to its rows. A preface is committed before the transaction begins, so it needs a transaction that has not.
   */
  runGuarded<Row>(
    guard: Step,
    change: { statement: Statement<readonly unknown[], Row>; values: readonly unknown[] },
    preface?: Preface,
  ): Promise<Row[]>
  /** Runs the last statement of the transaction and commits: both are sent to the database together. */
  runLast: Queryable['run']
  /** For a query builder that is created before the transaction begins. */
  readonly connections: PostgresPool
}

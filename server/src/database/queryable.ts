import type { Kysely } from 'kysely'
import type { BatchedStatement } from './batched-statement.ts'
import type { Schema } from './schema.ts'
import type { Statement } from './statement.ts'

/** What runs SQL: the database itself, or one transaction of it. */
export interface Queryable {
  /** Typed queries for lists and management. */
  readonly kysely: Kysely<Schema>
  /**
   * Runs one prepared statement, over the connections of its lane. Outside of a transaction it is a transaction of its own and is run again
   * after a deadlock. Rejects with `service_unavailable` when the tenant has too much under way.
   */
  run<Values extends readonly unknown[], Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]>
  /** The statement's only row, or undefined when there is none. */
  runOne<Values extends readonly unknown[], Row>(statement: Statement<Values, Row>, values: Values): Promise<Row | undefined>
  /** The same for a read that may take long with these values: it runs in the lane `slow`. */
  runApart: Queryable['run']
  /** Carries out a call of a batched statement and returns its rows: together with others, unless it is large or in a transaction. */
  runBatched<Call, Row extends { call: number }>(batched: BatchedStatement<Call, Row>, call: Call): Promise<Row[]>
  /**
   * Runs `work` in a transaction, and again after a deadlock or serialization failure, so it must have no other effects. Within a
   * transaction it is part of that one, whatever its options.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
}

/** What a transaction is about. */
export interface TransactionOptions {
  /** How many rows it writes, about. Of those that write many, few run at a time, so that they leave the processor to the short ones. */
  rows?: number
}

export interface Transaction extends Queryable {
  /** Runs a statement that writes nothing, without waiting for the transaction to begin: both go to the database together. */
  runFirst: Queryable['run']
  /** Runs the last statement of the transaction, which is committed with it: both go to the database together. */
  runLast: Queryable['run']
}

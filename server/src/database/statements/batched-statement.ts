import type { Statement, StatementRunner } from './statement.ts'

/**
 * A statement that can execute many calls at once. Calls that arrive while others are running are sent together. Most of the cost of a
 * small write is not its rows but starting the statement and waiting for the disk: batched, the orders of 64 callers take a quarter of the
 * processor time in Postgres.
 */
export interface BatchedStatement<Call, Row extends { call: number }, Values extends readonly unknown[] = readonly unknown[]> {
  /** Each call succeeds or fails as a whole, independently of the others. `call` in a row is the call's position in `valuesOf`. */
  readonly statement: Statement<Values, Row>
  valuesOf(calls: readonly Call[]): Values
  /** Only calls of the same group and tenant share a statement. */
  groupOf(call: Call): string
  /** Names of what the call changes. A call waits for other calls of its group that change the same. */
  changedBy(call: Call): readonly string[]
  /** The approximate number of rows. */
  sizeOf(call: Call): number
  /** Its start costs as much as several calls: while many run, the next ones wait a moment for each other. */
  readonly isSlowToStart?: boolean
  /**
   * A cheaper statement for a call that shares its statement with no other. Where it cannot carry out the call, it changes nothing and returns what
   * `again` needs, so that the call runs again with the other.
   */
  readonly alone?: {
    readonly statement: Statement<readonly unknown[], Row>
    isFor(call: Call): boolean
    valuesOf(call: Call): readonly unknown[]
  }
  /**
   * For calls that changed nothing and must run again, each alone: those that found their data out of date after they waited for a lock, with
   * `lock`, which their transaction takes first; those that another statement is for, with that one, as `instead`; those that must be read first, with
   * `prepare`, which returns the call to run. It may run together with `lock`: what it reads may be out of date. Without both, it needs no transaction.
   */
  readonly again?: {
    isNeeded(rows: readonly Row[], call: Call): boolean
    lock?(call: Call): BatchedLock
    prepare?(db: StatementRunner, call: Call): Promise<Call>
    instead?: Pick<BatchedStatement<Call, Row>, 'statement' | 'valuesOf'>
  }
}

/** A statement that takes a lock, and its values. */
export interface BatchedLock {
  statement: Statement<readonly unknown[], unknown>
  values: readonly unknown[]
}

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
  /** Of the calls of one tenant, only those of the same group share a statement. */
  groupOf(call: Call): string
  /** Names of what the call changes. A call waits for other calls of its group that change the same. */
  changedBy(call: Call): readonly string[]
  /** The approximate number of rows. */
  sizeOf(call: Call): number
  /** Its start costs as much as several calls: while many run, the next ones wait a moment for each other. */
  readonly isSlowToStart?: boolean
  /**
   * A cheaper statement for a call that shares its statement with no other. Where it cannot carry out the call, it changes nothing, and the call needs a
   * second run.
   */
  readonly alone?: {
    readonly statement: Statement<readonly unknown[], Row>
    isFor(call: Call): boolean
    valuesOf(call: Call): readonly unknown[]
  }
  /** Without `lock` and `prepare`, a second run needs no transaction of several statements. */
  readonly secondRun?: {
    /** Whether the call changed nothing and must run again, alone. Its rows do not count then. */
    isNeeded(rows: readonly Row[], call: Call): boolean
    /** Taken first: the call waited for a lock, and its data was out of date then. */
    lock?(call: Call): BatchedLock
    /** Reads what the second run needs, and returns the call to run. Runs beside `lock`, so what it reads may be out of date. */
    prepare?(db: StatementRunner, call: Call): Promise<Call>
    /** The statement of the second run, if it is another one. */
    instead?: Pick<BatchedStatement<Call, Row>, 'statement' | 'valuesOf'>
  }
}

/** A statement that takes a lock, and its values. */
export interface BatchedLock {
  statement: Statement<readonly unknown[], unknown>
  values: readonly unknown[]
}

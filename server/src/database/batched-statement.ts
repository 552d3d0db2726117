import type { Statement } from './statement.ts'

/**
 * A statement that carries out many calls as well as one: calls that come while others are under way go out together. Most of what a small
 * write costs is not its rows but starting the statement and waiting for the disk: the orders of 64 callers take a quarter of the
 * processor time in Postgres that they take in a statement each.
 */
export interface BatchedStatement<Call, Row extends { call: number }> {
  /** Each call is done whole or not at all, whatever becomes of the others. Of its rows, `call` is the position in `valuesOf`. */
  readonly statement: Statement<readonly unknown[], Row>
  valuesOf(calls: readonly Call[]): readonly unknown[]
  /** Only calls of the same group share a statement. Of different tenants they never do. */
  groupOf(call: Call): string
  /** Names of what the call changes. Of two calls in a group that change the same, one waits for the other. */
  changedBy(call: Call): readonly string[]
  /** How many rows it is about. */
  sizeOf(call: Call): number
}

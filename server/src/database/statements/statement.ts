import type pg from 'pg'

/**
 * The kind of connection that a statement uses outside of a transaction.
 *
 * `read`: a shared connection, so the statement must be short and bounded and wait for no lock. `write`: an exclusive connection, because
 * it waits for locks and the disk. `slow`: an exclusive connection, a few at a time, for a read that may take long. `bulk`: the same for a
 * write of many rows. `unsynced`: a connection with `synchronous_commit` off, for a short write that is durable once any later commit is.
 *
 * `npm run check:statements` finds a wrong kind.
 */
export type ConnectionKind = 'read' | 'write' | 'slow' | 'bulk' | 'unsynced'

/**
 * SQL that runs as a named prepared statement. Postgres parses and plans it once per connection, which makes the hot paths 2.4 to 3.8 times
 * as fast as unprepared text.
 */
export interface Statement<Values extends readonly unknown[], Row> {
  /** Unique in the program. */
  readonly name: string
  /** Ignored in a transaction and by the delivery engine. */
  readonly connection: ConnectionKind
  /** By convention `$1` is the tenant's id. */
  readonly sql: string
  /**
   * Columns that are never null for a reason that Postgres does not know, such as a condition. The check treats every other column as
   * nullable unless the table, an aggregate or an expression excludes nulls.
   */
  readonly notNull?: readonly string[]
  /** Only carries the types; never set. */
  readonly types?: { values: Values; row: Row }
}

/** Options of one execution of a statement. */
export interface RunOptions {
  /** `slow` for a `read` that may take long with these values, such as a page far from the first one. `bulk` for a `write` of many rows. */
  connection?: 'slow' | 'bulk'
}

/** Runs statements: the database, or a transaction. */
export interface StatementRunner {
  /**
   * Runs one prepared statement over a connection of its kind. Outside of a transaction it is a transaction of its own, and is run again
   * after a deadlock. Rejects with `TooManyCallsError` when the tenant has too many requests in progress.
   */
  run<Values extends readonly unknown[], Row>(
    statement: Statement<Values, Row>,
    values: Values,
    options?: RunOptions,
  ): Promise<Row[]>
  /** The statement's only row, or undefined if there is none. */
  runOne<Values extends readonly unknown[], Row>(statement: Statement<Values, Row>, values: Values): Promise<Row | undefined>
}

/** Is called with each statement when it is declared. */
export type OnDeclared = (statement: Statement<readonly unknown[], unknown>) => void

let onDeclared: OnDeclared | undefined

/** For the check of all statements, which calls this before it imports their modules. */
export function watchDeclarations(listener: OnDeclared): void {
  onDeclared = listener
}

/**
 * Declares a statement, at the top level of a module. `npm run check:statements` compares both types with the parameters and columns that
 * Postgres reports.
 */
export function statement<Values extends readonly unknown[], Row>(
  declaration: Omit<Statement<Values, Row>, 'types' | 'notNull'> & { notNull?: readonly (keyof Row & string)[] },
): Statement<Values, Row> {
  onDeclared?.(declaration)
  return declaration
}

/** A statement in the form that pg expects. */
export function queryOf({ name, sql }: Statement<readonly unknown[], unknown>, values: readonly unknown[]): pg.QueryConfig {
  return { name, text: sql, values: values.map((value) => (Array.isArray(value) ? arrayText(value) : value)) }
}

/** A control character in JSON. */
const OTHER_ESCAPE = /\\[^"\\]/

/**
 * A one-dimensional array of strings, numbers, booleans, dates and nulls in Postgres's text format: JSON in other brackets, but without
 * escapes of control characters. pg's own conversion takes six times as long, and most values of a bulk call are in arrays.
 */
export function arrayText(values: readonly unknown[]): string {
  const json = JSON.stringify(values)
  const elements = OTHER_ESCAPE.test(json) ? values.map(elementText).join(',') : json.slice(1, -1)
  return `{${elements}}`
}

function elementText(value: unknown): string {
  return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : JSON.stringify(value ?? null)
}

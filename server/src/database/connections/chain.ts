import pg from 'pg'
import { activeTracing } from '../../runtime/tracing/index.ts'
import { queryOf, type Statement } from '../statements/statement.ts'

type AnyStatement = Statement<readonly unknown[], unknown>

/** A statement and its values. */
export interface Step {
  statement: AnyStatement
  values: readonly unknown[]
}

/** A query of a chain, and what to do with its rows when it has succeeded. Without it, only the rows of the last one are read. */
export interface ChainedQuery {
  query: pg.QueryConfig
  done?: (rows: unknown[]) => void
}

/** Prepared too, so that they can be sent together with prepared statements. */
export const BEGIN = { name: 'begin', text: 'begin' }
export const COMMIT = { name: 'commit', text: 'commit' }

/** The query of a step. */
export const queryOfStep = ({ statement, values }: Step): pg.QueryConfig => queryOf(statement, values)

/** What the driver's types leave out: the texts of the statements that the connection has prepared, by name. */
interface PreparedStatements {
  parsedStatements?: Readonly<Record<string, string>>
}

/**
 * Runs prepared statements as one message to Postgres, which runs none of what follows a failure. Sent as queries of their own, a statement would be a
 * transaction of its own if the `begin` in front of it failed, and would run although the one before it failed. Resolves to the rows of the last one.
 *
 * Undefined, and nothing is sent, unless the connection has prepared all; while calls are traced, because each statement has a span; and
 * for values that only the driver can convert.
 */
export function sendChain(client: pg.PoolClient, queries: readonly ChainedQuery[]): Promise<unknown[]> | undefined {
  const { parsedStatements } = client.connection as PreparedStatements
  const isPrepared = queries.every(({ query: { name = '', text } }) => parsedStatements?.[name] === text)
  if (!isPrepared || activeTracing() !== undefined || !queries.every(isPlain)) return undefined
  const chain = new Chain(queries)
  return (client.query(chain as never) as unknown as Promise<unknown>).then(() => chain.present)
}

/** The driver's method for the end of each statement, which its types leave out. */
interface Completing {
  handleCommandComplete: (message: unknown, connection: unknown) => void
}

/** Prepared statements with one Sync message behind the last one. Postgres skips to it when one of them fails. */
class Chain extends pg.Query {
  /** Of the present statement, in the end of the last one. */
  present: unknown[] = []

  constructor(queries: readonly ChainedQuery[]) {
    super({ text: '' })
    this.submit = (connection) => {
      connection.stream.cork()
      for (const [index, { query, done }] of queries.entries()) {
        connection.bind({ statement: query.name as string, values: query.values as never, valueMapper: textOf }, true)
        if (done !== undefined || index === queries.length - 1) connection.describe({ type: 'P', name: '' }, true)
        connection.execute(null, true)
      }
      connection.sync()
      connection.stream.uncork()
    }
    this.on('row', (row: unknown) => this.present.push(row))
    this.#watch(queries)
  }

  #watch(queries: readonly ChainedQuery[]): void {
    const driver = this as unknown as Completing
    const complete = driver.handleCommandComplete.bind(this)
    let completed = 0
    driver.handleCommandComplete = (message, connection) => {
      complete(message, connection)
      queries[completed++]?.done?.(this.present)
      if (completed < queries.length) this.present = []
    }
  }
}

type Plain = string | number | boolean | null | undefined

const isPlain = ({ query: { values = [] } }: ChainedQuery): boolean =>
  values.every((value) => value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value))

const textOf = (value: Plain): string | null => (value === null || value === undefined ? null : String(value))

import type { PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { activeTracing } from '../tracing/index.ts'
import { queryOf, type Statement } from './statement.ts'

interface Connection {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>
}

/** Sends a prepared statement over a connection. All statements of requests pass here or through `kyselyClient`, where their spans are made. */
export function send(
  connection: Connection,
  statement: Statement<readonly unknown[], unknown>,
  values: readonly unknown[],
  waitedMs?: number,
): Promise<pg.QueryResult> {
  const query = queryOf(statement, values)
  const tracing = activeTracing()
  if (tracing === undefined) return connection.query(query)
  return tracing.statement({ name: statement.name, waitedMs }, () => connection.query(query))
}

/** A connection as kysely takes it. */
export function kyselyClient(client: pg.PoolClient, release: () => void, waitedMs?: number): PostgresPoolClient {
  const query: PostgresPoolClient['query'] = client.query.bind(client)
  const tracing = activeTracing()
  if (tracing === undefined) return { query, release }
  const tracedQuery = (text: string, values: readonly unknown[]) =>
    tracing.statement({ name: summaryOf(text), waitedMs }, () => query(text, values))
  return { query: tracedQuery as typeof query, release }
}

/** What a statement without a name does and to what, such as `select orders`. */
function summaryOf(text: string): string {
  const [operation = 'statement'] = /\w+/.exec(text) ?? []
  const [, table] = /\b(?:from|into|update)\s+"(\w+)"/.exec(text) ?? []
  return table === undefined ? operation : `${operation} ${table}`
}

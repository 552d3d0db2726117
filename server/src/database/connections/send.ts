import type pg from 'pg'
import { activeTracing } from '../../runtime/tracing/index.ts'
import { queryOf, type Statement } from '../statements/statement.ts'

interface Connection {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>
}

/** Sends a prepared statement over a connection, in its own span. `TracedDriver` creates the spans of Kysely's queries. */
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

import { type Dialect, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { activeTracing } from '../../runtime/tracing/index.ts'
import type pg from 'pg'
import type { Schema } from '../schema.ts'
import { TableNames } from './table-names.ts'
import { TracedDriver } from './traced-driver.ts'

/** A query builder. */
export function kyselyOn(pool: PostgresPool): Kysely<Schema> {
  const dialect = new PostgresDialect({ pool })
  const tracing = activeTracing()
  const parts: Dialect = {
    createDriver: () => (tracing === undefined ? dialect.createDriver() : new TracedDriver(dialect.createDriver(), tracing)),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => new TableNames(db),
  }
  return new Kysely<Schema>({ dialect: parts })
}

/** A connection in the form that Kysely expects. `release` is called after each query. */
export function kyselyClient(client: pg.PoolClient, release: () => void): PostgresPoolClient {
  return { query: client.query.bind(client), release }
}

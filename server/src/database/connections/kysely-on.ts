import { createRequire } from 'node:module'
import type * as kysely from 'kysely'
import { activeTracing } from '../../runtime/tracing/index.ts'
import type pg from 'pg'
import type { Schema } from '../schema.ts'
import { TableNames } from './table-names.ts'
import { TracedDriver } from './traced-driver.ts'

const require = createRequire(import.meta.url)

/** A query builder. Its 257 modules take a tenth of a start, so they are loaded when the first query is built. */
export function kyselyOn(pool: kysely.PostgresPool): kysely.Kysely<Schema> {
  const { Kysely, PostgresDialect } = require('kysely') as typeof kysely
  const dialect = new PostgresDialect({ pool })
  const tracing = activeTracing()
  const parts: kysely.Dialect = {
    createDriver: () => (tracing === undefined ? dialect.createDriver() : new TracedDriver(dialect.createDriver(), tracing)),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => new TableNames(db),
  }
  return new Kysely<Schema>({ dialect: parts })
}

/** A connection in the form that Kysely expects. `release` is called after each query. */
export function kyselyClient(client: pg.PoolClient, release: () => void): kysely.PostgresPoolClient {
  return { query: client.query.bind(client), release }
}

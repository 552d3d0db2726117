import { createRequire } from 'node:module'
import type * as kysely from 'kysely'
import type { Schema } from './schema.ts'

const require = createRequire(import.meta.url)

/** A query builder. Its 257 modules take a tenth of a start, so they are loaded when the first query is built. */
export function kyselyOn(pool: kysely.PostgresPool): kysely.Kysely<Schema> {
  const { Kysely, PostgresDialect } = require('kysely') as typeof kysely
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { SOURCES } from '../sources.ts'

/**
 * The folder of the migrations. A migration is named after its file, without the extension: SQL text, or TypeScript whose `steps` run
 * outside a transaction.
 */
export const MIGRATIONS = pathToFileURL(path.join(SOURCES, 'database/migrations/'))
/** The table with the names of executed migrations. */
export const MIGRATION_TABLE = 'schema_migrations'

/** Suffix of a migration that removes something that the previous release needs. All others only add, so that both releases can use the schema. */
const CONTRACT = '.contract'

/**
 * Suffix of a migration that builds indexes on tables that may be large. Each of its steps is its own transaction, so that it blocks no
 * writes.
 */
export const CONCURRENT = '.concurrent'

/** Runs SQL text that has no parameters. */
export type Query = <Row>(text: string) => Promise<Row[]>

/** The names of this version's migrations, in their order. */
export async function knownMigrations(): Promise<string[]> {
  return (await readdir(MIGRATIONS)).map((file) => path.parse(file).name).toSorted()
}

/**
 * The next migration to run, or undefined when the schema is up to date. Throws when this program cannot use the schema: a newer version
 * has removed something it needs, or the schema belongs to a version on another branch.
 */
export async function nextMigration(query: Query, log: (line: string) => void): Promise<string | undefined> {
  const known = await knownMigrations()
  const executed = await executedMigrations(query)
  const missing = known.filter((name) => !executed.includes(name))
  const unknown = executed.filter((name) => !known.includes(name))
  const breaking = unknown.filter((name) => name.endsWith(CONTRACT))
  if (breaking.length > 0)
    throw new Error(
      `The database schema is too new for this version, which needs what ${breaking.join(', ')} took away: start the newer version, or restore a backup from before the upgrade`,
    )
  if (unknown.length > 0 && missing.length > 0)
    throw new Error(
      `The database schema was made by a version that is not on the way to this one: it has ${unknown.join(', ')} and lacks ${missing.join(', ')}`,
    )
  if (unknown.length > 0) log(`The database schema is newer than this version, and fits it still: ${unknown.join(', ')}`)
  return missing[0]
}

async function executedMigrations(query: Query): Promise<string[]> {
  const [table] = await query<{ id: string | null }>(`select to_regclass('${MIGRATION_TABLE}') as id`)
  if (table === undefined || table.id === null) return []
  return (await query<{ name: string }>(`select name from ${MIGRATION_TABLE} order by name`)).map(({ name }) => name)
}

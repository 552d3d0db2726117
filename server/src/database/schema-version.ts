import { readdir } from 'node:fs/promises'

/** Where the migrations are, each a file named after it. */
export const MIGRATIONS = new URL('./migrations/', import.meta.url)
/** The table with the names of those that have run. */
export const MIGRATION_TABLE = 'schema_migrations'

/** A migration takes away what the release before it needs; every other one only adds, so that both releases run on the schema. */
const CONTRACT = '.contract'

/** Runs SQL text that has no parameters. */
export type Query = <Row>(text: string) => Promise<Row[]>

/** The names of the migrations of this version, in their order. */
export async function knownMigrations(): Promise<string[]> {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).toSorted()
  return files.map((file) => file.slice(0, -'.sql'.length))
}

/**
 * Whether migrations are to be run. Throws when this program cannot work with the schema: it is of a newer version that took away what
 * this one needs, or of one that is not on the way to this one.
 */
export async function isBehind(query: Query, log: (line: string) => void): Promise<boolean> {
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
  return missing.length > 0
}

async function executedMigrations(query: Query): Promise<string[]> {
  const [table] = await query<{ id: string | null }>(`select to_regclass('${MIGRATION_TABLE}') as id`)
  if (table === undefined || table.id === null) return []
  return (await query<{ name: string }>(`select name from ${MIGRATION_TABLE} order by name`)).map(({ name }) => name)
}

import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { CompiledQuery, sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { Schema } from './schema.ts'
import { isBehind, knownMigrations, MIGRATION_TABLE, MIGRATIONS, type Query } from './schema-version.ts'

/**
 * Everything else that wants the table waits behind a statement that waits to lock it, so a migration soon lets them pass and tries again.
 * A long transaction of somebody else, such as that of a dump, holds it up for as long as it runs.
 */
const LOCK_TIMEOUT = '300ms'
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000
const PATIENCE_MS = 300_000

/** lock_not_available, deadlock_detected */
const BUSY = new Set(['55P03', '40P01'])

/**
 * Brings the schema up to date, each migration in a transaction of its own, and returns the names of those that it ran. Any number of
 * processes may call it at once, also while others work with the database: one at a time migrates. A newer schema is left as it is.
 * Throws when it does not fit this program, and when a lock could not be had for minutes.
 */
export async function migrate(kysely: Kysely<Schema>, log: (line: string) => void = () => {}): Promise<string[]> {
  const migrations: Record<string, Migration> = Object.fromEntries(
    (await knownMigrations()).map((name) => [name, { up: (db) => runFile(db, name) }]),
  )
  const query: Query = async (text) => (await kysely.executeQuery<never>(CompiledQuery.raw(text))).rows
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => migrations },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  })
  const ran: string[] = []
  while (await isBehind(query, log)) ran.push(...(await runNext(migrator, log)))
  return ran
}

/** Runs a migration, unless another process has just run the last one. */
async function runNext(migrator: Migrator, log: (line: string) => void): Promise<string[]> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const { error, results = [] } = await migrator.migrateUp()
    if (error === undefined) return results.map(({ migrationName }) => migrationName)
    const name = results[0]?.migrationName ?? '(none begun)'
    if (!BUSY.has((error as { code?: string }).code ?? ''))
      throw new Error(`The database schema could not be brought up to date: migration ${name} failed`, { cause: error })
    if (performance.now() > giveUpAt)
      throw new Error(
        `Migration ${name} did not get the lock that it needs: end the transaction that holds it (see pg_stat_activity), and start again`,
        { cause: error },
      )
    log(`Migration ${name} waits for a lock and will be tried again`)
    await delay(pauseMs * (0.5 + Math.random()))
  }
}

async function runFile(db: Kysely<unknown>, name: string): Promise<void> {
  await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(db)
  await sql.raw(await readFile(new URL(`${name}.sql`, MIGRATIONS), 'utf8')).execute(db)
}

import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { CompiledQuery, sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { retry } from '../runtime/retry.ts'
import type { Schema } from './schema.ts'
import { buildIndexes, type ConcurrentStep } from './build-indexes.ts'
import { MIGRATOR_LOCK_IS_FREE } from './locks.ts'
import { CONCURRENT, knownMigrations, MIGRATION_TABLE, MIGRATIONS, nextMigration, type Query } from './schema-version.ts'

/**
 * All other queries of a table wait behind a statement that waits to lock it. So a migration gives up soon, lets them pass and tries again.
 * A long transaction, such as a dump, delays it until it ends.
 */
const LOCK_TIMEOUT = '300ms'
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5_000
const PATIENCE_MS = 300_000
const POLL_MS = 500

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'
const BUSY = new Set([LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED])

/**
 * Brings the schema up to date and returns the names of the migrations it ran. Each runs in its own transaction, except those that build
 * indexes. Any number of processes may call it at the same time, also while others use the database: one at a time migrates. A newer schema
 * is left unchanged. Throws when the schema does not fit this program, and when a lock could not be taken for minutes.
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
  while ((await nextMigration(query, log)) !== undefined) ran.push(...(await runNext(migrator, query, log)))
  return ran
}

/** A migration failed and was rolled back. */
class MigrationError extends Error {
  readonly migration: string

  constructor(migration: string, cause: unknown) {
    super(`The database schema could not be brought up to date: migration ${migration} failed`, { cause })
    this.migration = migration
  }

  /** It could not take a lock. */
  get isBusy(): boolean {
    return BUSY.has((this.cause as { code?: string }).code ?? '')
  }
}

/** Runs the next migration, unless another process has just run the last one. */
async function runNext(migrator: Migrator, query: Query, log: (line: string) => void): Promise<string[]> {
  const giveUpAt = performance.now() + PATIENCE_MS
  const isBusy = (error: unknown): error is MigrationError => error instanceof MigrationError && error.isBusy
  try {
    return await retry(() => migrateUp(migrator, query), {
      isRetryable: (error) => isBusy(error) && performance.now() <= giveUpAt,
      pauseMs: (failures) => Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS),
      onRetry: (error) => log(`Migration ${(error as MigrationError).migration} waits for a lock and will be tried again`),
    })
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new Error(
      `Migration ${error.migration} did not get the lock that it needs: end the transaction that holds it (see pg_stat_activity), and start again`,
      { cause: error },
    )
  }
}

async function migrateUp(migrator: Migrator, query: Query): Promise<string[]> {
  await untilOthersHaveMigrated(query)
  const next = await nextMigration(query, () => {})
  const { error, results = [] } = await migrator.migrateUp({ disableTransactions: next?.endsWith(CONCURRENT) ?? false })
  if (error !== undefined) throw new MigrationError(results[0]?.migrationName ?? '(none begun)', error)
  return results.map(({ migrationName }) => migrationName)
}

/**
 * Tries to take the lock at intervals instead of waiting for it: building an index concurrently waits for all older snapshots, and so for a
 * statement that waits for the lock.
 */
async function untilOthersHaveMigrated(query: Query): Promise<void> {
  const isFree = async (): Promise<boolean> =>
    (await query<{ free: boolean }>(`select ${MIGRATOR_LOCK_IS_FREE} as free`))[0]?.free === true
  while (!(await isFree())) await delay(POLL_MS)
}

async function runFile(db: Kysely<unknown>, name: string): Promise<void> {
  if (name.endsWith(CONCURRENT)) return await runConcurrently(db, name)
  if (!db.isTransaction) throw othersMigrated('To be run in a transaction')
  const text = await readFile(new URL(`${name}.sql`, MIGRATIONS), 'utf8')
  await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(db)
  await sql.raw(text).execute(db)
}

/** Another process has run the migration that was next when it was decided whether to begin a transaction: to be tried again. */
function othersMigrated(message: string): Error {
  return Object.assign(new Error(message), { code: LOCK_NOT_AVAILABLE })
}

async function runConcurrently(db: Kysely<unknown>, name: string): Promise<void> {
  if (db.isTransaction) throw othersMigrated('Not to be run in a transaction')
  const { steps } = (await import(new URL(`${name}.ts`, MIGRATIONS).href)) as { steps: ConcurrentStep[] }
  const query: Query = async (statement) => (await db.executeQuery<never>(CompiledQuery.raw(statement))).rows
  await buildIndexes(query, steps, LOCK_TIMEOUT)
}

import { readdir, readFile } from 'node:fs/promises'
import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { Schema } from './schema.ts'

const folder = new URL('./migrations/', import.meta.url)

/**
 * Brings the schema up to date and returns the names of the migrations that it ran. Any number of processes may call it at once:
 * one migrates, the others wait for it.
 */
export async function migrate(kysely: Kysely<Schema>): Promise<string[]> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw new Error('The database schema could not be brought up to date', { cause: error })
  return (results ?? []).map((result) => result.migrationName)
}

async function getMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()
  return Object.fromEntries(files.map((file) => [file.slice(0, -'.sql'.length), { up: (db) => runFile(db, file) }]))
}

async function runFile(db: Kysely<unknown>, file: string): Promise<void> {
  await sql.raw(await readFile(new URL(file, folder), 'utf8')).execute(db)
}

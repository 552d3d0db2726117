import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../server/src/database/database.ts'
import { startEmbeddedPostgres } from '../../server/src/database/embedded-postgres.ts'
import { migrate } from '../../server/src/database/migrate.ts'
import { createDatabase, TEMPLATE } from './test-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres with the migrated template database that every test file clones. */
    postgresUrl: string
  }
}

/** One Postgres for the whole run: `TEST_DATABASE_URL`, or an embedded one of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined) {
    await prepareTemplate(given)
    project.provide('postgresUrl', given)
    return async () => {}
  }
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fulfillment-test-'))
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off', max_prepared_transactions: '10' } })
  await prepareTemplate(postgres.connectionString)
  project.provide('postgresUrl', postgres.connectionString)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function prepareTemplate(postgresUrl: string): Promise<void> {
  const url = await createDatabase(postgresUrl, TEMPLATE)
  const db = openDatabase(url)
  await db.unhurried(migrate)
  await db.close()
}

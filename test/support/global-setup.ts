import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { migrate } from '@fulfillment/server/database/migrate.ts'
import { maintainAllPartitions } from '@fulfillment/server/maintenance.ts'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { createDatabase, TEMPLATE } from './test-database.ts'
import { temporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres server with a migrated template database. Every test file clones it. */
    postgresUrl: string
    /** The OpenAPI document. Making it takes a third of a second, so it is made once. */
    openApiDocument: Record<string, unknown>
  }
}

/** Provides one Postgres for the whole run: the one at `TEST_DATABASE_URL`, or an embedded one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('openApiDocument', openApiDocument())
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined) {
    await prepareTemplate(given)
    project.provide('postgresUrl', given)
    return async () => {}
  }
  const dataDir = await temporaryFolder('fulfillment-test-')
  const postgres = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', full_page_writes: 'off', max_prepared_transactions: '10', max_connections: '400' },
  })
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
  await db.withoutTimeLimits(migrate)
  // Otherwise a server would create the partitions in each clone when it starts.
  await maintainAllPartitions(db)
  await db.close()
}

import type { Database } from './database.ts'
import { nextMigration } from './schema-version.ts'

/** Migrates the schema. The migrations are loaded only for a start that has some to run: they take a tenth of a start. */
export async function bringUpToDate(db: Database, log: (line: string) => void): Promise<void> {
  if ((await nextMigration(async (text) => (await db.dedicatedPool.query(text)).rows, log)) === undefined) return
  const { migrate } = await import('./migrate.ts')
  await db.withoutTimeLimits((kysely) => migrate(kysely, log))
}

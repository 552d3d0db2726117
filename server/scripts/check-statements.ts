import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
// Imported first: it records the statements that other modules declare.
import { statementCheck } from './statement-check/check-statements.ts'
import { openDatabase } from '../src/database/database.ts'
import { startEmbeddedPostgres } from '../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../src/database/migrate.ts'

// Checks the connection, the parameters and the columns of every statement, and `Schema`, against Postgres: on the databases of the given URLs, or
// on an empty one with all migrations. Prints the names of the statements with problems.
const urls = process.argv.slice(2)
const check = await statementCheck()
let hasProblems = false
const report = async (url: string): Promise<void> => {
  const { problems, statements } = await check(url)
  for (const problem of problems) console.error(problem)
  console.log(`${statements} statements checked, ${problems.length} problems found`)
  hasProblems ||= problems.length > 0
}
if (urls.length === 0) await onNewDatabase(report)
for (const url of urls) await report(url)
process.exit(hasProblems ? 1 : 0)

async function onNewDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fulfillment-statements-'))
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
  const db = openDatabase(postgres.connectionString)
  try {
    await db.withoutTimeLimits(migrate)
    return await work(postgres.connectionString)
  } finally {
    await db.close()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

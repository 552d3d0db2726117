import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { citusScript } from '../src/database/citus-script.ts'
import { openDatabase } from '../src/database/database.ts'
import { startEmbeddedPostgres } from '../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../src/database/migrate.ts'

// Writes src/database/citus.sql. A test checks that the file matches the migrations.
const dataDir = await mkdtemp(path.join(tmpdir(), 'fulfillment-citus-'))
const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
const db = openDatabase(postgres.connectionString)
try {
  await db.withoutTimeLimits(migrate)
  await writeFile(new URL('../src/database/citus.sql', import.meta.url), await citusScript(db.kysely))
} finally {
  await db.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

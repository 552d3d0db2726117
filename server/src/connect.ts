import type { Config } from './config.ts'
import { openDatabase, type Database } from './database/database.ts'
import { startEmbeddedPostgres } from './database/embedded-postgres.ts'
import { encryptionKeysOf } from './encryption-keys.ts'
import { createEncryption, type Encryption } from './encryption.ts'

/** The database of a configuration, and what to do when done with it. */
export interface Connection {
  db: Database
  encryption: Encryption
  close(): Promise<void>
}

/** Opens the configured database, or starts the embedded Postgres (or joins it, when another process runs it already). */
export async function connect(config: Config, log: (line: string) => void): Promise<Connection> {
  const keys = await encryptionKeysOf(config)
  const encryption = createEncryption(keys.current, keys.previous)
  if (config.databaseUrl !== undefined) {
    const db = openDatabase(config.databaseUrl, { onConnectionError: (error) => log(error.message) })
    await requireReachable(db)
    return { db, encryption, close: () => db.close() }
  }
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log })
  const db = openDatabase(postgres.connectionString, { onConnectionError: (error) => log(error.message) })
  return {
    db,
    encryption,
    close: async () => {
      await db.close()
      await postgres.stop()
    },
  }
}

/** A wrong address shows here first: the error names the setting that has it. */
async function requireReachable(db: Database): Promise<void> {
  try {
    await db.pool.query('select 1')
  } catch (error) {
    await db.close()
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(`DATABASE_URL: the database cannot be reached: ${message || code}`, { cause: error })
  }
}

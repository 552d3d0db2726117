import { existsSync } from 'node:fs'
import type { Config } from './config.ts'
import { MAX_CONNECTIONS, openDatabase, type Database } from './database/database.ts'
import { versionFileOf } from './database/embedded/cluster-files.ts'
import { startEmbeddedPostgres } from './database/embedded/embedded-postgres.ts'
import { encryptionKeysOf } from './runtime/encryption/encryption-keys.ts'
import { createEncryption, type Encryption } from './runtime/encryption/encryption.ts'

/** An open database, and the encryption of its secrets. */
export interface Connection {
  db: Database
  encryption: Encryption
  /** Takes `withinMs` at most for the connections, and as long as it takes for the embedded Postgres. */
  close(withinMs?: number): Promise<void>
}

/** Opens the configured database. For the embedded Postgres, starts it, or joins it when another process runs it. */
export async function connect(config: Config, log: (line: string) => void): Promise<Connection> {
  const mayGenerate = config.databaseUrl !== undefined || !existsSync(versionFileOf(config.dataDir))
  const keys = await encryptionKeysOf(config, { mayGenerate })
  if (config.databaseUrl !== undefined) {
    const encryption = createEncryption(keys.current, keys.previous)
    const db = openDatabase(config.databaseUrl, { onConnectionError: (error) => log(error.message) })
    await requireReachable(db)
    return { db, encryption, close: (withinMs) => db.close(withinMs) }
  }
  const settings = { max_connections: String(connectionsFor(config.processes)) }
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log, settings })
  const encryption = await encryptionOf(config).catch(async (error: Error) => {
    await postgres.stop()
    throw error
  })
  const db = openDatabase(postgres.connectionString, { onConnectionError: (error) => log(error.message) })
  return {
    db,
    encryption,
    close: async (withinMs) => {
      await db.close(withinMs === undefined ? undefined : withinMs / 4)
      await postgres.stop()
    },
  }
}

/** With the generated keys as they are now: their rotation may have begun until this process had joined Postgres, and cannot since. */
async function encryptionOf(config: Config): Promise<Encryption> {
  const { current, previous } = await encryptionKeysOf(config, { mayGenerate: false })
  return createEncryption(current, previous)
}

/** For command-line programs, and the connections that Postgres reserves for its administrator. */
const OTHER_CONNECTIONS = 65
const MIN_CONNECTIONS = 200

/** Maximum number of connections of the embedded Postgres. A restart of the processes runs one more of them. */
function connectionsFor(processes: number): number {
  return Math.max(MIN_CONNECTIONS, (processes + 1) * MAX_CONNECTIONS + OTHER_CONNECTIONS)
}

/** Reports a wrong address with the name of the setting. */
async function requireReachable(db: Database): Promise<void> {
  try {
    await db.dedicatedPool.query('select 1')
  } catch (error) {
    await db.close()
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(`DATABASE_URL: the database cannot be reached: ${message || code}`, { cause: error })
  }
}

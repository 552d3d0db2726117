import { statSync } from 'node:fs'
import type { Config } from '../config.ts'
import { connect, type Connection } from '../connect.ts'
import { versionFileOf } from '../database/embedded/cluster-files.ts'
import { onInterrupt } from './interruption.ts'
import { printLine } from './progress.ts'

/** An interrupted command waits this long for its connections to close. */
const CLOSE_WITHIN_MS = 1_000

/**
 * Runs work on the configured database, and stops the embedded Postgres if the command has started it. After Ctrl-C or SIGTERM the work is not
 * waited for; its open transactions are rolled back. Throws if there is no database, unless the command may create one.
 */
export async function withConnection<T>(
  config: Config,
  work: (connection: Connection) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  if (!mayCreate) requireDatabase(config)
  else if (!hasDatabase(config)) printLine(`${config.dataDir} has no database yet, and DATABASE_URL is not set: creating one`)
  const { signal, stopListening } = onInterrupt('Stopping')
  const interrupted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => interrupted.reject(signal.reason))
  // A signal before the work begins is seen there.
  interrupted.promise.catch(() => {})
  try {
    const connection = await connect(config, () => {})
    try {
      signal.throwIfAborted()
      return await Promise.race([work(connection), interrupted.promise])
    } finally {
      await connection.close(signal.aborted ? CLOSE_WITHIN_MS : undefined)
    }
  } catch (error) {
    // Ctrl-C also ends programs of Postgres that are running.
    signal.throwIfAborted()
    throw error
  } finally {
    stopListening()
  }
}

/**
 * Throws if there is no database, so that a command that lacks the settings of the server does not report success for a new, empty one that no
 * server uses.
 */
export function requireDatabase(config: Config): void {
  if (hasDatabase(config)) return
  throw new Error(
    `DATA_DIR: there is no database in ${config.dataDir}. Start the server first, or set DATABASE_URL or DATA_DIR as for the server`,
  )
}

function hasDatabase({ databaseUrl, dataDir }: Config): boolean {
  if (databaseUrl !== undefined) return true
  try {
    return statSync(versionFileOf(dataDir)).isFile()
  } catch (error) {
    // Of a folder that this user may not read, what opens the database says so.
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}

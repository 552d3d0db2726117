import type { Config } from '../config.ts'
import { connect, type Connection } from '../connect.ts'
import { onInterrupt } from './interruption.ts'

/** An interrupted command waits this long for its connections to close. */
const CLOSE_WITHIN_MS = 1_000

/**
 * Runs work on the configured database, and stops the embedded Postgres if the command has started it. After Ctrl-C or SIGTERM the work is not
 * waited for; its open transactions are rolled back.
 */
export async function withConnection<T>(config: Config, work: (connection: Connection) => Promise<T>): Promise<T> {
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

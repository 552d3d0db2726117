import { chmodSync, closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'

const OWNER_ONLY = 0o600
const SQLITE_BUSY = 5
const RETRY_MS = 20

/** A lock on a file, held until `release` or the end of the process, whichever comes first. */
export interface FileLock {
  release(): void
}

// A connection that is garbage collected is closed, and its lock with it.
const held = new Set<DatabaseSync>()

/**
 * Locks the file at once, or returns undefined when another process (or another part of this one) is in the way.
 *
 * The lock is that of an empty SQLite database: the only file locks of the operating system which Node offers. The
 * kernel drops them when their holder dies, so there is no stale lock to recognise and no reused pid to be fooled by.
 */
export function tryLock(path: string, mode: 'shared' | 'exclusive'): FileLock | undefined {
  keepToOwner(path)
  const database = new DatabaseSync(path)
  try {
    database.exec('pragma journal_mode = memory')
    database.exec(mode === 'exclusive' ? 'begin exclusive' : 'begin; select 1 from sqlite_schema')
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
  held.add(database)
  return { release: () => held.delete(database) && database.close() }
}

/** Runs `work` while holding the file's exclusive lock, waiting for it up to `timeoutMs`. */
export async function withLock<T>(path: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(path, timeoutMs)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

async function waitForLock(path: string, timeoutMs: number): Promise<FileLock> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const lock = tryLock(path, 'exclusive')
    if (lock) return lock
    if (performance.now() > deadline) throw new Error(`${path} has been locked by another process for ${timeoutMs / 1000} s`)
    await sleep(RETRY_MS)
  }
}

/**
 * Whoever can read the file can lock it, and SQLite would let everybody read it. A file that exists is not opened here: closing it would
 * drop the locks that this process holds on it (fcntl(2)).
 */
function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    restrict(path)
  }
}

/** Files of before were open to all. Another user's file is for that user to change. */
function restrict(path: string): void {
  try {
    chmodSync(path, OWNER_ONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

function isBusy(error: unknown): boolean {
  // The low byte is the primary code; the rest only says what kind of busy it is.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY
}

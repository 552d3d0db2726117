import { chmodSync, closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'

const OWNER_ONLY = 0o600
const SQLITE_BUSY = 5
const RETRY_MS = 20

/** A lock on a file. It is held until `release` or the end of the process. */
export interface FileLock {
  release(): void
}

// Prevents garbage collection, which would close the connection and release its lock.
const held = new Set<DatabaseSync>()

/**
 * Locks the file immediately. Returns undefined when another process, or another part of this one, holds a conflicting lock.
 *
 * The lock is the file lock of an empty SQLite database: Node gives no other access to the operating system's file locks. The kernel
 * releases it when its holder dies, so there are no stale locks, and a reused pid cannot be mistaken for the holder.
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

/** Runs `work` while it holds the file's exclusive lock. Waits for the lock up to `timeoutMs`. */
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
 * Creates the file with access for its owner only. Any user who can read the file can lock it, and SQLite would let all users read it. An
 * existing file is not opened here: closing it would release the locks that this process holds on it (fcntl(2)).
 */
function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    restrict(path)
  }
}

/** Restricts a file of an older version, which all users could read. Another user's file stays unchanged. */
function restrict(path: string): void {
  try {
    chmodSync(path, OWNER_ONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

function isBusy(error: unknown): boolean {
  // The low byte is the primary result code. The higher bytes only distinguish kinds of SQLITE_BUSY.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY
}

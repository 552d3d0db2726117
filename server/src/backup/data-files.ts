import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** What belongs to a running server alone, or is made anew by every start. PostgreSQL documentation, "Making a Base Backup". */
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|pg_internal\.init.*|pgsql_tmp.*|.*\.tmp)$/

/** Copied last, so that it is never older than what it speaks of. */
export const CONTROL_FILE = 'global/pg_control'

/** The folders and files of a cluster that a base backup has, without the write-ahead log and the control file. */
export async function dataFilesOf(directory: string): Promise<{ folders: string[]; files: string[] }> {
  const folders: string[] = []
  const files: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await entriesOf(path.join(directory, folder))) {
      const name = path.posix.join(folder, entry.name)
      if (LEFT_OUT.test(entry.name) || name === CONTROL_FILE) continue
      if (entry.isSymbolicLink())
        throw new Error(`${name} is a symbolic link: databases with tablespaces cannot be backed up this way`)
      if (!entry.isDirectory()) files.push(name)
      else {
        folders.push(name)
        if (!EMPTIED.has(name)) await walk(name)
      }
    }
  }
  await walk('')
  return { folders, files }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    // A database that was dropped meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** A segment of the log, as its file is called: timeline, and number in two parts. */
const SEGMENT = /^[0-9A-F]{24}$/
const SEGMENTS_PER_PART = 256

/** The segments of the write-ahead log from the first to the last, and the histories of timelines. Throws when one is missing. */
export async function logFilesOf(directory: string, first: string, last: string): Promise<string[]> {
  const names = (await readdir(path.join(directory, 'pg_wal'))).toSorted()
  const segments = names.filter((name) => SEGMENT.test(name) && name >= first && name <= last)
  const expected = numberOf(last) - numberOf(first) + 1
  if (segments.length !== expected)
    throw new Error(
      `The write-ahead log from ${first} to ${last} is not complete: ${segments.length} of ${expected} segments are there`,
    )
  return [...names.filter((name) => name.endsWith('.history')), ...segments].map((name) => `pg_wal/${name}`)
}

function numberOf(segment: string): number {
  return Number.parseInt(segment.slice(8, 16), 16) * SEGMENTS_PER_PART + Number.parseInt(segment.slice(16), 16)
}

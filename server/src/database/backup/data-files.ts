import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { DATA_FOLDER } from '../embedded/cluster-files.ts'
import { isExpected } from './extract-archive.ts'

/** Folders that only a running server needs, or that every start recreates. See "Making a Base Backup" in the PostgreSQL documentation. */
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

/** Copied last, so that it is never older than the files it describes. */
export const CONTROL_FILE = 'global/pg_control'

/**
 * The folders and files of a cluster for a base backup, without the write-ahead log and the control file. Without those, too, that a restoration refuses:
 * they are not made by Postgres, but by an editor, for example.
 */
export async function dataFilesOf(directory: string): Promise<{ folders: string[]; files: string[] }> {
  const folders: string[] = []
  const files: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await entriesOf(path.join(directory, folder))) {
      const name = path.posix.join(folder, entry.name)
      if (LEFT_OUT.test(entry.name) || name === CONTROL_FILE || !isExpected(`${DATA_FOLDER}/${name}`)) continue
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
    // The folder belonged to a database that has just been dropped.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** File name of a log segment: the timeline, and the number of the segment in two parts. */
const SEGMENT = /^[0-9A-F]{24}$/
const SEGMENTS_PER_PART = 256

/** The write-ahead log's segments from the first to the last, and the timeline history files. Throws when a segment is missing. */
export async function logFilesOf(directory: string, first: string, last: string): Promise<string[]> {
  const names = (await readdir(path.join(directory, 'pg_wal'))).toSorted()
  const segments = names.filter((name) => SEGMENT.test(name) && name >= first && name <= last)
  const expected = numberOf(last) - numberOf(first) + 1
  if (segments.length !== expected)
    throw new Error(
      `The write-ahead log from ${first} to ${last} is incomplete: it has ${segments.length} of ${expected} segments`,
    )
  return [...names.filter((name) => name.endsWith('.history')), ...segments].map((name) => `pg_wal/${name}`)
}

function numberOf(segment: string): number {
  return Number.parseInt(segment.slice(8, 16), 16) * SEGMENTS_PER_PART + Number.parseInt(segment.slice(16), 16)
}

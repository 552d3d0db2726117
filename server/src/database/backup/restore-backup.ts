import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { requireEmbedded, type Config } from '../../config.ts'
import { ACCESS_FILE, DATA_FOLDER } from '../embedded/cluster-files.ts'
import { startEmbeddedPostgres, whileUnused } from '../embedded/embedded-postgres.ts'
import { openCluster, type Cluster } from '../embedded/postgres-cluster.ts'
import type { PostgresPrograms } from '../embedded/postgres-programs.ts'
import { syncFolder } from '../../runtime/sync-folder.ts'
import type { Following } from './create-backup.ts'
import { extractArchive } from './extract-archive.ts'
import { ENCRYPTION_KEY_FILE, type Metadata } from './manifest.ts'

const DRAFT = 'restore-'
/** Entries that a data folder without data may have: lock files, leftovers of an earlier restoration, and a file system's `lost+found`. */
const NO_DATA = /^(postgres\.lock|postgres\.users\.lock|restore-[0-9a-f-]{36}|lost\+found)$/

/**
 * Restores a backup to the data folder, which must contain no data. First extracts and checks the backup in a temporary folder inside it.
 * Then starts Postgres on it once, which recovers the state at the end of the backup. Finally moves the files into the data folder.
 */
export async function restoreBackup(config: Config, file: string, following: Following): Promise<Metadata> {
  requireEmbedded(config, 'restore with the tools that made its backup')
  const archive = await openArchive(file)
  try {
    const cluster = await openCluster(config.dataDir, {})
    return await whileUnused(cluster, () => restoreInto(cluster, archive, file, following))
  } finally {
    await archive.close()
  }
}

async function openArchive(file: string): Promise<FileHandle> {
  try {
    return await open(file)
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

async function restoreInto(cluster: Cluster, archive: FileHandle, file: string, following: Following): Promise<Metadata> {
  const { dataDir } = cluster
  const names = await readdir(dataDir)
  const data = names.filter((name) => !NO_DATA.test(name))
  if (data.length > 0)
    throw new Error(
      `DATA_DIR: ${dataDir} is not empty (${data.slice(0, 3).join(', ')}): choose an empty folder, or move these files`,
    )
  for (const name of names) if (name.startsWith(DRAFT)) await rm(path.join(dataDir, name), { recursive: true })

  const draft = path.join(dataDir, `${DRAFT}${randomUUID()}`)
  await mkdir(draft, { mode: 0o700 })
  try {
    const about = await unpack(archive, file, draft, cluster, following)
    await recover(draft, following.signal)
    await moveIntoPlace(draft, dataDir, about)
    return about
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function unpack(
  archive: FileHandle,
  file: string,
  folder: string,
  { programs }: Cluster,
  { onProgress, signal }: Following,
): Promise<Metadata> {
  const { size } = await archive.stat()
  let read = 0
  const onRead = (bytes: number): void => onProgress((read += bytes), Math.min(read / size, 1))
  try {
    return await extractArchive(archive, {
      folder,
      owner: programs.owner,
      check: (about) => requireFitting(about, programs),
      onRead,
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(`${file} cannot be restored: ${(error as Error).message}`, { cause: error })
  }
}

function requireFitting({ postgres, arch, version }: Metadata, { majorVersion }: PostgresPrograms): void {
  if (postgres !== majorVersion)
    throw new Error(
      `it is a backup of Postgres ${postgres}, and this is Postgres ${majorVersion}: restore it with version ${version} of the service`,
    )
  if (arch !== process.arch)
    throw new Error(`it was made on another processor architecture: ${arch}, and this is ${process.arch}`)
}

/** Recovers the database. Postgres flushes all files to the disk during recovery and when it stops. */
async function recover(draft: string, signal: AbortSignal): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir: draft, signal })
  await postgres.stop()
}

/** Moves the access file last. A server refuses data without it, so it never starts on an incomplete restoration. */
async function moveIntoPlace(draft: string, dataDir: string, { encryption_key }: Metadata): Promise<void> {
  const names = [DATA_FOLDER, ...(encryption_key === 'included' ? [ENCRYPTION_KEY_FILE] : []), ACCESS_FILE]
  for (const name of names) await rename(path.join(draft, name), path.join(dataDir, name))
  await syncFolder(dataDir)
}

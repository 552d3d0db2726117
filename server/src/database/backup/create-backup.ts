import { open, readFile, stat, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { requireEmbedded, type Config } from '../../config.ts'
import { ACCESS_FILE, DATA_FOLDER, dataFolderOf, versionFileOf } from '../embedded/cluster-files.ts'
import { startEmbeddedPostgres } from '../embedded/embedded-postgres.ts'
import { requireKnownKey } from '../../runtime/encryption/encryption-check.ts'
import { isRotating } from '../../runtime/encryption/encryption-keys.ts'
import { createEncryption } from '../../runtime/encryption/encryption.ts'
import { openDatabase } from '../database.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { inBackupMode, type BackupEnd } from './base-backup.ts'
import { CONTROL_FILE, dataFilesOf, logFilesOf } from './data-files.ts'
import { ENCRYPTION_KEY_FILE, FORMAT, METADATA_FILE, type Metadata } from './manifest.ts'

const MAX_CONTROL_READS = 100

/** Progress and abort of a backup or a restoration. */
export interface Following {
  /** Gets the bytes done, and the part of the total from 0 to 1. */
  onProgress(bytes: number, share: number): void
  /** Its abort ends the work and deletes incomplete files. */
  signal: AbortSignal
}

/**
 * Writes the embedded database and its secrets to a new .tar.gz file. Servers may run meanwhile. The backup contains every change that was
 * acknowledged before the call. Memory is only needed for the names of the files.
 */
export async function createBackup(
  config: Config,
  file: string,
  { onProgress, signal }: Following,
): Promise<Metadata & { bytes: number }> {
  requireEmbedded(config, 'use pg_basebackup, or the backups of whoever runs the database')
  if (await isRotating(config))
    throw new Error('The encryption key is being rotated: wait until `fulfillment keys rotate-encryption` has ended')
  const directory = dataFolderOf(config.dataDir)
  const postgresVersion = await versionOf(config.dataDir)
  let done = 0
  let total = 0
  const archive = await ArchiveWriter.create(file, (bytes) => {
    signal.throwIfAborted()
    done += bytes
    onProgress(done, total === 0 ? 0 : Math.min(done / total, 1))
  })
  try {
    const encryptionKey = await generatedKeyOf(config)
    const metadata = describe(postgresVersion, encryptionKey)
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir })
    try {
      await requireRightKey(postgres.connectionString, config, encryptionKey)
      await archive.addText(METADATA_FILE, JSON.stringify(metadata))
      await archive.addText(ACCESS_FILE, await readFile(path.join(config.dataDir, ACCESS_FILE), 'utf8'))
      if (encryptionKey !== undefined) await archive.addText(ENCRYPTION_KEY_FILE, encryptionKey)
      const copyFiles = async (): Promise<void> => {
        const { folders, files } = await dataFilesOf(directory)
        total = await sizeOf(directory, files)
        await archive.addFolder(DATA_FOLDER)
        for (const folder of folders) await archive.addFolder(`${DATA_FOLDER}/${folder}`)
        for (const name of files) await addDataFile(archive, directory, name)
      }
      await inBackupMode(postgres.connectionString, copyFiles, (end) => addLog(archive, directory, end))
    } finally {
      await postgres.stop()
    }
    return { ...metadata, bytes: await archive.finish() }
  } catch (error) {
    await archive.discard()
    throw error
  }
}

async function versionOf(dataDir: string): Promise<string> {
  try {
    return (await readFile(versionFileOf(dataDir), 'utf8')).trim()
  } catch (error) {
    throw new Error(`DATA_DIR: there is no database that can be read in ${dataDir} (${(error as Error).message})`, {
      cause: error,
    })
  }
}

function describe(postgres: string, encryptionKey: string | undefined): Metadata {
  return {
    format: FORMAT,
    created_at: new Date().toISOString(),
    version: packageJson.version,
    postgres,
    arch: process.arch,
    encryption_key: encryptionKey === undefined ? 'environment' : 'included',
  }
}

/** The generated key of this database; undefined when ENCRYPTION_KEY is set. */
async function generatedKeyOf({ dataDir, encryptionKey }: Config): Promise<string | undefined> {
  if (encryptionKey !== undefined) return undefined
  return await readFile(path.join(dataDir, ENCRYPTION_KEY_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}

/** The wrong key would be found out when the backup is needed. An older schema has nothing to check the key with. */
async function requireRightKey(url: string, config: Config, generated: string | undefined): Promise<void> {
  const key = config.encryptionKey ?? generated
  if (key === undefined) return
  const db = openDatabase(url)
  try {
    const { rows } = await db.dedicatedPool.query(`select to_regclass('encryption_check') is not null as is_there`)
    if (rows[0]?.is_there === true) await requireKnownKey(db, createEncryption(key, config.encryptionKeyPrevious), config)
  } finally {
    await db.close()
  }
}

async function sizeOf(directory: string, files: readonly string[]): Promise<number> {
  let total = 0
  for (const name of files) total += (await stat(path.join(directory, name)).catch(() => undefined))?.size ?? 0
  return total
}

/** Skips a missing file: it was dropped after the backup began, and replaying the write-ahead log drops it too. */
async function addDataFile(archive: ArchiveWriter, directory: string, name: string): Promise<void> {
  let file: FileHandle
  try {
    file = await open(path.join(directory, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    await archive.addFile(`${DATA_FOLDER}/${name}`, file)
  } finally {
    await file.close()
  }
}

async function addLog(
  archive: ArchiveWriter,
  directory: string,
  { label, firstLogSegment, lastLogSegment }: BackupEnd,
): Promise<void> {
  await archive.addText(`${DATA_FOLDER}/backup_label`, label)
  await archive.addBytes(`${DATA_FOLDER}/${CONTROL_FILE}`, await readControlFile(path.join(directory, CONTROL_FILE)))
  for (const name of await logFilesOf(directory, firstLogSegment, lastLogSegment)) await addDataFile(archive, directory, name)
}

/** Postgres may write this file during a read. Two equal reads in a row prove that neither mixes old and new content. */
async function readControlFile(file: string): Promise<Buffer> {
  let last = await readFile(file)
  for (let reads = 1; reads < MAX_CONTROL_READS; reads++) {
    const next = await readFile(file)
    if (next.equals(last)) return next
    last = next
  }
  throw new Error(`${file} changes at every read`)
}

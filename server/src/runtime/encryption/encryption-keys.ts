import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../config.ts'
import { syncFolder } from '../sync-folder.ts'

/** The current key encrypts and decrypts; the previous one only decrypts. */
export interface EncryptionKeys {
  current: string
  previous: string | undefined
}

const KEY_BYTES = 32
const NEW_FILE = { flag: 'wx', mode: 0o600, flush: true } as const
/** As of `ENCRYPTION_KEY`. */
const MIN_KEY_LENGTH = 16
const KEY_FILE = 'encryption-key'
/** Exists while a rotation of the generated key is incomplete. Then both keys are needed, and this one encrypts. */
const NEXT_KEY_FILE = 'encryption-key.next'

/**
 * The configured keys, or else the generated keys of the data folder. `mayGenerate`: when there is none, generates one. A database that is there has
 * another one, and its backups would contain the wrong one.
 */
export async function encryptionKeysOf(config: Config, { mayGenerate }: { mayGenerate: boolean }): Promise<EncryptionKeys> {
  if (config.encryptionKey !== undefined) return { current: config.encryptionKey, previous: config.encryptionKeyPrevious }
  const { dataDir } = config
  const kept = await usable(dataDir, mayGenerate ? keptKeyOf(config, KEY_FILE) : readKey(dataDir, KEY_FILE))
  const next = await usable(dataDir, nextKeyOf(config))
  if (kept === undefined)
    throw new Error(
      `ENCRYPTION_KEY: is not set, and ${dataDir} has a database but no file ${KEY_FILE}. Set the key of its servers, or put the file back. If the key is lost, see "A lost encryption key" in docs/operating.md`,
    )
  return next === undefined ? { current: kept, previous: undefined } : { current: next, previous: kept }
}

async function usable<T>(dataDir: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw new Error(`DATA_DIR: ${dataDir} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

/** Whether a rotation of the generated key is incomplete. */
export async function isRotating(config: Config): Promise<boolean> {
  return config.encryptionKey === undefined && (await nextKeyOf(config)) !== undefined
}

/** Begins or resumes the replacement of the generated key. */
export async function beginKeyRotation(config: Config): Promise<void> {
  await keptKeyOf(config, KEY_FILE)
  await keptKeyOf(config, NEXT_KEY_FILE)
}

/** Ends the replacement. Call it when no value is encrypted with the previous key. */
export async function endKeyRotation({ dataDir }: Config): Promise<void> {
  await rename(path.join(dataDir, NEXT_KEY_FILE), path.join(dataDir, KEY_FILE))
  await syncFolder(dataDir)
}

const nextKeyOf = ({ dataDir }: Config): Promise<string | undefined> => readKey(dataDir, NEXT_KEY_FILE)

async function keptKeyOf({ dataDir }: Config, name: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const kept = await readKey(dataDir, name)
  if (kept !== undefined) return kept
  const draft = path.join(dataDir, `${name}.${randomUUID()}.draft`)
  try {
    // A key that is there is whole, whenever the process is killed or the disk is full.
    await writeFile(draft, randomBytes(KEY_BYTES).toString('base64url'), NEW_FILE)
    await publish(draft, path.join(dataDir, name))
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(dataDir)
  return (await readKey(dataDir, name)) as string
}

/** When two processes start at the same time, the first one's key stays. */
async function publish(draft: string, file: string): Promise<void> {
  const unlessExists = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EEXIST') throw error
  }
  // Not every file system of a network has links.
  const copy = async (): Promise<void> => await writeFile(file, await readFile(draft), NEW_FILE)
  await link(draft, file)
    .catch((error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? undefined : copy()))
    .catch(unlessExists)
}

/** The key in a file of the data folder. A file that is cut would encrypt everything with a key that is easily found. */
async function readKey(dataDir: string, name: string): Promise<string | undefined> {
  const key = await readFile(path.join(dataDir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (key !== undefined && key.length < MIN_KEY_LENGTH)
    throw new Error(`the key in ${name} is incomplete: restore the file, or delete it if nothing is encrypted with it yet`)
  return key
}

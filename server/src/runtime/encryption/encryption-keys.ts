import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../config.ts'
import { syncFolder } from '../sync-folder.ts'

/** The current key encrypts and decrypts; the previous one only decrypts. */
export interface EncryptionKeys {
  current: string
  previous: string | undefined
}

const KEY_FILE = 'encryption-key'
/** Exists while a rotation of the generated key is incomplete. Then both keys are needed, and this one encrypts. */
const NEXT_KEY_FILE = 'encryption-key.next'

/** The configured keys, or else the generated keys of the data folder. Generates a key when there is none. */
export async function encryptionKeysOf(config: Config): Promise<EncryptionKeys> {
  if (config.encryptionKey !== undefined) return { current: config.encryptionKey, previous: config.encryptionKeyPrevious }
  try {
    const kept = await keptKeyOf(config, KEY_FILE)
    const next = await nextKeyOf(config)
    return next === undefined ? { current: kept, previous: undefined } : { current: next, previous: kept }
  } catch (error) {
    throw new Error(`DATA_DIR: ${config.dataDir} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

/** Whether a rotation of the generated key is incomplete. */
export async function isRotating(config: Config): Promise<boolean> {
  return config.encryptionKey === undefined && (await nextKeyOf(config)) !== undefined
}

/** Begins or resumes the replacement of the generated key. */
export async function beginKeyRotation(config: Config): Promise<EncryptionKeys> {
  await keptKeyOf(config, KEY_FILE)
  await keptKeyOf(config, NEXT_KEY_FILE)
  return await encryptionKeysOf(config)
}

/** Ends the replacement. Call it when no value is encrypted with the previous key. */
export async function endKeyRotation({ dataDir }: Config): Promise<void> {
  await rename(path.join(dataDir, NEXT_KEY_FILE), path.join(dataDir, KEY_FILE))
  await syncFolder(dataDir)
}

async function nextKeyOf({ dataDir }: Config): Promise<string | undefined> {
  return await readFile(path.join(dataDir, NEXT_KEY_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}

async function keptKeyOf({ dataDir }: Config, name: string): Promise<string> {
  const file = path.join(dataDir, name)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // 'wx': when two processes start at the same time, the first one's key stays.
  await writeFile(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  await syncFolder(dataDir)
  return await readFile(file, 'utf8')
}

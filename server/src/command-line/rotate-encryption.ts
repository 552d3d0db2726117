import type { Command } from 'commander'
import { readConfig, type Config } from '../config.ts'
import { whileUnused } from '../database/embedded/embedded-postgres.ts'
import { openCluster } from '../database/embedded/postgres-cluster.ts'
import { migrate } from '../database/migrate.ts'
import { beginKeyRotation, endKeyRotation } from '../runtime/encryption/encryption-keys.ts'
import { setKeyOfDatabase } from '../runtime/encryption/encryption-check.ts'
import { namesOf, rotateEncryption, type Rotation } from '../runtime/encryption/rotate-encryption.ts'
import { readMoves } from '../shards/shard-map.ts'
import { openShards, type OpenShards } from '../shards/open-shards.ts'
import { startProgress } from './progress.ts'
import { listOf, print, type CommandResult } from './result.ts'
import { requireDatabase, withConnection } from './with-connection.ts'

interface Options {
  acceptLost?: boolean
  quiet?: boolean
  json?: boolean
}

export function addRotateEncryptionCommand(keys: Command): void {
  keys
    .command('rotate-encryption')
    .description('Re-encrypt stored secrets with a new encryption key. See docs/operating.md')
    .option('--accept-lost', 'go on without the values that neither key can decrypt: for a lost key')
    .option('--quiet', 'show no progress')
    .option('--json', 'print one JSON object: checked, renewed, unreadable (the first 100), unreadable_count')
    .action((options: Options) => rotate(readConfig(process.env), options))
}

/** A configured key needs both variables: only the operator knows the previous key. A generated key is replaced with a new one. */
async function rotate(config: Config, options: Options): Promise<void> {
  if (config.encryptionKey === undefined) return await rotateGenerated(config, options)
  if (config.encryptionKeyPrevious === undefined && options.acceptLost !== true)
    throw new Error('ENCRYPTION_KEY_PREVIOUS: set it to the key of before, and ENCRYPTION_KEY to the new one')
  if (config.encryptionKeyPrevious === config.encryptionKey)
    throw new Error('ENCRYPTION_KEY_PREVIOUS: is the same as ENCRYPTION_KEY; set it to the key of before')
  const isAlone = config.encryptionKeyPrevious === undefined
  const done = isAlone ? 'ENCRYPTION_KEY is the key of the database now' : 'ENCRYPTION_KEY_PREVIOUS is no longer needed'
  print(options, resultOf(await rotateStored(config, options), { ...options, isAlone, done }))
}

/** No server may be running: it would continue with the key that it read at its start. */
async function rotateGenerated(config: Config, options: Options): Promise<void> {
  if (config.databaseUrl !== undefined)
    throw new Error('ENCRYPTION_KEY: set it to the new key, and ENCRYPTION_KEY_PREVIOUS to the old one')
  requireDatabase(config)
  // A server that joins afterwards finds both keys.
  await whileUnused(await openCluster(config.dataDir, {}), () => beginKeyRotation(config))
  const rotation = await rotateStored(config, options)
  if (rotation.unreadable.count === 0 || options.acceptLost === true) await endKeyRotation(config)
  print(options, resultOf(rotation, { ...options, isAlone: false, done: `${config.dataDir} has a new encryption key` }))
}

async function rotateStored(config: Config, options: Options): Promise<Rotation> {
  const progress = startProgress('values', options)
  try {
    return await withConnection(config, async ({ db, encryption }) => {
      await db.withoutTimeLimits(migrate)
      const shards = await openShards(db, encryption, (line) => process.stderr.write(`${line}\n`))
      try {
        const rotation = await rotateWhereverMoved(shards, (checked) => progress.update(checked, undefined))
        if (options.acceptLost === true) await setKeyOfDatabase(db, encryption)
        return rotation
      } finally {
        await shards.close()
      }
    })
  } finally {
    progress.stop()
  }
}

/**
 * All shards, once more if a tenant was moved meanwhile: it may have left a shard that was not checked yet for one that was. Throws while a move is
 * unfinished.
 */
async function rotateWhereverMoved(shards: OpenShards, onProgress: (checked: number) => void): Promise<Rotation> {
  const before = await settledMoves(shards)
  const rotation = await rotateAll(shards, onProgress)
  if ((await settledMoves(shards)) === before) return rotation
  const { checked, renewed, unreadable } = await rotateWhereverMoved(shards, (count) => onProgress(rotation.checked + count))
  return { checked: rotation.checked + checked, renewed: rotation.renewed + renewed, unreadable }
}

/** The number of moves so far. */
async function settledMoves({ directory }: OpenShards): Promise<number> {
  const { begun, unfinished } = await readMoves(directory)
  if (unfinished.length > 0)
    throw new Error(
      `Tenant ${unfinished[0]} is being moved: repeat this when \`tenants move\` has ended. Keep both keys until then`,
    )
  return begun
}

/** All shards. The keys must be kept as long as one could not be reached, so that fails before anything is changed. */
async function rotateAll({ opened, encryption }: OpenShards, onProgress: (checked: number) => void): Promise<Rotation> {
  const total: Rotation = { checked: 0, renewed: 0, unreadable: { count: 0, named: [] } }
  const lost = opened.find(({ db }) => db === undefined)
  if (lost !== undefined) throw new Error(`Shard ${lost.id} cannot be reached; repeat this when all shards can be`)
  for (const { id, db } of opened) {
    if (db === undefined) continue
    const before = total.checked
    const { checked, renewed, unreadable } = await rotateEncryption(db, encryption, (count) => onProgress(before + count))
    total.checked += checked
    total.renewed += renewed
    total.unreadable.count += unreadable.count
    const shard = opened.length === 1 ? '' : ` (shard ${id})`
    total.unreadable.named.push(...unreadable.named.map(({ column, name }) => ({ column, name: name + shard })))
  }
  return total
}

interface Outcome extends Options {
  /** There is no former key. */
  isAlone: boolean
  done: string
}

function resultOf(rotation: Rotation, { acceptLost, isAlone, done }: Outcome): CommandResult {
  const { checked, renewed, unreadable } = rotation
  const { count } = unreadable
  const names = namesOf(unreadable)
  const json = { checked, renewed, unreadable: names, unreadable_count: count }
  const text = `Checked ${checked} values and re-encrypted ${renewed}`
  if (count === 0) return { json, text: `${text}. ${done}` }
  const failed = `${isAlone ? 'The key cannot' : 'Neither key can'} decrypt ${count} ${count === 1 ? 'value' : 'values'}`
  const problem = `${failed}: ${listOf(names, count)}. Rotate the secrets of these subscriptions; stored responses expire within a day`
  if (acceptLost !== true) process.exitCode = 1
  return { json, text: `${text}. ${problem}${acceptLost === true ? `. ${done}` : ''}` }
}

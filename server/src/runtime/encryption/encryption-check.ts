import type { Config } from '../../config.ts'
import type { Database } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Encryption } from './encryption.ts'

const selectCheck = statement<[], { ciphertext: Buffer }>({
  name: 'select_encryption_check',
  connection: 'read',
  sql: 'select ciphertext from encryption_check',
})
const insertCheck = statement<[ciphertext: Buffer], never>({
  name: 'insert_encryption_check',
  connection: 'write',
  sql: 'insert into encryption_check (id, ciphertext) values (1, $1) on conflict (id) do nothing',
})
const replaceCheck = statement<[ciphertext: Buffer], never>({
  name: 'replace_encryption_check',
  connection: 'write',
  sql: `insert into encryption_check (id, ciphertext) values (1, $1)
    on conflict (id) do update set ciphertext = excluded.ciphertext`,
})
const selectSecrets = statement<[], { ciphertext: Buffer }>({
  name: 'select_secrets_for_check',
  connection: 'read',
  sql: 'select secret_ciphertext as ciphertext from webhook_subscriptions order by tenant_id desc, id desc limit 100',
})

/** Any text does: only whether it can be decrypted matters. */
const TEXT = 'fulfillment'

/**
 * Throws, with the name of the setting, unless the servers of this database use these keys: the secrets that a server encrypts with another
 * key are lost to the others. The first server's key counts. Call it with the directory.
 */
export async function requireKeyOfDatabase(directory: Database, encryption: Encryption, config: Config): Promise<void> {
  if ((await directory.runOne(selectCheck, [])) === undefined) {
    // From before there was a check: the first server to start may be the one with the wrong key.
    const secrets = await directory.run(selectSecrets, [])
    if (secrets.length > 0 && !secrets.some(({ ciphertext }) => canDecrypt(encryption, ciphertext))) throw otherKey(config)
    await directory.run(insertCheck, [encryption.encrypt(TEXT)])
  }
  await requireKnownKey(directory, encryption, config)
}

/** The same, without making the key the database's when it has none yet. */
export async function requireKnownKey(directory: Database, encryption: Encryption, config: Config): Promise<void> {
  const kept = await directory.runOne(selectCheck, [])
  if (kept !== undefined && !canDecrypt(encryption, kept.ciphertext)) throw otherKey(config)
}

/** Makes the current key the one that servers of this database must have. */
export async function setKeyOfDatabase(directory: Database, encryption: Encryption): Promise<void> {
  await directory.run(replaceCheck, [encryption.encrypt(TEXT)])
}

function canDecrypt(encryption: Encryption, ciphertext: Buffer): boolean {
  try {
    encryption.decrypt(ciphertext)
    return true
  } catch {
    return false
  }
}

function otherKey({ encryptionKey, databaseUrl, dataDir }: Config): Error {
  const isGenerated = encryptionKey === undefined
  const reason = 'the secrets in the database are encrypted with another key'
  const lost = 'If that key is lost, see "A lost encryption key" in docs/operating.md'
  if (!isGenerated) return new Error(`ENCRYPTION_KEY: ${reason}. Set the key that its servers had until now. ${lost}`)
  if (databaseUrl !== undefined)
    return new Error(`ENCRYPTION_KEY: is not set, and ${reason}. Set it to the key of the database's other servers. ${lost}`)
  return new Error(`DATA_DIR: ${reason} than ${dataDir}/encryption-key. Put the former file back, or set ENCRYPTION_KEY. ${lost}`)
}

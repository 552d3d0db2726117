import type { Database } from '@fulfillment/server/database/database.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { closedPort } from './receiver.ts'

/** With which the address of the lost shard is encrypted. */
export const ENCRYPTION_KEY = 'encryption key of the tests'

/** Adds shard 9, whose server refuses connections. Its tenants have the ids from 9,000,000. */
export async function addLostShard(db: Database): Promise<void> {
  const { host } = new URL(await closedPort())
  await db.dedicatedPool.query('insert into shards (id, url_ciphertext, first_tenant_id) values (9, $1, 9000000)', [
    createEncryption(ENCRYPTION_KEY).encrypt(`postgres://nobody@${host}/lost`),
  ])
}

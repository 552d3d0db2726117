import { IS_REUSABLE } from '../../database/keyed-calls/key-rows.ts'
import { statement } from '../../database/statements/statement.ts'
import type { CallContext, CallResult } from '../call-context.ts'
import { textOf } from '../json-text.ts'
import { stillRunning, storedResponse } from './stored-response.ts'

const claimKey = statement<[tenantId: number, key: string, requestHash: Buffer], { claimed: true }>({
  name: 'claim_idempotency_key',
  connection: 'write',
  sql: `insert into idempotency_keys as k (tenant_id, key, request_hash, answer_ciphertext) values ($1, $2, $3, '')
   on conflict (tenant_id, key) do update set request_hash = excluded.request_hash, answer_ciphertext = '', created_at = now()
   where ${IS_REUSABLE}
   returning true as claimed`,
})

const releaseKey = statement<[tenantId: number, key: string], never>({
  name: 'release_idempotency_key',
  connection: 'write',
  sql: `delete from idempotency_keys where tenant_id = $1 and key = $2 and answer_ciphertext = ''`,
})

const storeResponse = statement<[tenantId: number, key: string, requestHash: Buffer, response: Buffer], never>({
  name: 'store_idempotent_response',
  connection: 'write',
  sql: `insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext) values ($1, $2, $3, $4)
   on conflict (tenant_id, key) do update
   set request_hash = excluded.request_hash, answer_ciphertext = excluded.answer_ciphertext, created_at = now()`,
})

/**
 * Runs the work of a call that calls other servers. While it waits for them, no transaction is open and no connection is taken. After a
 * crash, the key is free again after a minute.
 */
export async function runOutsideTransaction(
  { db, encryption }: Pick<CallContext, 'db' | 'encryption'>,
  name: { tenantId: number; key: string; requestHash: Buffer },
  work: () => Promise<unknown>,
): Promise<CallResult> {
  const { tenantId, key, requestHash } = name
  const claim = await db.runOne(claimKey, [tenantId, key, requestHash])
  if (claim === undefined) {
    const earlier = await storedResponse(db, encryption, name)
    if (earlier === undefined) throw stillRunning()
    return earlier
  }
  try {
    const data = await work()
    await db.run(storeResponse, [tenantId, key, requestHash, encryption.encrypt(textOf(data))])
    return { data, isReplayed: false }
  } catch (error) {
    await db.run(releaseKey, [tenantId, key])
    throw error
  }
}

import { IS_REUSABLE, isClaimOf } from '../../database/keyed-calls/key-rows.ts'
import { statement } from '../../database/statements/statement.ts'
import { repeat } from '../../runtime/periodic.ts'
import type { CallContext, CallResult } from '../call-context.ts'
import { textOf } from '../json-text.ts'
import { stillRunning, storedResponse } from './stored-response.ts'

/** Far less than the minute after which another request may have the key: renewals may fail for a while. */
const RENEW_INTERVAL_MS = 5_000

interface Claim {
  claimed_at: string
}

const claimKey = statement<[tenantId: number, key: string, requestHash: Buffer], Claim>({
  name: 'claim_idempotency_key',
  connection: 'write',
  sql: `insert into idempotency_keys as k (tenant_id, key, request_hash, answer_ciphertext) values ($1, $2, $3, '')
   on conflict (tenant_id, key) do update set request_hash = excluded.request_hash, answer_ciphertext = '', created_at = now()
   where ${IS_REUSABLE}
   returning created_at as claimed_at`,
})

const renewClaim = statement<[tenantId: number, key: string, claimedAt: string], Claim>({
  name: 'renew_idempotency_key',
  connection: 'write',
  sql: `update idempotency_keys k set created_at = now()
   where tenant_id = $1 and key = $2 and ${isClaimOf('$3::timestamptz')} returning created_at as claimed_at`,
})

const releaseKey = statement<[tenantId: number, key: string, claimedAt: string], never>({
  name: 'release_idempotency_key',
  connection: 'write',
  sql: `delete from idempotency_keys k where tenant_id = $1 and key = $2 and ${isClaimOf('$3::timestamptz')}`,
})

const storeResponse = statement<[tenantId: number, key: string, requestHash: Buffer, response: Buffer, claimedAt: string], never>(
  {
    name: 'store_idempotent_response',
    connection: 'write',
    sql: `insert into idempotency_keys as k (tenant_id, key, request_hash, answer_ciphertext) values ($1, $2, $3, $4)
   on conflict (tenant_id, key) do update
   set request_hash = excluded.request_hash, answer_ciphertext = excluded.answer_ciphertext, created_at = now()
   where ${isClaimOf('$5::timestamptz')}`,
  },
)

/**
 * Runs the work of a call that calls other servers. While it waits for them, no transaction is open and no connection is taken. After a
 * crash, the key is free again after a minute. A call that could not renew its claim for so long leaves the key to whoever has it then.
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
  const renew = async (): Promise<void> => {
    const renewed = await db.runOne(renewClaim, [tenantId, key, claim.claimed_at])
    if (renewed !== undefined) claim.claimed_at = renewed.claimed_at
  }
  try {
    const data = await whileRenewed(renew, work)
    await db.run(storeResponse, [tenantId, key, requestHash, encryption.encrypt(textOf(data)), claim.claimed_at])
    return { data, isReplayed: false }
  } catch (error) {
    // Without the release, the claim is over in a minute. The caller is to know why the call failed.
    await db.run(releaseKey, [tenantId, key, claim.claimed_at]).catch(() => {})
    throw error
  }
}

/** Runs `work`, and `renew` at intervals until it ends. A renewal that fails is followed by the next one. */
async function whileRenewed<T>(renew: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  const renewal = repeat(RENEW_INTERVAL_MS, renew, () => {}, RENEW_INTERVAL_MS)
  try {
    return await work()
  } finally {
    await renewal.stop()
  }
}

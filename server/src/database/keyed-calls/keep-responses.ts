import pg from 'pg'
import type { Transaction } from '../connections/queryable.ts'
import { statement } from '../statements/statement.ts'
import { IS_REUSABLE } from './key-rows.ts'
import type { KeyedCall } from './keyed-call.ts'

/**
 * Another response was stored with the key of a call while the call ran, so its transaction was rolled back. Repeating the call finds that
 * response.
 */
export class OtherResponseStoredError extends Error {
  constructor(cause: unknown) {
    super('A response was stored with the same Idempotency-Key', { cause })
    this.name = 'OtherResponseStoredError'
  }
}

const NOT_NULL_VIOLATION = '23502'

/**
 * Replaces only expired rows. Any other row was stored after the key was claimed, by a server of an older release, which takes another
 * lock, or just before the lock was taken. The null then fails the statement, and with it the transaction.
 */
const keep = statement<[tenantId: number, keys: string[], requestHashes: string[], responses: string[]], never>({
  name: 'keep_idempotent_responses',
  connection: 'write',
  sql: `insert into idempotency_keys as k (tenant_id, key, request_hash, answer_ciphertext)
   select $1::bigint, r.key, decode(r.request_hash, 'base64'), decode(r.response, 'base64')
   from unnest($2::text[], $3::text[], $4::text[]) r (key, request_hash, response)
   order by r.key
   on conflict (tenant_id, key) do update
   set request_hash = excluded.request_hash, created_at = now(),
     answer_ciphertext = case when ${IS_REUSABLE} then excluded.answer_ciphertext end`,
})

/** Stores the responses of calls of one tenant and commits, in one round trip. Throws `OtherResponseStoredError`. */
export async function keepResponses(tx: Transaction, kept: readonly { keyed: KeyedCall; response: Buffer }[]): Promise<void> {
  const [first] = kept
  if (first === undefined) return
  try {
    await tx.runLast(keep, [
      first.keyed.tenantId,
      kept.map(({ keyed }) => keyed.key),
      kept.map(({ keyed }) => keyed.requestHash.toString('base64')),
      kept.map(({ response }) => response.toString('base64')),
    ])
  } catch (error) {
    throw isOtherResponseStored(error) ? new OtherResponseStoredError(error) : error
  }
}

function isOtherResponseStored(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === NOT_NULL_VIOLATION && error.table === 'idempotency_keys'
}

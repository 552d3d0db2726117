import { createHash } from 'node:crypto'
import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { Encryption } from '../encryption.ts'
import { ServiceError } from '../errors.ts'

/** An answer, and whether it was first given to an earlier request with the same key. */
export interface IdempotentAnswer {
  data: unknown
  replayed: boolean
}

const RUNNING_RETRY_SECONDS = 1

const lockKey = statement<[tenantId: number, key: string], { locked: boolean }>(
  'lock_idempotency_key',
  `select pg_try_advisory_xact_lock(hashtextextended($2, $1::bigint)) as locked`,
)

const findAnswer = statement<[tenantId: number, key: string], { request_hash: Buffer; answer_ciphertext: Buffer }>(
  'find_idempotent_answer',
  `select request_hash, answer_ciphertext from idempotency_keys
   where tenant_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
)

const storeAnswer = statement<[tenantId: number, key: string, requestHash: Buffer, answer: Buffer], never>(
  'store_idempotent_answer',
  `insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext) values ($1, $2, $3, $4)
   on conflict (tenant_id, key) do update
   set request_hash = excluded.request_hash, answer_ciphertext = excluded.answer_ciphertext, created_at = now()`,
)

/** Checks an `Idempotency-Key` header. */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && header.length >= 1 && header.length <= 255) return header
  throw new ServiceError('validation_error', 'Idempotency-Key must have 1 to 255 characters')
}

/**
 * Runs `work` once for all requests of the tenant with this key. The work and its answer are one transaction: after a crash there
 * are both or neither. Throws `idempotency_conflict`.
 */
export function answerOnce(
  db: Queryable,
  encryption: Encryption,
  request: { tenantId: number; key: string; fingerprint: string },
  work: (db: Queryable) => Promise<unknown>,
): Promise<IdempotentAnswer> {
  const hash = createHash('sha256').update(request.fingerprint).digest()
  const { tenantId, key } = request
  return db.transaction(async (tx) => {
    const lock = await tx.runOne(lockKey, [tenantId, key])
    if (lock?.locked !== true) {
      throw new ServiceError('idempotency_conflict', 'A request with this Idempotency-Key is still running', {
        retryAfterSeconds: RUNNING_RETRY_SECONDS,
      })
    }
    const earlier = await tx.runOne(findAnswer, [tenantId, key])
    if (earlier !== undefined) {
      if (!earlier.request_hash.equals(hash))
        throw new ServiceError('idempotency_conflict', 'This Idempotency-Key was used with another request')
      return { data: JSON.parse(encryption.decrypt(earlier.answer_ciphertext)), replayed: true }
    }
    const data = await work(tx)
    await tx.run(storeAnswer, [tenantId, key, hash, encryption.encrypt(JSON.stringify(data))])
    return { data, replayed: false }
  })
}

import { createHash } from 'node:crypto'
import type { Queryable } from '../database/database.ts'
import { tryTenantLock } from '../database/locks.ts'
import { statement } from '../database/statement.ts'
import type { Encryption } from '../encryption.ts'
import { ServiceError } from '../errors.ts'

/** An answer, and whether it was first given to an earlier request with the same key. */
export interface IdempotentAnswer {
  data: unknown
  replayed: boolean
}

/** A request, as the keys of its tenant know it. */
export interface KeyedRequest {
  tenantId: number
  key: string
  /** Equal for equal requests. */
  fingerprint: string
}

const RUNNING_RETRY_SECONDS = 1

/** An empty answer is that of a request that runs outside of a transaction; after this long its server must have died. */
const ABANDONED = `answer_ciphertext = '' and created_at <= now() - interval '1 minute'`
const EXPIRED = `created_at <= now() - interval '24 hours'`
/** `k` is a row that a new request with the same key replaces. */
const REUSABLE = `(k.${EXPIRED} or (k.${ABANDONED.replace(' and ', ' and k.')}))`

const lockKey = statement<[tenantId: number, key: string], { locked: boolean }>(
  'lock_idempotency_key',
  `select ${tryTenantLock('idempotencyKey', '$2::text')} as locked`,
)

const findAnswer = statement<[tenantId: number, key: string], { request_hash: Buffer; answer_ciphertext: Buffer }>(
  'find_idempotent_answer',
  `select request_hash, answer_ciphertext from idempotency_keys
   where tenant_id = $1 and key = $2 and not (${EXPIRED}) and not (${ABANDONED})`,
)

const claimKey = statement<[tenantId: number, key: string, requestHash: Buffer], { claimed: true }>(
  'claim_idempotency_key',
  `insert into idempotency_keys as k (tenant_id, key, request_hash, answer_ciphertext) values ($1, $2, $3, '')
   on conflict (tenant_id, key) do update set request_hash = excluded.request_hash, answer_ciphertext = '', created_at = now()
   where ${REUSABLE}
   returning true as claimed`,
)

const releaseKey = statement<[tenantId: number, key: string], never>(
  'release_idempotency_key',
  `delete from idempotency_keys where tenant_id = $1 and key = $2 and answer_ciphertext = ''`,
)

// A server of an older release takes another lock: it may have answered a request with the same key meanwhile. Then there is no row, and
// what this one did is rolled back.
const keepAnswer = statement<[tenantId: number, key: string, requestHash: Buffer, answer: Buffer], { kept: true }>(
  'keep_idempotent_answer',
  `insert into idempotency_keys as k (tenant_id, key, request_hash, answer_ciphertext) values ($1, $2, $3, $4)
   on conflict (tenant_id, key) do update
   set request_hash = excluded.request_hash, answer_ciphertext = excluded.answer_ciphertext, created_at = now()
   where ${REUSABLE}
   returning true as kept`,
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
  { tenantId, key, fingerprint }: KeyedRequest,
  work: (db: Queryable) => Promise<unknown>,
): Promise<IdempotentAnswer> {
  const hash = hashOf(fingerprint)
  return db.transaction(async (tx) => {
    // Sent together, and carried out one after the other.
    const [[lock], [earlier]] = await Promise.all([
      tx.runFirst(lockKey, [tenantId, key]),
      tx.runFirst(findAnswer, [tenantId, key]),
    ])
    if (lock?.locked !== true) throw stillRunning()
    if (earlier !== undefined) return replayOf(earlier, hash, encryption)
    const data = await work(tx)
    const [kept] = await tx.run(keepAnswer, [tenantId, key, hash, encryption.encrypt(JSON.stringify(data))])
    if (kept === undefined) throw stillRunning()
    return { data, replayed: false }
  })
}

/**
 * The same for work that calls somebody else: no transaction is open, and no connection taken, while it waits for them. After a crash in
 * the midst of it the key is free again in a minute. Throws `idempotency_conflict`.
 */
export async function answerOnceCalling(
  db: Queryable,
  encryption: Encryption,
  { tenantId, key, fingerprint }: KeyedRequest,
  work: (db: Queryable) => Promise<unknown>,
): Promise<IdempotentAnswer> {
  const hash = hashOf(fingerprint)
  const claim = await db.runOne(claimKey, [tenantId, key, hash])
  if (claim === undefined) {
    const earlier = await db.runOne(findAnswer, [tenantId, key])
    if (earlier === undefined) throw stillRunning()
    return replayOf(earlier, hash, encryption)
  }
  try {
    const data = await work(db)
    await db.run(storeAnswer, [tenantId, key, hash, encryption.encrypt(JSON.stringify(data))])
    return { data, replayed: false }
  } catch (error) {
    await db.run(releaseKey, [tenantId, key])
    throw error
  }
}

const hashOf = (fingerprint: string): Buffer => createHash('sha256').update(fingerprint).digest()

function replayOf(
  earlier: { request_hash: Buffer; answer_ciphertext: Buffer },
  hash: Buffer,
  encryption: Encryption,
): IdempotentAnswer {
  if (!earlier.request_hash.equals(hash))
    throw new ServiceError('idempotency_conflict', 'This Idempotency-Key was used with another request')
  if (earlier.answer_ciphertext.length === 0) throw stillRunning()
  return { data: JSON.parse(readAnswer(encryption, earlier.answer_ciphertext)), replayed: true }
}

/** The work was done: to do it once more, because its answer is lost, would be worse than to refuse. */
function readAnswer(encryption: Encryption, ciphertext: Buffer): string {
  try {
    return encryption.decrypt(ciphertext)
  } catch (cause) {
    throw new ServiceError(
      'idempotency_conflict',
      'The request with this Idempotency-Key succeeded, but its answer can no longer be read; for a new request use another key',
      { cause },
    )
  }
}

function stillRunning(): ServiceError {
  return new ServiceError('idempotency_conflict', 'A request with this Idempotency-Key is still running', {
    retryAfterSeconds: RUNNING_RETRY_SECONDS,
  })
}

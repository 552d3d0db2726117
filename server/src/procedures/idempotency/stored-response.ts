import type { Queryable } from '../../database/database.ts'
import { IS_REUSABLE } from '../../database/keyed-calls/key-rows.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Encryption } from '../../runtime/encryption/encryption.ts'
import type { CallResult } from '../call-context.ts'
import { ServiceError } from '../../errors/service-error.ts'

interface StoredResponse {
  request_hash: Buffer
  answer_ciphertext: Buffer
}

const RUNNING_RETRY_SECONDS = 1

const findResponse = statement<[tenantId: number, key: string], StoredResponse>({
  name: 'find_idempotent_response',
  connection: 'read',
  sql: `select request_hash, answer_ciphertext from idempotency_keys k where tenant_id = $1 and key = $2 and not ${IS_REUSABLE}`,
})

/**
 * The stored response of a key, or undefined. Throws `idempotency_conflict` when the key belongs to another request, or its request is
 * still running.
 */
export async function storedResponse(
  db: Queryable,
  encryption: Encryption,
  { tenantId, key, requestHash }: { tenantId: number; key: string; requestHash: Buffer },
): Promise<CallResult | undefined> {
  const stored = await db.runOne(findResponse, [tenantId, key])
  if (stored === undefined) return undefined
  if (!stored.request_hash.equals(requestHash))
    throw new ServiceError('idempotency_conflict', 'This Idempotency-Key was used with a different request')
  if (stored.answer_ciphertext.length === 0) throw stillRunning()
  return { data: JSON.parse(decrypted(encryption, stored.answer_ciphertext)), isReplayed: true }
}

/** The work was done. Repeating it because its response is lost would be worse than an error. */
function decrypted(encryption: Encryption, ciphertext: Buffer): string {
  try {
    return encryption.decrypt(ciphertext)
  } catch (cause) {
    throw new ServiceError(
      'idempotency_conflict',
      'The request with this Idempotency-Key succeeded, but its response can no longer be read; use another key for a new request',
      { cause },
    )
  }
}

/** The error for a request whose key is in use by another request. */
export function stillRunning(): ServiceError {
  return new ServiceError(
    'idempotency_conflict',
    'A request with this Idempotency-Key is still running; send the same request again in a moment',
    {
      retryAfterSeconds: RUNNING_RETRY_SECONDS,
    },
  )
}

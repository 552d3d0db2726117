/** How long a request that runs outside of a transaction has its key without renewing its claim: then its server must have died. */
const CLAIM = `interval '1 minute'`

/**
 * SQL for whether a new request may replace the row `k` of idempotency_keys. An empty ciphertext marks the claim of a request that runs outside of a
 * transaction, and `created_at` is when it was last renewed.
 */
export const IS_REUSABLE = `(k.created_at <= now() - interval '24 hours' or k.answer_ciphertext = '' and k.created_at <= now() - ${CLAIM})`

/**
 * SQL for whether the row `k` of idempotency_keys is still the claim that was made or renewed at this time, in SQL. That of another request is later by
 * a minute or more.
 */
export const isClaimOf = (claimedAt: string): string => `(k.answer_ciphertext = '' and k.created_at < ${claimedAt} + ${CLAIM})`

/**
 * SQL for a value that is null unless a response is stored for the key, or a request that runs outside of a transaction has claimed it.
 * Both arguments are SQL.
 */
export const storedFor = (tenantId: string, key: string): string =>
  `(select true from idempotency_keys k where k.tenant_id = ${tenantId} and k.key = ${key} and not ${IS_REUSABLE} limit 1)`

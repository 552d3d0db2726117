/**
 * SQL for whether a new request may replace the row `k` of idempotency_keys. An empty ciphertext marks a request that runs outside of a
 * transaction; after a minute its server must have died.
 */
export const IS_REUSABLE = `(k.created_at <= now() - interval '24 hours' or k.answer_ciphertext = '' and k.created_at <= now() - interval '1 minute')`

/**
 * SQL for a value that is null unless a response is stored for the key, or a request that runs outside of a transaction has claimed it.
 * Both arguments are SQL.
 */
export const storedFor = (tenantId: string, key: string): string =>
  `(select true from idempotency_keys k where k.tenant_id = ${tenantId} and k.key = ${key} and not ${IS_REUSABLE} limit 1)`

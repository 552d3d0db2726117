import type { Transaction } from '../../database/connections/queryable.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'

const MAX_USER_AGENT = 500

/** The key of a session that is being started. */
export interface SessionKey {
  name: string
  ip_whitelist: string[]
  is_sandbox: boolean
}

/**
 * SQL that stores the use of the key of `session` (tenant_id, key_id), a session that is used. Others lock the key first and its sessions then, so
 * this does not wait for a key that is locked: it is used just then.
 */
export const USE_OF_KEY = `key as materialized (
     select k.tenant_id, k.id from session s join api_keys k on k.tenant_id = s.tenant_id and k.id = s.key_id for no key update of k skip locked
   ), used as (
     update api_keys k set last_used_at = greatest(k.last_used_at, now()) from key where k.tenant_id = key.tenant_id and k.id = key.id
   )`

/** Sessions of one key are started one at a time, so that concurrent sign-ins cannot exceed the limit. */
const useKey = statement<[tenantId: number, keyId: number], SessionKey>({
  name: 'use_key_for_session',
  connection: 'write',
  sql: `update api_keys k set last_used_at = now() from tenants t
   where k.tenant_id = $1 and k.id = $2 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and t.id = k.tenant_id
   returning k.name, k.ip_whitelist, t.sandbox_of is not null as is_sandbox`,
})

/** Locks the key of a new session, which is a use of it. Throws `invalid` when the key is not valid, and `ip_not_allowed`. */
export async function requireSessionKey(
  tx: Transaction,
  { tenantId, keyId }: { tenantId: number; keyId: number },
  { address, admits }: { address: string; admits: (ipWhitelist: string[]) => boolean },
  invalid: () => ServiceError,
): Promise<SessionKey> {
  const key = await tx.runOne(useKey, [tenantId, keyId])
  if (key === undefined) throw invalid()
  if (!admits(key.ip_whitelist))
    throw new ServiceError('ip_not_allowed', `The address ${address} is not on the allow-list of this API key`)
  return key
}

/** The `User-Agent` of a browser, as far as it is stored. */
export function storedUserAgent(userAgent: string | undefined): string | undefined {
  return userAgent?.slice(0, MAX_USER_AGENT)
}

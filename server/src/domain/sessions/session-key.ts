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

/** Sessions of one key are started one at a time, so that concurrent sign-ins cannot exceed the limit. */
const lockKey = statement<[tenantId: number, keyId: number], SessionKey>({
  name: 'lock_key_for_session',
  connection: 'write',
  sql: `select k.name, k.ip_whitelist, t.sandbox_of is not null as is_sandbox
   from api_keys k join tenants t on t.id = k.tenant_id
   where k.tenant_id = $1 and k.id = $2 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
   for no key update of k`,
})

/** Locks the key of a new session. Throws `invalid` when the key is not valid, and `ip_not_allowed`. */
export async function requireSessionKey(
  tx: Transaction,
  { tenantId, keyId }: { tenantId: number; keyId: number },
  { address, admits }: { address: string; admits: (ipWhitelist: string[]) => boolean },
  invalid: () => ServiceError,
): Promise<SessionKey> {
  const key = await tx.runOne(lockKey, [tenantId, keyId])
  if (key === undefined) throw invalid()
  if (!admits(key.ip_whitelist))
    throw new ServiceError('ip_not_allowed', `The address ${address} is not on the allow-list of this API key`)
  return key
}

/** The `User-Agent` of a browser, as far as it is stored. */
export function storedUserAgent(userAgent: string | undefined): string | undefined {
  return userAgent?.slice(0, MAX_USER_AGENT)
}

import type { RequestContext, Scope } from '../../procedures/context.ts'
import type { ApiKey } from './schemas.ts'

/** The columns of a key in responses. */
export const API_KEY_COLUMNS = [
  'id',
  'name',
  'prefix',
  'scopes',
  'expires_at',
  'ip_whitelist',
  'created_at',
  'last_used_at',
  'revoked_at',
] as const

/** Selects the keys that the caller can see: a live key sees those of its tenant and of the sandbox, a test key only those of the sandbox. */
export function visibleKeys({ db, caller }: RequestContext) {
  return db.kysely
    .selectFrom('api_keys')
    .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
    .where((eb) => eb.or([eb('tenants.id', '=', caller.tenantId), eb('tenants.sandbox_of', '=', caller.tenantId)]))
    .select(API_KEY_COLUMNS.map((column) => `api_keys.${column}` as const))
    .select('tenants.sandbox_of')
}

/** A selected key as responses show it. */
export function apiKeyOf(row: Omit<ApiKey, 'mode' | 'scopes'> & { scopes: string[]; sandbox_of: number | null }): ApiKey {
  const { id, name, prefix, scopes, sandbox_of, ...rest } = row
  return { id, name, prefix, scopes: scopes as Scope[], mode: sandbox_of === null ? 'live' : 'test', ...rest }
}

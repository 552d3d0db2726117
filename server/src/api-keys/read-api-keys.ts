import { sql } from 'kysely'
import type { RequestContext, Scope } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { paginationOf } from '../fields.ts'
import type { ApiKey, ApiKeyList, ApiKeyQuery } from './schemas.ts'

/** The columns of a key that are shown. */
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

const RECENT = sql<string>`now() - interval '90 days'`

/**
 * The tenant's keys, newest first; of those that were revoked or have expired, only those of the last 90 days. A live key sees those of
 * the sandbox too, a test key only those.
 */
export async function listApiKeys(context: RequestContext, query: ApiKeyQuery): Promise<ApiKeyList> {
  const listed = visibleKeys(context)
    .where((eb) => eb.or([eb('api_keys.revoked_at', 'is', null), eb('api_keys.revoked_at', '>', RECENT)]))
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', RECENT)]))
  const { total } = await listed
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await listed
    .orderBy('api_keys.created_at', 'desc')
    .orderBy('api_keys.id', 'desc')
    .limit(query.limit)
    // Beyond the last one is beyond it, however far.
    .offset(Math.min((query.page - 1) * query.limit, total))
    .execute()
  return { api_keys: rows.map(apiKeyOf), pagination: paginationOf(query, total) }
}

/** One key. Throws `not_found`. */
export async function getApiKey(context: RequestContext, input: { id: number }): Promise<ApiKey> {
  const row = await visibleKeys(context).where('api_keys.id', '=', input.id).executeTakeFirst()
  if (row === undefined) throw new ServiceError('not_found', 'API key not found')
  return apiKeyOf(row)
}

function visibleKeys({ db, caller }: RequestContext) {
  return db.kysely
    .selectFrom('api_keys')
    .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
    .where((eb) => eb.or([eb('tenants.id', '=', caller.tenantId), eb('tenants.sandbox_of', '=', caller.tenantId)]))
    .select(API_KEY_COLUMNS.map((column) => `api_keys.${column}` as const))
    .select('tenants.sandbox_of')
}

function apiKeyOf(row: Omit<ApiKey, 'mode' | 'scopes'> & { scopes: string[]; sandbox_of: number | null }): ApiKey {
  const { id, name, prefix, scopes, sandbox_of, ...rest } = row
  return { id, name, prefix, scopes: scopes as Scope[], mode: sandbox_of === null ? 'live' : 'test', ...rest }
}

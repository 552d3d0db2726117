import type { RequestContext } from '../context.ts'
import { getApiKey } from './read-api-keys.ts'
import type { ApiKey } from './schemas.ts'

/** Revokes a key for good; revoking it again changes nothing. Throws `not_found`. */
export async function revokeApiKey(context: RequestContext, input: { id: number }): Promise<ApiKey> {
  await getApiKey(context, input)
  await context.db.kysely
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn<string>('now') }))
    .where('id', '=', input.id)
    .where('revoked_at', 'is', null)
    .where('tenant_id', 'in', (eb) =>
      eb
        .selectFrom('tenants')
        .select('id')
        .where((tenant) =>
          tenant.or([tenant('id', '=', context.caller.tenantId), tenant('sandbox_of', '=', context.caller.tenantId)]),
        ),
    )
    .execute()
  context.forgetKey(input.id)
  return getApiKey(context, input)
}

import { endpoint } from '../../procedures/endpoint.ts'
import { getApiKey } from './get-api-key.ts'
import { apiKey, apiKeyId } from './schemas.ts'

/** Revokes a key permanently; revoking it again changes nothing. Throws `not_found`. */
export const revokeApiKey = endpoint({
  name: 'apiKeys.revoke',
  scope: 'admin',
  method: 'DELETE',
  path: '/api-keys/{id}',
  summary: 'Revoke an API key',
  description:
    'The server that handles the call refuses the key from the next request on, and every other server within a second. Revoking a key again changes nothing.',
  isAddition: true,
  input: apiKeyId,
  output: apiKey,
  run: async (context, input) => {
    await getApiKey.run(context, input)
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
    return getApiKey.run(context, input)
  },
})

import { endpoint, router } from '../trpc.ts'
import { createApiKey } from './create-api-key.ts'
import { getApiKey, listApiKeys } from './read-api-keys.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { apiKey, apiKeyId, apiKeyList, apiKeyQuery, createdApiKey, newApiKey } from './schemas.ts'

const extension = { extension: true }

export const apiKeysRouter = router({
  create: endpoint(
    'admin',
    {
      method: 'POST',
      path: '/api-keys',
      summary: 'Create an API key',
      description:
        'The value is returned once, as `key`. A key cannot have a scope that its creator lacks. A tenant, with its sandbox, has at most 1,000 keys that are neither revoked nor expired.',
    },
    extension,
  )
    .input(newApiKey)
    .output(createdApiKey)
    .mutation(({ ctx, input }) => createApiKey(ctx, input)),

  list: endpoint(
    'admin',
    {
      method: 'GET',
      path: '/api-keys',
      summary: 'List API keys',
      description: 'Keys of the tenant, newest first. Revoked and expired keys are listed for 90 days.',
    },
    extension,
  )
    .input(apiKeyQuery)
    .output(apiKeyList)
    .query(({ ctx, input }) => listApiKeys(ctx, input)),

  get: endpoint(
    'admin',
    { method: 'GET', path: '/api-keys/{id}', summary: 'Get an API key', description: 'One key, without its value.' },
    extension,
  )
    .input(apiKeyId)
    .output(apiKey)
    .query(({ ctx, input }) => getApiKey(ctx, input)),

  revoke: endpoint(
    'admin',
    {
      method: 'DELETE',
      path: '/api-keys/{id}',
      summary: 'Revoke an API key',
      description:
        'Refuses the key from the next request on, on every server within a second. Revoking it again changes nothing.',
    },
    extension,
  )
    .input(apiKeyId)
    .output(apiKey)
    .mutation(({ ctx, input }) => revokeApiKey(ctx, input)),
})

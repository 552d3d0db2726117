import { slice } from '../../procedures/slice.ts'
import { createApiKey } from './create-api-key.ts'
import { getApiKey } from './get-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { revokeApiKey } from './revoke-api-key.ts'

/** API keys. */
export const apiKeys = slice({
  tags: [{ name: 'api-keys', description: 'API keys of the tenant and of its sandbox.' }],
  endpoints: [createApiKey, listApiKeys, getApiKey, revokeApiKey],
})

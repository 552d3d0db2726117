import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { apiKey, apiKeyId } from './schemas.ts'
import { apiKeyOf, visibleKeys } from './visible-keys.ts'

/** One key. Throws `not_found`. */
export const getApiKey = endpoint({
  name: 'apiKeys.get',
  scope: 'admin',
  method: 'GET',
  path: '/api-keys/{id}',
  summary: 'Get an API key',
  description: 'One key, without its value.',
  isAddition: true,
  input: apiKeyId,
  output: apiKey,
  run: async (context, input) => {
    const row = await visibleKeys(context).where('api_keys.id', '=', input.id).executeTakeFirst()
    if (row === undefined) throw new ServiceError('not_found', 'API key not found')
    return apiKeyOf(row)
  },
})

import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { listApiKeysInput, listApiKeysOutput } from './schemas.ts'
import { apiKeyOf, visibleKeys } from './visible-keys.ts'

/** How long revoked and expired keys are listed. */
const LISTED_DAYS = 90

/** SQL for the earliest revocation or expiration that is listed. */
const listedSince = (eb: ExpressionBuilder<Schema, 'api_keys'>) =>
  eb(
    eb.fn<string>('now'),
    '-',
    eb.fn<string>(
      'make_interval',
      [0, 0, 0, LISTED_DAYS].map((part) => eb.lit(part)),
    ),
  )

/** The keys that the caller can see, newest first. Revoked and expired keys are listed for 90 days. */
export const listApiKeys = endpoint({
  name: 'apiKeys.list',
  scope: 'admin',
  method: 'GET',
  path: '/api-keys',
  summary: 'List API keys',
  description: 'Keys of the tenant, newest first. Revoked and expired keys are listed for 90 days.',
  isAddition: true,
  input: listApiKeysInput,
  output: listApiKeysOutput,
  run: async (context, query) => {
    const listed = visibleKeys(context)
      .where((eb) => eb.or([eb('api_keys.revoked_at', 'is', null), eb('api_keys.revoked_at', '>', listedSince(eb))]))
      .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', listedSince(eb))]))
    const { total } = await listed
      .clearSelect()
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const rows = await listed
      .orderBy('api_keys.created_at', 'desc')
      .orderBy('api_keys.id', 'desc')
      .limit(query.limit)
      // Any page after the last one is empty.
      .offset(Math.min((query.page - 1) * query.limit, total))
      .execute()
    return { api_keys: rows.map(apiKeyOf), pagination: paginationOf(query, total) }
  },
})

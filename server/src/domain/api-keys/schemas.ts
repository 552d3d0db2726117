import { isIP } from 'node:net'
import { z } from 'zod'
import { SCOPES } from '../../procedures/context.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import {
  date,
  id,
  isGiven,
  pageQuery,
  pagination,
  pathId,
  queryInteger,
  text,
  timestamp,
  trimmedText,
  CHECK_ALSO_WHEN_INVALID,
} from '../../procedures/fields/fields.ts'

/** The scope presets offered when a key is created. */
export const PRESETS = {
  read_only: ['read:orders', 'read:products', 'read:stock'],
  erp_sync: ['read:orders', 'write:orders', 'read:products', 'read:stock', 'write:stock'],
  stock_sync: ['read:products', 'read:stock', 'write:stock'],
  full_access: ['admin'],
} as const satisfies Record<string, readonly (typeof SCOPES)[number][]>

const scopes = z.array(z.enum(SCOPES)).min(1, 'must name at least one scope').max(100)
const mode = z.enum(['live', 'test']).describe("`live`, or `test` for a key of the tenant's sandbox, which has separate data.")

const NO_MOMENT =
  'must be a date YYYY-MM-DD, or an ISO 8601 timestamp with its offset such as 2030-12-31T18:00:00Z, in the years 1 to 9999'

/** Converts a timestamp with any offset to UTC; refuses years outside 1 to 9999. */
const moment = z.iso
  .datetime({ offset: true, error: NO_MOMENT })
  .transform((text) => Date.parse(text))
  .refine((time) => time >= Date.parse('0001-01-01T00:00:00Z') && time <= Date.parse('9999-12-31T23:59:59.999Z'), NO_MOMENT)
  .transform((time) => new Date(time).toISOString())

/** A date means the end of that day, UTC. For any other value, the first schema gives the message. */
const expiresAt = z.union([moment, date.transform((day) => `${day}T23:59:59.999Z`)], NO_MOMENT)

const addressOrRange = text(64).refine(isAddressOrRange, 'must be an IP address or a CIDR range such as 10.0.0.0/8')

function isAddressOrRange(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

export const createApiKeyInput = z
  .object({
    name: trimmedText(255)
      .describe('Descriptive name of the key.')
      .meta({ examples: ['ERP'] }),
    scopes: scopes.nullish().describe('Scopes of the key. Give either `scopes` or `preset`.'),
    preset: z
      .enum(Object.keys(PRESETS) as [keyof typeof PRESETS, ...(keyof typeof PRESETS)[]])
      .nullish()
      .describe('Named set of scopes. Give either `scopes` or `preset`.')
      .meta({ examples: ['stock_sync'] }),
    expires_at: expiresAt
      .nullish()
      .describe('Expiration: an ISO 8601 timestamp with its offset, or a date for the end of that day (UTC). Default: never.'),
    ip_whitelist: z
      .array(addressOrRange)
      .max(100)
      .nullish()
      .describe('IP addresses and CIDR ranges that may use the key, at most 100. Default: no restriction.'),
    mode: mode.nullish().describe("`live`, or `test` for a key of the tenant's sandbox. Default: the mode of the calling key."),
  })
  .refine((key) => isGiven(key.scopes) !== isGiven(key.preset), {
    ...CHECK_ALSO_WHEN_INVALID,
    path: ['scopes'],
    error: 'give either scopes or preset',
  })

export const apiKey = z
  .object({
    id: id.describe('Id of the key.'),
    name: z.string().describe('Name of the key.'),
    prefix: z.string().describe('First characters of the key, to tell keys apart.'),
    scopes: z.array(z.enum(SCOPES)).describe('Scopes of the key.'),
    mode,
    expires_at: timestamp.nullable().describe('Expiration, UTC; null if the key does not expire.'),
    ip_whitelist: z.array(z.string()).describe('IP addresses and CIDR ranges that may use the key; empty: no restriction.'),
    created_at: returned.created_at,
    last_used_at: timestamp.nullable().describe('Time of the last use, UTC, accurate to about ten seconds; null if never used.'),
    revoked_at: timestamp.nullable().describe('Time of revocation, UTC; null if it is not revoked.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key without its value.' })

export const createApiKeyOutput = apiKey
  .extend({ key: z.string().describe('Value of the key. Returned only in this response; it cannot be read again.') })
  .meta({ id: 'CreatedApiKey', description: 'A new API key with its value.' })

const MAX_LISTED = 1_000

export const listApiKeysInput = z.object({
  page: pageQuery.page,
  limit: queryInteger()
    .transform((limit) => Math.min(limit, MAX_LISTED))
    .default(MAX_LISTED)
    .describe(`Records per page, 1 to ${MAX_LISTED}. Larger values are treated as ${MAX_LISTED}. Default: ${MAX_LISTED}.`),
})
export const listApiKeysOutput = z.object({ api_keys: z.array(apiKey).describe('Keys, newest first.'), pagination })
export const apiKeyId = z.object({ id: pathId.describe('Id of the key.') })

export type NewApiKey = z.infer<typeof createApiKeyInput>
export type ApiKey = z.infer<typeof apiKey>
export type CreatedApiKey = z.infer<typeof createApiKeyOutput>

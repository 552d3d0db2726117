import { isIP } from 'node:net'
import { z } from 'zod'
import { SCOPES } from '../context.ts'
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
  WHATEVER_ELSE_FAILS,
} from '../fields.ts'

/** The scope presets offered when a key is made. */
export const PRESETS = {
  read_only: ['read:orders', 'read:products', 'read:stock'],
  erp_sync: ['read:orders', 'write:orders', 'read:products', 'read:stock', 'write:stock'],
  stock_sync: ['read:products', 'read:stock', 'write:stock'],
  full_access: ['admin'],
} as const satisfies Record<string, readonly (typeof SCOPES)[number][]>

const scopes = z.array(z.enum(SCOPES)).min(1, 'must name at least one scope').max(100)
const mode = z.enum(['live', 'test']).describe('`test` keys work on a sandbox of their own within the tenant.')

const NO_MOMENT =
  'must be a date YYYY-MM-DD, or an ISO 8601 timestamp with its offset such as 2030-12-31T18:00:00Z, in the years 1 to 9999'

/** A timestamp of any offset as one in UTC; what leaves the years that have four digits there is refused. */
const moment = z.iso
  .datetime({ offset: true, error: NO_MOMENT })
  .transform((text) => Date.parse(text))
  .refine((time) => time >= Date.parse('0001-01-01T00:00:00Z') && time <= Date.parse('9999-12-31T23:59:59.999Z'), NO_MOMENT)
  .transform((time) => new Date(time).toISOString())

/** A date is good until the end of that day, UTC. Of what is neither, the first says what is wrong. */
const expiresAt = z.union([moment, date.transform((day) => `${day}T23:59:59.999Z`)], NO_MOMENT)

const addressOrRange = text(64).refine(isAddressOrRange, 'must be an IP address or a CIDR range such as 10.0.0.0/8')

function isAddressOrRange(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

export const newApiKey = z
  .object({
    name: trimmedText(255)
      .describe('What the key is for.')
      .meta({ examples: ['ERP'] }),
    scopes: scopes.nullish().describe('Give either `scopes` or `preset`.'),
    preset: z
      .enum(Object.keys(PRESETS) as [keyof typeof PRESETS, ...(keyof typeof PRESETS)[]])
      .nullish()
      .meta({ examples: ['stock_sync'] }),
    expires_at: expiresAt.nullish().describe('A date (valid until its end, UTC) or a timestamp.'),
    ip_whitelist: z
      .array(addressOrRange)
      .max(100)
      .nullish()
      .describe('IP addresses and CIDR ranges that may use the key; none is no restriction.'),
    mode: mode.nullish(),
  })
  .refine((key) => isGiven(key.scopes) !== isGiven(key.preset), {
    ...WHATEVER_ELSE_FAILS,
    path: ['scopes'],
    error: 'give either scopes or preset',
  })

export const apiKey = z
  .object({
    id,
    name: z.string(),
    prefix: z.string().describe('The first characters of the key, to tell keys apart.'),
    scopes: z.array(z.enum(SCOPES)),
    mode,
    expires_at: timestamp.nullable(),
    ip_whitelist: z.array(z.string()),
    created_at: timestamp,
    last_used_at: timestamp.nullable().describe('Precise to about ten seconds.'),
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' })

export const createdApiKey = apiKey
  .extend({ key: z.string().describe('The key itself. It is shown only here and cannot be read again.') })
  .meta({ id: 'CreatedApiKey' })

const MAX_LISTED = 1_000

export const apiKeyQuery = z.object({
  page: pageQuery.page,
  limit: queryInteger()
    .transform((limit) => Math.min(limit, MAX_LISTED))
    .default(MAX_LISTED)
    .describe(`Page size. More than ${MAX_LISTED} is served as ${MAX_LISTED}.`),
})
export const apiKeyList = z.object({ api_keys: z.array(apiKey), pagination })
export const apiKeyId = z.object({ id: pathId })

export type NewApiKey = z.infer<typeof newApiKey>
export type ApiKey = z.infer<typeof apiKey>
export type ApiKeyQuery = z.infer<typeof apiKeyQuery>
export type ApiKeyList = z.infer<typeof apiKeyList>
export type CreatedApiKey = z.infer<typeof createdApiKey>

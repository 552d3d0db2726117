import type { JsonObject } from './types.ts'

/** The headers of all responses to calls with a valid API key. */
export const AUTHENTICATED = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const

/** The headers of successful changes. */
export const REPLAYED = ['Idempotency-Replayed'] as const

/** The components of response headers. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request: the `X-Request-Id` you sent, or a generated one.',
    schema: { type: 'string' },
  },
  'RateLimit-Limit': {
    description:
      'Requests allowed per minute. There is a limit per key and one for all keys of the tenant together; the `RateLimit-*` headers describe the one with fewer requests left. They are absent when both limits are off.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': { description: 'Requests left in the current minute.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the current minute ends.', schema: { type: 'integer' } },
  'Idempotency-Replayed': {
    description:
      '`true` if this is the stored response of an earlier request with the same `Idempotency-Key`, and nothing was changed. Otherwise absent.',
    schema: { type: 'string', enum: ['true'] },
  },
}

/** References to the components of these headers. */
export function headersOf(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

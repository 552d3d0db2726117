import type { FastifyRequest } from 'fastify'
import type { Caller } from '../context.ts'
import { ServiceError } from '../errors.ts'
import type { KeyCache } from './key-cache.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication; every route of the API has it. */
    caller: Caller
  }
}

const KEY_FORMAT = /^service_(live|test)_[A-Za-z0-9_-]{32,}$/

/** A hook that finds out who calls: key, expiration, allow-list, in this order. */
export function authentication(keys: KeyCache) {
  return async (request: FastifyRequest): Promise<void> => {
    const value = request.headers['x-api-key']
    if (value === undefined || value === '')
      throw new ServiceError('missing_api_key', 'Send your API key in the X-API-Key header')
    const key = typeof value === 'string' && KEY_FORMAT.test(value) ? await keys.find(value) : undefined
    if (key === undefined) throw new ServiceError('invalid_api_key', 'The API key is unknown or revoked')
    if (key.isExpired()) {
      throw new ServiceError('expired_api_key', `The API key expired at ${key.expiresAt}`)
    }
    if (key.ipWhitelist.length > 0 && !key.allows(request.ip))
      throw new ServiceError('ip_not_allowed', `The address ${request.ip} is not on the allow-list of this API key`)
    request.caller = key.caller
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../procedures/context.ts'
import { ServiceError } from '../procedures/errors.ts'
import type { KeyCache } from './key-cache.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication; every route of the API has it. */
    caller: Caller
  }
}

const KEY_FORMAT = /^service_(live|test)_[A-Za-z0-9_-]{32,}$/

/**
 * A hook that authenticates the caller. It checks the key, its expiration and its IP allow-list, in this order. `authenticatePage` does so
 * for calls of pages.
 */
export function authentication(
  keys: KeyCache,
  authenticatePage?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.raw.page !== undefined) return await authenticatePage?.(request, reply)
    const value = request.headers['x-api-key']
    if (value === undefined || value === '')
      throw new ServiceError('missing_api_key', 'Send your API key in the X-API-Key header')
    request.caller = await requireCaller(keys, value, request.ip)
  }
}

/** The caller with this key. Throws `invalid_api_key`, `expired_api_key`, `ip_not_allowed`. */
export async function requireCaller(keys: KeyCache, value: unknown, address: string): Promise<Caller> {
  const key = typeof value === 'string' && KEY_FORMAT.test(value) ? await keys.find(value) : undefined
  if (key === undefined) throw new ServiceError('invalid_api_key', 'The API key is unknown or revoked')
  if (key.isExpired()) {
    throw new ServiceError('expired_api_key', `The API key expired at ${key.expiresAt}`)
  }
  if (key.ipWhitelist.length > 0 && !key.allows(address)) throw addressNotAllowed(address)
  return key.caller
}

export function addressNotAllowed(address: string): ServiceError {
  return new ServiceError('ip_not_allowed', `The address ${address} is not on the allow-list of this API key`)
}

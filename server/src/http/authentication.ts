import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller } from '../procedures/context.ts'
import type { Guard } from './guards.ts'
import type { CachedKey, KeyCache } from './key-cache.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication; every route of the API has it. */
    caller: Caller
  }
}

const KEY_FORMAT = /^service_(live|test)_[A-Za-z0-9_-]{32,}$/
const BEARER = /^Bearer +(\S+) *$/i

/**
 * A guard that authenticates the caller. It checks the key, its expiration and its IP allow-list, in this order. `authenticatePage` does so
 * for calls of pages.
 */
export function authentication(
  keys: KeyCache,
  authenticatePage?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): Guard {
  return (request, reply) => {
    if (request.raw.page !== undefined) return authenticatePage?.(request, reply)
    return authenticate(keys, request, request.headers['x-api-key'], 'in the X-API-Key header')
  }
}

/** The same for agents, whose clients can often only send `Authorization: Bearer`. A key in `X-API-Key` wins. */
export function bearerAuthentication(keys: KeyCache): Guard {
  return (request) => {
    const { 'x-api-key': value, authorization = '' } = request.headers
    const bearer = BEARER.exec(authorization)?.[1]
    return authenticate(keys, request, value || bearer, 'as Authorization: Bearer <key>, or in the X-API-Key header')
  }
}

function authenticate(
  keys: KeyCache,
  request: FastifyRequest,
  value: string | string[] | undefined,
  where: string,
): void | Promise<void> {
  if (value === undefined || value === '') throw new ServiceError('missing_api_key', `Send your API key ${where}`)
  const key = keyOf(keys, value)
  return key instanceof Promise ? setCallerWhenRead(request, key) : setCaller(request, key)
}

async function setCallerWhenRead(request: FastifyRequest, key: Promise<CachedKey | undefined>): Promise<void> {
  setCaller(request, await key)
}

function setCaller(request: FastifyRequest, key: CachedKey | undefined): void {
  request.caller = callerOf(key, request.ip)
}

/** The caller with this key. Throws `invalid_api_key`, `expired_api_key`, `ip_not_allowed`. */
export async function requireCaller(keys: KeyCache, value: unknown, address: string): Promise<Caller> {
  return callerOf(await keyOf(keys, value), address)
}

function keyOf(keys: KeyCache, value: unknown): CachedKey | undefined | Promise<CachedKey | undefined> {
  return typeof value === 'string' && KEY_FORMAT.test(value) ? keys.find(value) : undefined
}

function callerOf(key: CachedKey | undefined, address: string): Caller {
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

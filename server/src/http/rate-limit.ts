import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import type { Database } from '../database/database.ts'
import { ServiceError } from '../errors.ts'
import { RequestAllowance } from './request-allowance.ts'

/** A hook that counts the requests of the caller's key, a minute at a time, or undefined when the limit is off. */
export async function rateLimitHook(
  app: FastifyInstance,
  db: Pick<Database, 'runAside'>,
  requestsPerMinute: number,
): Promise<onRequestAsyncHookHandler | undefined> {
  if (requestsPerMinute === 0) return undefined
  await app.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: '1 minute',
    enableDraftSpec: true,
    store: storeOf(new RequestAllowance(db, requestsPerMinute), requestsPerMinute),
    keyGenerator: ({ caller }) => `${caller.tenantId}/${caller.keyId}`,
    errorResponseBuilder: (_request, { max, ttl }) =>
      new ServiceError('rate_limit_exceeded', `This API key may make ${max} requests a minute; try again later`, {
        retryAfterSeconds: Math.ceil(ttl / 1000),
      }),
  })
  const hook: onRequestAsyncHookHandler = app.rateLimit()
  return hook
}

/** What the plugin asks how many requests there were: a class of which it makes its own instance. */
function storeOf(allowance: RequestAllowance, limit: number): new () => FastifyRateLimitStore {
  return class {
    incr(key: string, callback: (error: Error | null, result?: { current: number; ttl: number }) => void): void {
      const [tenantId, keyId] = key.split('/').map(Number) as [number, number]
      allowance
        .take(tenantId, keyId)
        .then(
          ({ isAllowed, remaining, msLeft }) =>
            callback(null, { current: isAllowed ? limit - remaining : limit + 1, ttl: msLeft }),
          callback,
        )
    }

    child(): this {
      return this
    }
  }
}

import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import { ServiceError } from '../errors.ts'

/** A hook that counts the requests of the caller's key, a minute at a time, or undefined when the limit is off. */
export async function rateLimitHook(
  app: FastifyInstance,
  requestsPerMinute: number,
): Promise<onRequestAsyncHookHandler | undefined> {
  if (requestsPerMinute === 0) return undefined
  await app.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: '1 minute',
    enableDraftSpec: true,
    keyGenerator: (request) => String(request.caller.keyId),
    errorResponseBuilder: (_request, { max, ttl }) =>
      new ServiceError('rate_limit_exceeded', `This API key may make ${max} requests a minute; try again later`, {
        retryAfterSeconds: Math.ceil(ttl / 1000),
      }),
  })
  return app.rateLimit() as onRequestAsyncHookHandler
}

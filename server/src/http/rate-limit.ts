import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { ServiceError } from '../errors.ts'
import { RequestAllowance, type Taken } from './request-allowance.ts'

/** Counts a tenant's requests where those of its keys are counted; no key has this id. */
const ALL_KEYS = 0

type Limits = Pick<Config, 'rateLimitPerMinute' | 'tenantRateLimitPerMinute'>

/** One of the limits, and what a request past it is told. */
interface Limit {
  perMinute: number
  take(request: FastifyRequest): Promise<Taken>
  message: string
}

/** What is left of a limit after a request was taken. */
type Standing = Taken & { perMinute: number }

/**
 * A hook that counts requests a minute at a time, by the caller's key and by its tenant, or undefined when both limits are off. The
 * headers show the limit that leaves less.
 */
export function rateLimitHook(db: Pick<Database, 'runAside'>, limits: Limits): onRequestAsyncHookHandler | undefined {
  const applied = [
    limitOf(db, limits.rateLimitPerMinute, ({ caller }) => caller.keyId, 'This API key'),
    // After the key's, so that what one key is refused is not taken from the others.
    limitOf(db, limits.tenantRateLimitPerMinute, () => ALL_KEYS, "All of this tenant's API keys together"),
  ].filter((limit) => limit !== undefined)
  if (applied.length === 0) return undefined
  return async (request, reply) => {
    let least: Standing | undefined
    for (const limit of applied) {
      const standing = { ...(await limit.take(request)), perMinute: limit.perMinute }
      if (!standing.isAllowed) {
        show(standing, reply)
        throw new ServiceError('rate_limit_exceeded', limit.message, { retryAfterSeconds: secondsLeft(standing) })
      }
      if (least === undefined || standing.remaining < least.remaining) least = standing
    }
    if (least !== undefined) show(least, reply)
  }
}

function limitOf(
  db: Pick<Database, 'runAside'>,
  perMinute: number,
  keyIdOf: (request: FastifyRequest) => number,
  who: string,
): Limit | undefined {
  if (perMinute === 0) return undefined
  const allowance = new RequestAllowance(db, perMinute)
  return {
    perMinute,
    take: (request) => allowance.take(request.caller.tenantId, keyIdOf(request)),
    message: `${who} may make ${perMinute} requests a minute; try again later`,
  }
}

function show(standing: Standing, reply: FastifyReply): void {
  reply.headers({
    'ratelimit-limit': String(standing.perMinute),
    'ratelimit-remaining': String(standing.remaining),
    'ratelimit-reset': String(secondsLeft(standing)),
  })
}

const secondsLeft = ({ msLeft }: Taken): number => Math.ceil(msLeft / 1_000)

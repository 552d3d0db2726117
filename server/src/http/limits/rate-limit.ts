import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Caller } from '../../procedures/context.ts'
import type { Shards } from '../../shards/shards.ts'
import type { Guard } from '../guards.ts'
import { RequestAllowance, type Taken } from './request-allowance.ts'

/** The key id under which a tenant's requests are counted. No key has it. */
const ALL_KEYS = 0
/** The same for the sessions of its pages, which have a share of their own: a page takes nothing from an integration. */
const ALL_SESSIONS = -1

type Limits = Pick<Config, 'rateLimitPerMinute' | 'tenantRateLimitPerMinute'>

/** One of the limits, and the error message above it. */
interface Limit {
  perMinute: number
  /** Returns a promise only if it queries the database. */
  take(request: FastifyRequest): Taken | Promise<Taken>
  messageFor(caller: Caller, taken: Taken): string
}

/** Where requests are counted. */
type Counter = (caller: Caller) => { tenantId: number; id: number }

/** By the key or the session. Ids of sessions begin at 1 as those of keys do, and are counted below `ALL_SESSIONS`. */
const ownAllowance: Counter = ({ tenantId, keyId, session }) =>
  session === undefined ? { tenantId, id: keyId } : { tenantId: session.tenantId, id: ALL_SESSIONS - session.id }

const tenantAllowance: Counter = ({ tenantId, session }) => ({ tenantId, id: session === undefined ? ALL_KEYS : ALL_SESSIONS })

/** The state of a limit after a request was counted. */
type Standing = Taken & { perMinute: number }

/**
 * A guard that counts the requests per minute of the caller's key or session, and of its tenant; undefined if both limits are off. The headers
 * describe the limit with fewer requests left.
 */
export function rateLimitGuard(shards: Shards, limits: Limits): Guard | undefined {
  const applied = [
    limitOf(shards, limits.rateLimitPerMinute, ownAllowance, { key: 'This API key', session: 'This session' }),
    // After the key's limit, so that rejected requests of one key do not count against the others.
    limitOf(shards, limits.tenantRateLimitPerMinute, tenantAllowance, {
      key: "All of this tenant's API keys together",
      session: "All of this tenant's sessions together",
    }),
  ].filter((limit) => limit !== undefined)
  if (applied.length === 0) return undefined
  const countFrom = (index: number, request: FastifyRequest, reply: FastifyReply, least?: Standing): void | Promise<void> => {
    const limit = applied[index]
    if (limit === undefined) return least && show(least, reply)
    const counted = (taken: Taken): void | Promise<void> => {
      const standing = { ...taken, perMinute: limit.perMinute }
      if (!taken.isAllowed) throw refusal(standing, limit, request, reply)
      return countFrom(index + 1, request, reply, least === undefined || taken.remaining < least.remaining ? standing : least)
    }
    const taken = limit.take(request)
    return taken instanceof Promise ? taken.then(counted) : counted(taken)
  }
  return (request, reply) => countFrom(0, request, reply)
}

function refusal(standing: Standing, limit: Limit, { caller }: FastifyRequest, reply: FastifyReply): ServiceError {
  show(standing, reply)
  return new ServiceError('rate_limit_exceeded', limit.messageFor(caller, standing), { retryAfterSeconds: secondsLeft(standing) })
}

function limitOf(
  shards: Shards,
  perMinute: number,
  counterOf: Counter,
  who: { key: string; session: string },
): Limit | undefined {
  if (perMinute === 0) return undefined
  const allowance = new RequestAllowance((tenantId) => shards.of(tenantId), perMinute)
  return {
    perMinute,
    take: ({ caller }) => {
      const { tenantId, id } = counterOf(caller)
      return allowance.take(tenantId, id)
    },
    messageFor: ({ session }, taken) =>
      `${session === undefined ? who.key : who.session} may make ${perMinute} requests a minute; try again in ${secondsLeft(taken)} s`,
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

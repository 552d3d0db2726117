import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../database/database.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { networkOf } from '../../runtime/client-address.ts'
import { RequestAllowance } from '../limits/request-allowance.ts'

/** Refused sign-ins per IPv4 address, IPv6 /64 or device. Further invalid sign-ins get 429; valid ones are always accepted. */
const MAX_PER_MINUTE = 10
/** Refused sign-ins have no tenant. They are counted like requests, under an id that no tenant has. */
const NO_TENANT = 0
const ADDRESS_HASH_BYTES = 6

const REFUSALS = new Set(['invalid_api_key', 'expired_api_key', 'ip_not_allowed', 'invalid_code'])

/** Counts and logs refused sign-ins, across all server processes of a database. */
export class RefusedSignIns {
  readonly #allowance: RequestAllowance
  readonly #onRefused: () => void

  constructor(db: Pick<Database, 'run'>, onRefused: () => void) {
    this.#allowance = new RequestAllowance(() => db, MAX_PER_MINUTE)
    this.#onRefused = onRefused
  }

  /** The error of a failed sign-in: the original one, or `rate_limit_exceeded` after too many from the same address or device. */
  async errorFor(error: unknown, request: FastifyRequest, source: 'address' | `device ${string}`): Promise<unknown> {
    if (!(error instanceof ServiceError) || !REFUSALS.has(error.errorCode)) return error
    this.#onRefused()
    request.log.warn({ address: request.ip, code: error.errorCode }, 'sign-in refused')
    const { isAllowed, msLeft } = await this.#allowance.take(
      NO_TENANT,
      numberOf(source === 'address' ? networkOf(request.ip) : source),
    )
    if (isAllowed) return error
    return new ServiceError(
      'rate_limit_exceeded',
      `Too many refused sign-ins from this ${source.split(' ', 1)[0]}; try again later`,
      {
        retryAfterSeconds: Math.ceil(msLeft / 1_000),
      },
    )
  }
}

/** The probability that two addresses or devices share a number, and so the limit, is below one in 10^12. */
const numberOf = (source: string): number => createHash('sha256').update(source).digest().readUIntBE(0, ADDRESS_HASH_BYTES)

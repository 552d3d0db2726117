import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'

/** The value of the header `Idempotency-Key`, if the request has it. Throws `validation_error`. */
export function idempotencyKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key.length < 1 || key.length > 255)
    throw new ServiceError('validation_error', 'Idempotency-Key must have 1 to 255 characters')
  return key
}

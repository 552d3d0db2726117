import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'

/** The value of the header `Idempotency-Key`, if the request has it. Throws `validation_error`. */
export function idempotencyKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const sent = headers['idempotency-key']
  if (sent === undefined) return undefined
  const key = typeof sent === 'string' ? textOf(sent) : ''
  const { length } = Array.from(key)
  if (length < 1 || length > 255) throw new ServiceError('validation_error', 'Idempotency-Key must have 1 to 255 characters')
  return key
}

/** Node takes each byte of a header for a character. Clients send UTF-8, or Latin-1 as `fetch` does. */
function textOf(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}

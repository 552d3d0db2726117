import { TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import { type ConstraintErrors, databaseErrorToServiceError } from '../database/errors.ts'
import type { EndpointFacts } from './endpoint-facts.ts'
import { ServiceError } from './errors.ts'
import { invalidInput, InvalidItems } from './invalid-input.ts'

/** Details of the failed call. */
export interface FailedCall {
  requestId: string
  endpoint?: EndpointFacts
  constraints?: ConstraintErrors
}

/** The API error for any thrown value. Unexpected errors become `internal_error`, with the cause for the log. */
export function failureOf(error: unknown, { requestId, endpoint, constraints }: FailedCall): ServiceError {
  // tRPC wraps errors of a procedure.
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error
  if (cause instanceof ServiceError) return cause
  if (endpoint !== undefined && (cause instanceof ZodError || cause instanceof InvalidItems)) {
    if (!(error instanceof TRPCError) || error.code === 'BAD_REQUEST') return invalidInput(cause, endpoint)
  }
  return (
    databaseErrorToServiceError(cause, constraints) ??
    new ServiceError('internal_error', `Internal server error, request id ${requestId}`, { cause })
  )
}

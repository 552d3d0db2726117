import { TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import { isOfMovedTenant, isUnavailable, TooManyCallsError, violatedConstraint, whyUnavailable } from '../database/errors.ts'
import { beingMoved } from '../errors/being-moved.ts'
import type { ErrorCode } from '../errors/error-codes.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { EndpointFacts } from './endpoint-facts.ts'
import { invalidInput, InvalidItemsError } from './invalid-input.ts'

/** The API errors for violated constraints, by the constraint's name. */
export type ConstraintErrors = Readonly<Record<string, { code: ErrorCode; message: string }>>

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
  if (endpoint !== undefined && (cause instanceof ZodError || cause instanceof InvalidItemsError)) {
    if (!(error instanceof TRPCError) || error.code === 'BAD_REQUEST') return invalidInput(cause, endpoint)
  }
  return (
    databaseErrorToServiceError(cause, constraints) ??
    new ServiceError('internal_error', `Internal server error, request id ${requestId}`, { cause })
  )
}

/** The ServiceError for an error of the database, or undefined when the error is a defect of this program. */
export function databaseErrorToServiceError(error: unknown, constraints: ConstraintErrors = {}): ServiceError | undefined {
  if (error instanceof TooManyCallsError) return new ServiceError('service_unavailable', error.message, { retryAfterSeconds: 1 })
  const constraint = constraints[violatedConstraint(error) ?? '']
  if (constraint !== undefined) return new ServiceError(constraint.code, constraint.message, { cause: error })
  if (isOfMovedTenant(error)) return beingMoved(error)
  if (isUnavailable(error)) {
    return new ServiceError('service_unavailable', whyUnavailable(error), {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
  return undefined
}

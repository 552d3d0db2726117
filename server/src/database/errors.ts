import pg from 'pg'
import { ServiceError, type ErrorCode } from '../procedures/errors.ts'

/** The API errors for violated constraints, by the constraint's name. */
export type ConstraintErrors = Readonly<Record<string, { code: ErrorCode; message: string }>>

/** The SQLSTATE connection_failure. */
const CONNECTION_FAILURE = '08006'

/** The database could not be reached, or the connection broke before its response. A statement in progress may have been executed. */
export class ConnectionFailure extends Error {
  readonly code = CONNECTION_FAILURE

  constructor(cause?: unknown) {
    super('No connection to the database', { cause })
    this.name = 'ConnectionFailure'
  }

  /** Returns errors reported by Postgres and programming errors unchanged, and wraps other errors of a connection. */
  static wrap(error: unknown): unknown {
    const isOther = error instanceof pg.DatabaseError || error instanceof TypeError || error instanceof RangeError
    return isOther || error instanceof ConnectionFailure ? error : new ConnectionFailure(error)
  }
}

/**
 * Serialization failure and deadlock. 26000: two pipelined calls prepare the same statement; if the first one fails to prepare it, the
 * second one has nothing to execute.
 */
const RETRYABLE = new Set(['40001', '40P01', '26000'])
const RETRYABLE_CONSTRAINTS = new Set(['stock_levels_location_fkey'])

/** SQLSTATE classes and codes of a database that cannot serve at the moment: connection, resources, time limits, operator intervention. */
const UNAVAILABLE = /^(08|53|57P|57014|58|25006|25P03|25P04|40|55P03|26000)/

/** Of those: the connection, or a database that starts, stops or is in recovery. */
const UNREACHABLE = /^(08|57P)/
/** Of those: the time limits of a statement and of a lock. */
const TOO_SLOW = new Set(['57014', '55P03'])

/** SQLSTATE of `fence_tenant()` and, once the tenant is gone, the foreign key to it. */
const FENCED = '55F01'
const GONE = /^[a-z_]+_tenant_id_fkey$/

interface DatabaseFailure {
  code: string | undefined
  constraint: string | undefined
}

function failureOf(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown }
  return {
    code: typeof code === 'string' ? code : undefined,
    constraint: typeof constraint === 'string' ? constraint : undefined,
  }
}

/** True when the statement or transaction may succeed if it is repeated: it was rolled back. */
export function isRetryable(error: unknown): boolean {
  const failure = failureOf(isWrapped(error) ? error.cause : error)
  if (failure === undefined) return false
  if (failure.code === '23503') return failure.constraint !== undefined && RETRYABLE_CONSTRAINTS.has(failure.constraint)
  return failure.code !== undefined && RETRYABLE.has(failure.code)
}

/** Errors thrown by a procedure in a transaction have the database's error as their cause. */
function isWrapped(error: unknown): error is Error {
  return error instanceof ServiceError || (error instanceof Error && error.name === 'TRPCError')
}

/** The ServiceError for a database error, or undefined when the error is a defect of this program. */
export function databaseErrorToServiceError(error: unknown, constraints: ConstraintErrors = {}): ServiceError | undefined {
  const failure = failureOf(error)
  if (failure === undefined) return undefined
  const constraint = failure.constraint === undefined ? undefined : constraints[failure.constraint]
  if (constraint !== undefined) return new ServiceError(constraint.code, constraint.message, { cause: error })
  if (isOfMovedTenant(error)) return beingMoved(error)
  // Retryable errors are not defects either. They get here after the last attempt, or from a statement in a larger transaction.
  if (isUnavailable(failure) || isRetryable(error)) {
    return new ServiceError('service_unavailable', whyUnavailable(error), {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
  return undefined
}

/** What to tell the caller of a call that the database may carry out later. */
function whyUnavailable(error: unknown): string {
  const code = failureOf(error)?.code ?? ''
  if (UNREACHABLE.test(code)) return 'The database cannot be reached at the moment; try again'
  if (TOO_SLOW.has(code)) return 'The call took longer than the database permits; ask for less, or try again'
  return 'The database could not carry out the call at the moment; try again'
}

/** True when the statement was refused because its tenant is being moved from or to this database, or is in another one by now. */
export function isOfMovedTenant(error: unknown): boolean {
  const failure = failureOf(error)
  return failure?.code === FENCED || (failure?.code === '23503' && GONE.test(failure.constraint ?? ''))
}

/** The error of a call that cannot be served while its tenant is moved to another database. Nothing was changed. */
export function beingMoved(cause?: unknown): ServiceError {
  const message = 'The tenant is being moved to another database; try again'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}

/** SQLSTATE division_by_zero. */
const DIVISION_BY_ZERO = '22012'

/** True when a guard failed: a statement that divides by zero on purpose, so that Postgres skips the statements behind it. */
export function isGuardFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === DIVISION_BY_ZERO
}

/** True when the statement itself is the reason for its failure, so another statement may succeed at the same moment. It was rolled back. */
export function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|25|53|57P|58)/.test(error.code ?? '')
}

function isUnavailable({ code }: DatabaseFailure): boolean {
  return code !== undefined && UNAVAILABLE.test(code)
}

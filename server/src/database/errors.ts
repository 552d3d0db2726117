import pg from 'pg'
import { ServiceError, type ErrorCode } from '../errors.ts'

/** What a violated constraint means to the caller. */
const CONSTRAINTS: Record<string, { code: ErrorCode; message: string }> = {
  products_barcode_key: { code: 'already_exists', message: 'A product with this barcode already exists' },
  products_external_id_key: { code: 'already_exists', message: 'A product with this sku already exists' },
  stock_levels_quantity_range: { code: 'adjustment_error', message: 'The stock level would leave the range 0 to 999999999999' },
  order_lines_never_over_picked: { code: 'flow_error', message: 'The pick is beyond what was ordered' },
}

/** What Postgres says when the connection broke: 08006, connection_failure. */
const CONNECTION_FAILURE = '08006'

/** The database could not be asked, or broke off before it answered: whether a statement under way was carried out is unknown. */
export class ConnectionFailure extends Error {
  readonly code = CONNECTION_FAILURE

  constructor(cause?: unknown) {
    super('No connection to the database', { cause })
    this.name = 'ConnectionFailure'
  }

  /** What Postgres itself answered, and what is a fault of the program, as it is; everything else that comes from a connection. */
  static unlessAnswer(error: unknown): unknown {
    const isOther = error instanceof pg.DatabaseError || error instanceof TypeError || error instanceof RangeError
    return isOther || error instanceof ConnectionFailure ? error : new ConnectionFailure(error)
  }
}

/**
 * Serialization failure, deadlock; and 26000: of two pipelined statements of the same name the first one failed to be prepared, so that
 * there was nothing for the second one to run.
 */
const RETRYABLE = new Set(['40001', '40P01', '26000'])
const RETRYABLE_CONSTRAINTS = new Set(['stock_levels_location_fkey'])

/** SQLSTATE classes and codes that say that the database cannot serve now: connection, resources, time limits, operator intervention. */
const UNAVAILABLE = /^(08|53|57P|57014|58|25006|25P03|25P04|40|55P03|26000)/

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

/** True when the same statement or transaction may succeed if it is run again: nothing of it was kept. */
export function isRetryable(error: unknown): boolean {
  // A procedure that runs within a transaction has translated the error already.
  const failure = failureOf(error instanceof ServiceError ? error.cause : error)
  if (failure === undefined) return false
  if (failure.code === '23503') return failure.constraint !== undefined && RETRYABLE_CONSTRAINTS.has(failure.constraint)
  return failure.code !== undefined && RETRYABLE.has(failure.code)
}

/** The ServiceError that a database error amounts to, or undefined when it is a fault of ours. */
export function databaseErrorToServiceError(error: unknown): ServiceError | undefined {
  const failure = failureOf(error)
  if (failure === undefined) return undefined
  const constraint = failure.constraint === undefined ? undefined : CONSTRAINTS[failure.constraint]
  if (constraint !== undefined) return new ServiceError(constraint.code, constraint.message, { cause: error })
  // What may succeed when it is run again is no fault of ours, also when no try was left or it belongs to a larger transaction.
  if (isUnavailable(failure) || isRetryable(error)) {
    return new ServiceError('service_unavailable', 'The database cannot be reached at the moment; try again', {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
  return undefined
}

/** True when a statement failed for what it was to do, so that another one may succeed at the same moment. Nothing of it was kept. */
export function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|25|53|57P|58)/.test(error.code ?? '')
}

function isUnavailable({ code }: DatabaseFailure): boolean {
  return code !== undefined && UNAVAILABLE.test(code)
}

import pg from 'pg'

/** The SQLSTATE connection_failure. */
const CONNECTION_FAILURE = '08006'

/** The database could not be reached, or the connection broke before its response. A statement in progress may have been executed. */
export class DatabaseConnectionError extends Error {
  readonly code = CONNECTION_FAILURE

  constructor(cause?: unknown) {
    super('No connection to the database', { cause })
    this.name = 'DatabaseConnectionError'
  }

  /** Returns errors reported by Postgres and programming errors unchanged, and wraps other errors of a connection. */
  static wrap(error: unknown): unknown {
    const isOther = error instanceof pg.DatabaseError || error instanceof TypeError || error instanceof RangeError
    return isOther || error instanceof DatabaseConnectionError ? error : new DatabaseConnectionError(error)
  }
}

/** A tenant has too many calls in progress or waiting. Other tenants are still served. Nothing was executed. */
export class TooManyCallsError extends Error {
  constructor() {
    super('Too many requests of this tenant are under way; try again with fewer at a time')
    this.name = 'TooManyCallsError'
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

/** The name of the constraint that the statement violated, if it violated one. */
export function violatedConstraint(error: unknown): string | undefined {
  return failureOf(error)?.constraint
}

/** True when the statement or transaction may succeed if it is repeated: it was rolled back. */
export function isRetryable(error: unknown): boolean {
  const failure = failureOf(error)
  if (failure === undefined) return false
  if (failure.code === '23503') return failure.constraint !== undefined && RETRYABLE_CONSTRAINTS.has(failure.constraint)
  return failure.code !== undefined && RETRYABLE.has(failure.code)
}

/** True when the database cannot serve the call at the moment, and may serve it later. */
export function isUnavailable(error: unknown): boolean {
  // Retryable errors get here after the last attempt, or from a statement in a larger transaction.
  return UNAVAILABLE.test(failureOf(error)?.code ?? '') || isRetryable(error)
}

/** What to tell the caller of a call that the database may carry out later. */
export function whyUnavailable(error: unknown): string {
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

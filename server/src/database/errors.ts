import { ServiceError, type ErrorCode } from '../errors.ts'

/** What a violated constraint means to the caller. */
const CONSTRAINTS: Record<string, { code: ErrorCode; message: string }> = {
  products_barcode_key: { code: 'already_exists', message: 'A product with this barcode already exists' },
  products_external_id_key: { code: 'already_exists', message: 'A product with this sku already exists' },
  stock_levels_quantity_range: { code: 'adjustment_error', message: 'The stock level would leave the range 0 to 999999999999' },
  order_lines_never_over_picked: { code: 'flow_error', message: 'The pick is beyond what was ordered' },
}

const RETRYABLE = new Set(['40001', '40P01'])
const RETRYABLE_CONSTRAINTS = new Set(['stock_levels_location_fkey'])

/** SQLSTATE classes and codes that say that the database cannot serve now: connection, resources, operator intervention. */
const UNAVAILABLE = /^(08|53|57P|57014|58|25006|40)/
const UNAVAILABLE_SYSTEM_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOENT',
  'EHOSTUNREACH',
])

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
  const failure = failureOf(error)
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
  if (isUnavailable(failure)) {
    return new ServiceError('service_unavailable', 'The database cannot be reached at the moment; try again', {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
  return undefined
}

function isUnavailable({ code }: DatabaseFailure): boolean {
  return code !== undefined && (UNAVAILABLE.test(code) || UNAVAILABLE_SYSTEM_ERRORS.has(code))
}

import { type ErrorCode, ERRORS } from './error-codes.ts'

/**
 * An entry of an error's `details`: `index` is a position in a submitted array, `path` the invalid field, `current_quantity` the level of a
 * `quantity_conflict`, `lines` the short lines of an order with `insufficient_stock`.
 */
export type ErrorDetail =
  | { index: number; error: string; lines?: ShortLine[]; available?: number }
  | { path: string; error: string; current_quantity?: number; lines?: undefined }

/** A line of an order that cannot be reserved in full: its position in the order, and what earlier lines leave. */
interface ShortLine {
  position: number
  barcode: string
  quantity: number
  available: number
}

/** An error reported to the caller, as `{ code, message, details? }` with the status of its code. */
export class ServiceError extends Error {
  readonly errorCode: ErrorCode
  readonly details: ErrorDetail[] | undefined
  /** Sent as the `Retry-After` header, in seconds. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    errorCode: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.errorCode = errorCode
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return ERRORS[this.errorCode].status
  }
}

import { FulfillmentError } from '../fulfillment-error.ts'
import type { DocumentedErrorCode, ErrorDetail } from '../generated/models.ts'

/**
 * What went wrong, as a literal: every code that the API documents, and `unexpected_response` for an answer
 * that is not the API's own (a proxy's error page, a redirect).
 */
export type ErrorCode = DocumentedErrorCode | 'unexpected_response'

/** The fields of an {@link APIError}. */
export interface APIErrorFields {
  status: number
  code: ErrorCode
  message: string
  details?: ErrorDetail[] | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
}

/**
 * The API answered with a failure.
 *
 * @example
 * try {
 *   await client.products.create({ name: 'Tea', barcode: '4006381333931' })
 * } catch (error) {
 *   if (error instanceof APIError && error.code === 'already_exists') return
 *   throw error
 * }
 */
export class APIError extends FulfillmentError {
  override name = 'APIError'
  /** HTTP status. */
  readonly status: number
  /** What went wrong, to decide on in code. */
  readonly code: ErrorCode
  /** One entry for each invalid field or item, when the API gives them. */
  readonly details: ErrorDetail[] | undefined
  /** The `X-Request-Id` of the answer: it finds the request in the server's log. */
  readonly requestId: string | undefined
  /** How long the server asked to wait before another try (`Retry-After`). */
  readonly retryAfterMs: number | undefined

  constructor(fields: APIErrorFields) {
    super(fields.message)
    this.status = fields.status
    this.code = fields.code
    this.details = fields.details
    this.requestId = fields.requestId
    this.retryAfterMs = fields.retryAfterMs
  }
}

import { FulfillmentError } from '../fulfillment-error.ts'
import type { DocumentedErrorCode, ErrorDetail } from '../generated/models.ts'

/**
 * The error code, as a literal: every code that the API documents, and `unexpected_response` for a response
 * that did not come from the API, such as a proxy's error page or a redirect.
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
 * The API returned an error.
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
  /** The error code. Decide by it, not by the message. */
  readonly code: ErrorCode
  /** One entry for each invalid field or item, if the API returned them. */
  readonly details: ErrorDetail[] | undefined
  /** The `X-Request-Id` of the response, which is also in the server's log. */
  readonly requestId: string | undefined
  /** The wait that the server asked for before a retry (`Retry-After`), in milliseconds. */
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

import { FulfillmentError } from '../fulfillment-error.ts'

/**
 * The response is larger than `maxResponseBytes`. It was cancelled, and the call was not retried. The server may have executed a call that
 * writes.
 */
export class ResponseTooLargeError extends FulfillmentError {
  override name = 'ResponseTooLargeError'
  /** HTTP status. */
  readonly status: number
  /** The `X-Request-Id` of the response. */
  readonly requestId: string | undefined
  /** The limit that the response exceeds. */
  readonly maxResponseBytes: number

  /** @internal */
  constructor(response: Response, maxResponseBytes: number) {
    const requestId = response.headers.get('X-Request-Id') ?? undefined
    const request = requestId === undefined ? '' : ` (request ${requestId})`
    super(`The response is larger than maxResponseBytes, ${maxResponseBytes}${request}: ask for less, or raise maxResponseBytes`)
    this.status = response.status
    this.requestId = requestId
    this.maxResponseBytes = maxResponseBytes
  }
}

import { FulfillmentError } from '../fulfillment-error.ts'

/**
 * The answer has more than `maxResponseBytes`. The rest of it was not read, and the call was not tried again: a call that writes may have
 * been carried out.
 */
export class ResponseTooLargeError extends FulfillmentError {
  override name = 'ResponseTooLargeError'
  /** HTTP status. */
  readonly status: number
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string | undefined
  /** The limit that the answer passed. */
  readonly maxResponseBytes: number

  /** @internal */
  constructor(response: Response, maxResponseBytes: number) {
    const requestId = response.headers.get('X-Request-Id') ?? undefined
    const request = requestId === undefined ? '' : ` (request ${requestId})`
    super(`The answer is larger than maxResponseBytes, ${maxResponseBytes}${request}: ask for less, or raise maxResponseBytes`)
    this.status = response.status
    this.requestId = requestId
    this.maxResponseBytes = maxResponseBytes
  }
}

import { FulfillmentError } from '../fulfillment-error.ts'

/** What {@link WebhookVerificationError.reason} may say. */
export type WebhookVerificationReason =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'signature_mismatch'
  | 'body_not_raw'
  | 'invalid_secret'
  | 'invalid_json'

/** The request is not a webhook that can be trusted. `reason` is for code, the message says what to do about it. */
export class WebhookVerificationError extends FulfillmentError {
  override name = 'WebhookVerificationError'
  /** Why the request was refused. */
  readonly reason: WebhookVerificationReason

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message)
    this.reason = reason
  }
}

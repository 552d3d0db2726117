import { FulfillmentError } from '../fulfillment-error.ts'

/** The values of {@link WebhookVerificationError.reason}. */
export type WebhookVerificationReason =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'signature_mismatch'
  | 'body_not_raw'
  | 'invalid_secret'
  | 'invalid_json'

/** The request could not be verified as a webhook of the service. Decide by `reason`; the message explains how to fix it. */
export class WebhookVerificationError extends FulfillmentError {
  override name = 'WebhookVerificationError'
  /** Why the request was rejected. */
  readonly reason: WebhookVerificationReason

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message)
    this.reason = reason
  }
}

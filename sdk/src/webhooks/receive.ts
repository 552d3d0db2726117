import type { WebhookEvent } from '../generated/events.ts'
import { notify } from '../notify.ts'
import type { RawBody, SignatureHeader, WebhookSecret } from './verification.ts'
import { verifyWebhook } from './verify-webhook.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/** Options of a receiver. */
export interface ReceiverOptions {
  /** The subscription's signing secret, or several during a rotation. */
  secret: WebhookSecret
  /**
   * Called with each verified event. When it returns, or the promise that it returns resolves, the receiver acknowledges the request with
   * 204. If it throws, the receiver responds with 500 and the service retries later. It must finish within 15 seconds. An event can arrive
   * more than once, with the same `event.id`.
   */
  onEvent: (event: WebhookEvent) => unknown
  /** Called for each rejected request (`WebhookVerificationError`; the response has status 400, for `invalid_secret` 500) and each error of `onEvent`. @defaultValue console.error */
  onError?: ((error: unknown) => unknown) | undefined
  /** Maximum difference between the signature's timestamp and this machine's clock. @defaultValue 300 */
  toleranceSeconds?: number | undefined
}

/** The response of a receiver. The service stores the text with the delivery, for debugging. */
interface ReceiverResponse {
  status: number
  text?: string
}

/** Verifies one request and passes its event to `onEvent`. All receivers use this. */
export async function receive(
  { secret, onEvent, onError = console.error, toleranceSeconds }: ReceiverOptions,
  header: SignatureHeader,
  readBody: () => RawBody | Promise<RawBody>,
): Promise<ReceiverResponse> {
  try {
    await onEvent(await verifyWebhook(await readBody(), header, secret, { toleranceSeconds }))
    return { status: 204 }
  } catch (error) {
    // An error of the logger must not prevent the response.
    notify(() => onError(error))
    if (!(error instanceof WebhookVerificationError)) return { status: 500, text: 'The receiver failed' }
    return { status: error.reason === 'invalid_secret' ? 500 : 400, text: `${error.reason}: ${error.message}` }
  }
}

import type { WebhookEvent } from '../generated/events.ts'
import { notify } from '../notify.ts'
import type { RawBody, SignatureHeader, WebhookSecret } from './verification.ts'
import { verifyWebhook } from './verify-webhook.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/** How a receiver checks requests and what it does with their events. */
export interface ReceiverOptions {
  /** The subscription's signing secret, or several while you change from one to another. */
  secret: WebhookSecret
  /**
   * Called with each verified event. Once it returns, the request is acknowledged (204); when it throws, the answer is 500 and the
   * service tries again later. Answer within 15 seconds, and expect an event more than once: `event.id` stays the same.
   */
  onEvent: (event: WebhookEvent) => void | Promise<void>
  /** Told of every refused request (a `WebhookVerificationError`, answered by 400) and of what `onEvent` throws. @defaultValue console.error */
  onError?: ((error: unknown) => unknown) | undefined
  /** How far the signature's time may lie from this machine's clock, before or after. @defaultValue 300 */
  toleranceSeconds?: number | undefined
}

/** What a receiver answers. The text is kept with the delivery, where whoever looks for a fault finds it. */
export interface ReceiverAnswer {
  status: number
  text?: string
}

/** Verifies one request and hands its event on: the part that all receivers share. */
export async function receive(
  { secret, onEvent, onError = console.error, toleranceSeconds }: ReceiverOptions,
  header: SignatureHeader,
  readBody: () => RawBody | Promise<RawBody>,
): Promise<ReceiverAnswer> {
  try {
    await onEvent(await verifyWebhook(await readBody(), header, secret, { toleranceSeconds }))
    return { status: 204 }
  } catch (error) {
    // A logger that fails must not keep the answer from the service.
    notify(() => onError(error))
    if (!(error instanceof WebhookVerificationError)) return { status: 500, text: 'The receiver failed' }
    return { status: error.reason === 'invalid_secret' ? 500 : 400, text: `${error.reason}: ${error.message}` }
  }
}

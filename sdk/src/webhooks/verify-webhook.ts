import type { WebhookEvent } from '../generated/events.ts'
import { hmacSha256 } from './hmac-sha256.ts'
import { type RawBody, type SignatureHeader, type VerifyOptions, verification, type WebhookSecret } from './verification.ts'

/**
 * Checks that a webhook request comes from the service and is recent, and returns its event.
 *
 * @param rawBody the body exactly as it arrived, before any JSON parser
 * @param signatureHeader the `X-Webhook-Signature` header
 * @param secret the subscription's secret (`whsec_...`, the whole string), or several during a rotation
 * @throws {WebhookVerificationError} with the `reason`
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers.get('x-webhook-signature'), secret)
 * switch (event.event) {
 *   case 'order/created':
 *     console.log(event.data.order_tenant_id)
 * }
 */
export async function verifyWebhook(
  rawBody: RawBody,
  signatureHeader: SignatureHeader,
  secret: WebhookSecret,
  options?: VerifyOptions,
): Promise<WebhookEvent> {
  const steps = verification(rawBody, signatureHeader, secret, options)
  let step = steps.next()
  while (!step.done) step = steps.next(await hmacSha256(step.value.secret, step.value.message))
  return step.value
}

import { createHmac } from 'node:crypto'
import type { WebhookEvent } from '../generated/events.ts'
import { type RawBody, type SignatureHeader, type VerifyOptions, verification, type WebhookSecret } from './verification.ts'

/** {@link verifyWebhook} without a promise, for Node and runtimes that have `node:crypto`. */
export function verifyWebhookSync(
  rawBody: RawBody,
  signatureHeader: SignatureHeader,
  secret: WebhookSecret,
  options?: VerifyOptions,
): WebhookEvent {
  const steps = verification(rawBody, signatureHeader, secret, options)
  let step = steps.next()
  while (!step.done) step = steps.next(createHmac('sha256', step.value.secret).update(step.value.message).digest())
  return step.value
}

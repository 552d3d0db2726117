import { hmacSha256 } from './hmac-sha256.ts'
import { type RawBody, signedMessage, toBytes, toHex } from './verification.ts'

/**
 * The `X-Webhook-Signature` header that the service sends with this body, for tests of your receiver.
 *
 * @param timestamp the time of signing, by default now
 * @example
 * const body = JSON.stringify(testEvent('order/created'))
 * const response = await app.request('/webhooks', {
 *   method: 'POST',
 *   headers: { 'Content-Type': 'application/json', 'X-Webhook-Signature': await signWebhook(body, secret) },
 *   body,
 * })
 */
export async function signWebhook(rawBody: RawBody, secret: string, timestamp: Date = new Date()): Promise<string> {
  const t = String(Math.floor(timestamp.getTime() / 1_000))
  return `t=${t},v1=${toHex(await hmacSha256(secret, signedMessage(t, toBytes(rawBody))))}`
}

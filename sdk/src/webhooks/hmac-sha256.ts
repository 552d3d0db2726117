import { FulfillmentError } from '../fulfillment-error.ts'

/** HMAC-SHA256 by WebCrypto, which every runtime has. */
export async function hmacSha256(secret: string, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  // Absent on pages without https.
  if (!globalThis.crypto?.subtle)
    throw new FulfillmentError('WebCrypto (crypto.subtle) is missing here: use verifyWebhookSync, or https')
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, message))
}

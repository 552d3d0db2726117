import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

/** The signed content: the event id, the time of sending in Unix seconds, and the exact bytes of the body. */
export interface Signed {
  id: string
  time: number
  body: Buffer
}

/** The HMAC keys of a signing secret. */
export interface SigningKeys {
  /** For `X-Webhook-Signature`: the whole secret as text. */
  api: KeyObject
  /** For Standard Webhooks: the bytes that the part after `whsec_` encodes in base64. */
  standard: KeyObject
}

/** The keys of a secret, made once for many signatures. */
export function signingKeysOf(secret: string): SigningKeys {
  return {
    api: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
  }
}

/** `t=<time>,v1=<hex>`, with one `v1` for each secret. */
export function webhookSignature({ time, body }: Signed, secrets: readonly SigningKeys[]): string {
  const signatures = secrets.map(({ api }) => `v1=${createHmac('sha256', api).update(`${time}.`).update(body).digest('hex')}`)
  return [`t=${time}`, ...signatures].join(',')
}

/** The `webhook-signature` of Standard Webhooks. */
export function standardWebhooksSignature({ id, time, body }: Signed, secrets: readonly SigningKeys[]): string {
  return secrets
    .map(({ standard }) => `v1,${createHmac('sha256', standard).update(`${id}.${time}.`).update(body).digest('base64')}`)
    .join(' ')
}

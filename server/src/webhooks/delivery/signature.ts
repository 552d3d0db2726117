import { createHmac } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

/** What is signed: an event's id, the time of sending in Unix seconds, and the body's exact text. */
export interface Signed {
  id: string
  time: number
  body: string
}

/** `t=<time>,v1=<hex>`, with one `v1` for each secret. The key is the whole secret as text. */
export function webhookSignature({ time, body }: Signed, secrets: readonly string[]): string {
  return [
    `t=${time}`,
    ...secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`),
  ].join(',')
}

/** The `webhook-signature` of Standard Webhooks, whose key is the bytes that the part after `whsec_` stands for. */
export function standardWebhooksSignature({ id, time, body }: Signed, secrets: readonly string[]): string {
  return secrets
    .map((secret) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`)
    .join(' ')
}

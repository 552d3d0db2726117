import { WebhookVerificationError } from './webhook-verification-error.ts'

/** The `X-Webhook-Signature` header as frameworks provide it. */
export type SignatureHeader = string | readonly string[] | null | undefined

/**
 * Parses `t=<unix time>,v1=<hex>`. `t` occurs once, `v1` at least once (more often for 24 hours after a rotation of the secret). Other schemes are ignored,
 * so that the service can add one.
 */
export function parseSignatureHeader(header: SignatureHeader): { timestamp: string; signatures: string[] } {
  const text = headerText(header)
  if (!text) throw new WebhookVerificationError('missing_header', 'The X-Webhook-Signature header is missing.')
  const timestamps = []
  const signatures = []
  for (const part of text.split(',')) {
    const [, name, value] = /^(\w+)=(.+)$/.exec(part) ?? malformed(part)
    if (name === 't') timestamps.push(/^\d{1,11}$/.test(value!) ? value! : malformed(part))
    if (name === 'v1') signatures.push(/^[\da-f]{64}$/i.test(value!) ? value!.toLowerCase() : malformed(part))
  }
  if (timestamps.length !== 1 || !signatures[0]) malformed(text)
  return { timestamp: timestamps[0]!, signatures }
}

// Without TypeScript, a caller may pass all headers instead of this one.
function headerText(header: unknown): string {
  const values = [header ?? []].flat()
  if (values.every((value) => typeof value === 'string')) return values.join(',')
  throw new WebhookVerificationError('malformed_header', 'Pass the value of X-Webhook-Signature alone, which is text.')
}

function malformed(part: string): never {
  throw new WebhookVerificationError(
    'malformed_header',
    `The X-Webhook-Signature header must be t=<unix time>,v1=<64 hex digits>; it has ${JSON.stringify(part.slice(0, 80))}.`,
  )
}

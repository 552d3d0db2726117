import type { WebhookEvent } from '../generated/events.ts'
import { parseSignatureHeader } from './parse-signature-header.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/** The request body exactly as it arrived: text or bytes (a Node `Buffer` is a `Uint8Array`). */
export type RawBody = string | Uint8Array | ArrayBuffer

/** The `X-Webhook-Signature` header as frameworks hand it out. */
export type SignatureHeader = string | readonly string[] | null | undefined

/** The subscription's signing secret, or several of them while you change from one to another. */
export type WebhookSecret = string | readonly string[]

/** Settings of the verification. */
export interface VerifyOptions {
  /** How far the signature's time may lie from this machine's clock, before or after. @defaultValue 300 */
  toleranceSeconds?: number | undefined
  /** The time to check against, for tests. @defaultValue the present */
  now?: Date | undefined
}

/** The question that {@link verification} asks its driver: the HMAC-SHA256 of a message. */
export interface HmacQuestion {
  secret: string
  message: Uint8Array<ArrayBuffer>
}

/**
 * The rules of the verification, written once for WebCrypto (which answers later) and node:crypto (which answers at once):
 * a generator that asks for HMACs and returns the event.
 */
export function* verification(
  rawBody: RawBody,
  header: SignatureHeader,
  secret: WebhookSecret,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Generator<HmacQuestion, WebhookEvent, Uint8Array> {
  const secrets = assertSecrets(secret)
  const { timestamp, signatures } = parseSignatureHeader(header)
  const body = toBytes(rawBody)
  if (!(yield* isSigned(secrets, timestamp, body, signatures))) throw yield* mismatch(secrets, timestamp, body, signatures)
  assertFresh(Number(timestamp), Math.floor(now.getTime() / 1_000), toleranceSeconds)
  return parseEvent(body)
}

/** The bytes that a signature covers: `<t>.<raw body>`. */
export function signedMessage(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const prefix = new TextEncoder().encode(`${timestamp}.`)
  const message = new Uint8Array(prefix.length + body.length)
  message.set(prefix)
  message.set(body, prefix.length)
  return message
}

/** The bytes of a body, or an error that tells a parsed body from a raw one. */
export function toBytes(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  // By tag, since instanceof fails for a buffer of another realm (Jest runs tests in one).
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody)
  throw new WebhookVerificationError(
    'body_not_raw',
    `The body is ${rawBody == null ? 'missing' : 'neither text nor bytes: parsed already, or not read yet'}. Pass it as it arrived: read it before any JSON parser does.`,
  )
}

function* isSigned(
  secrets: readonly string[],
  timestamp: string,
  body: Uint8Array,
  signatures: readonly string[],
): Generator<HmacQuestion, boolean, Uint8Array> {
  const message = signedMessage(timestamp, body)
  let signed = false
  for (const secret of secrets) {
    const expected = toHex(yield { secret, message })
    for (const signature of signatures) signed = equalInConstantTime(signature, expected) || signed
  }
  return signed
}

// Says "re-serialised" only where that is proven: the body written anew is what was signed.
function* mismatch(
  secrets: readonly string[],
  timestamp: string,
  body: Uint8Array,
  signatures: readonly string[],
): Generator<HmacQuestion, WebhookVerificationError, Uint8Array> {
  const original = rewrite(body)
  if (original && (yield* isSigned(secrets, timestamp, original, signatures))) {
    return new WebhookVerificationError(
      'body_not_raw',
      'The body was parsed and written anew. Pass it as it arrived, byte for byte.',
    )
  }
  const hint = secrets.every((secret) => secret.startsWith('whsec_')) ? '' : ' A secret begins with whsec_, which is part of it.'
  return new WebhookVerificationError(
    'signature_mismatch',
    `No signature fits. Either the secret is not this subscription's, or the body is not the one that was sent.${hint}`,
  )
}

function rewrite(body: Uint8Array): Uint8Array | undefined {
  try {
    return toBytes(JSON.stringify(JSON.parse(new TextDecoder().decode(body))))
  } catch {
    return undefined
  }
}

function assertSecrets(secret: WebhookSecret): readonly string[] {
  const secrets = [secret].flat()
  if (secrets[0] && secrets.every((one) => typeof one === 'string' && /^\S+$/.test(one))) return secrets
  throw new WebhookVerificationError(
    'invalid_secret',
    'The secret is missing, empty, no text, or has white space in it (a line break at its end?).',
  )
}

// Written as "not within", so that a tolerance of NaN refuses everything instead of nothing.
function assertFresh(signedAt: number, now: number, toleranceSeconds: number): void {
  const age = now - signedAt
  if (Math.abs(age) <= toleranceSeconds) return
  const [reason, relation] = age < 0 ? (['timestamp_in_future', 'after'] as const) : (['timestamp_too_old', 'before'] as const)
  throw new WebhookVerificationError(
    reason,
    `Signed at ${iso(signedAt)}, ${Math.abs(age)} s ${relation} this machine's clock, ${iso(now)}; ${toleranceSeconds} s are allowed. A replayed request, or a wrong clock.`,
  )
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('invalid_json', 'The signature is right, but the body is not JSON.')
  }
}

function iso(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString()
}

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

// Both are 64 hex digits. No early exit: the time taken must not tell how many of them are right.
function equalInConstantTime(a: string, b: string): boolean {
  let difference = 0
  for (let i = 0; i < b.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

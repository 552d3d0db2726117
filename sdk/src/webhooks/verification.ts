import type { WebhookEvent } from '../generated/events.ts'
import { parseSignatureHeader, type SignatureHeader } from './parse-signature-header.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

export type { SignatureHeader }

/** The request body exactly as it arrived: text or bytes (a Node `Buffer` is a `Uint8Array`). */
export type RawBody = string | Uint8Array | ArrayBuffer

/** The subscription's signing secret, or several during a rotation. */
export type WebhookSecret = string | readonly string[]

/** Settings of the verification. */
export interface VerifyOptions {
  /** Maximum difference between the signature's timestamp and this machine's clock. @defaultValue 300 */
  toleranceSeconds?: number | undefined
  /** The time to compare the timestamp with, for tests. @defaultValue the current time */
  now?: Date | undefined
}

/** An HMAC-SHA256 that {@link verification} needs its caller to compute. */
export interface HmacRequest {
  secret: string
  message: Uint8Array<ArrayBuffer>
}

/**
 * The rules of the verification, shared by WebCrypto, which is asynchronous, and node:crypto, which is synchronous. A generator that yields
 * the HMACs to compute and returns the event.
 */
export function* verification(
  rawBody: RawBody,
  header: SignatureHeader,
  secret: WebhookSecret,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Generator<HmacRequest, WebhookEvent, Uint8Array> {
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

/** The bytes of a body. Throws if the body is parsed or missing. */
export function toBytes(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  // By tag, because instanceof fails for a buffer of another realm, such as Jest's.
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
): Generator<HmacRequest, boolean, Uint8Array> {
  const message = signedMessage(timestamp, body)
  let signed = false
  for (const secret of secrets) {
    const expected = toHex(yield { secret, message })
    for (const signature of signatures) signed = equalInConstantTime(signature, expected) || signed
  }
  return signed
}

// Reports a re-serialized body only if that is certain: the signature fits the body written as compact JSON.
function* mismatch(
  secrets: readonly string[],
  timestamp: string,
  body: Uint8Array,
  signatures: readonly string[],
): Generator<HmacRequest, WebhookVerificationError, Uint8Array> {
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

// Written so that a tolerance of NaN rejects every request instead of none.
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

// Both are 64 hex digits. No early exit: the duration must not reveal how many digits match.
function equalInConstantTime(a: string, b: string): boolean {
  let difference = 0
  for (let i = 0; i < b.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

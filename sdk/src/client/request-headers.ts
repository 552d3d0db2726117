import { FulfillmentError } from '../fulfillment-error.ts'
import { version } from '../generated/version.ts'
import type { RequestHeaders } from './options.ts'

/**
 * The caller's headers, overridden by the client's. A plain record, because every fetch accepts one, while some reject the `Headers` class
 * of another implementation.
 */
export function requestHeaders(
  own: RequestHeaders | undefined,
  fixed: Record<string, string | undefined>,
): Record<string, string> {
  const headers = new Headers({ Accept: 'application/json', ...runtimeHeaders() })
  for (const [name, value] of [...entries(own), ...Object.entries(fixed)]) {
    if (value !== undefined) setHeader(headers, name, value)
  }
  return Object.fromEntries(headers)
}

/** The `Idempotency-Key` in the caller's headers. */
export function ownIdempotencyKey(own: RequestHeaders | undefined): string | undefined {
  return entries(own).find(([name, value]) => name.toLowerCase() === 'idempotency-key' && value !== undefined)?.[1]
}

function entries(own: RequestHeaders = {}): (readonly [string, string | undefined])[] {
  return Symbol.iterator in own ? [...(own as Iterable<readonly [string, string]>)] : Object.entries(own)
}

// The runtime's TypeError quotes the value, which may be a secret.
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new FulfillmentError(
      `headers: ${JSON.stringify(name)} is no header name, or its value holds a line break or another character that no header may hold`,
    )
  }
}

// Not sent by browsers, where CORS would have to allow the header. Node 20 has no navigator.
function runtimeHeaders(): Record<string, string> {
  const isBrowser = globalThis.navigator?.userAgent?.startsWith('Mozilla')
  return isBrowser ? {} : { 'User-Agent': `fulfillment-sdk/${version}` }
}

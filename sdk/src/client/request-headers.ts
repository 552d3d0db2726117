import { FulfillmentError } from '../fulfillment-error.ts'
import { version } from '../generated/version.ts'
import type { RequestHeaders } from './options.ts'

/** The caller's headers with a value. */
export type HeaderEntries = readonly (readonly [name: string, value: string])[]

/**
 * The caller's headers, overridden by the client's. A plain record, because every fetch accepts one, while some reject the `Headers` class
 * of another implementation.
 */
export function requestHeaders(own: HeaderEntries, fixed: Record<string, string | undefined>): Record<string, string> {
  const headers = new Headers({ Accept: 'application/json', ...runtimeHeaders() })
  for (const [name, value] of [...own, ...Object.entries(fixed)]) {
    if (value !== undefined) setHeader(headers, name, value)
  }
  return Object.fromEntries(headers)
}

/** The `Idempotency-Key` in the caller's headers. */
export function ownIdempotencyKey(own: HeaderEntries): string | undefined {
  return own.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]
}

/** Reads the caller's headers. To be called once: they may be an iterator, which has nothing left for a second reader. */
export function headerEntries(own: RequestHeaders = {}): HeaderEntries {
  const all = Symbol.iterator in own ? [...(own as Iterable<readonly [string, string]>)] : Object.entries(own)
  return all.filter((header): header is [string, string] => header[1] !== undefined)
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

import type { Hooks } from './hooks.ts'

/** The part of `fetch` that the client calls. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Headers by name, or a `Headers` object. Headers with an undefined value are not sent. */
export type RequestHeaders = Record<string, string | undefined> | Iterable<readonly [string, string]>

/** Options of the client. */
export interface ClientOptions {
  /** The API key, `service_live_...` or `service_test_...`. It is sent as `X-API-Key` and never part of errors, logs or hooks. */
  apiKey: string
  /** The service's URL, for example `https://fulfillment.example.com`. It may have a path prefix and a trailing slash. */
  baseUrl: string | URL
  /** Maximum duration of one attempt, until its response is read. @defaultValue 30000 */
  timeoutMs?: number | undefined
  /**
   * Maximum number of retries after a network error, a timeout, 408, 429, 5xx, or while an earlier attempt is still running. 0 turns
   * retries off. @defaultValue 2
   */
  maxRetries?: number | undefined
  /**
   * Maximum size of a response, in bytes after decompression. A larger one is cancelled, and the call rejects with a
   * `ResponseTooLargeError`. A page of 100 orders with all details can have tens of megabytes. @defaultValue 104857600
   */
  maxResponseBytes?: number | undefined
  /** Your own `fetch`, for a proxy, a custom agent or tests. @defaultValue globalThis.fetch */
  fetch?: Fetch | undefined
  /** Called for each request and response: for logs, metrics and traces. */
  hooks?: Hooks | undefined
}

/** Options of one call. They override the client's. */
export interface RequestOptions {
  /** Aborts the call and its retries. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Maximum duration of one attempt. */
  timeoutMs?: number | undefined
  /** Maximum number of retries. */
  maxRetries?: number | undefined
  /** Maximum size of the response, in bytes after decompression. */
  maxResponseBytes?: number | undefined
  /** Additional request headers, for example `X-Request-Id` or `traceparent`. They cannot replace `X-API-Key` and `Content-Type`. */
  headers?: RequestHeaders | undefined
}

/** Options of one POST, PUT or DELETE call. */
export interface WriteOptions extends RequestOptions {
  /**
   * Makes the call safe to repeat: for a second request with the same key and body, the service returns the response of the first.
   * All attempts of a call share one key, by default a random one. Pass your own to repeat the call safely after a crash, here or as
   * `Idempotency-Key` in `headers`; if both are given, this one is used. 1 to 255 ASCII characters, stored for 24 hours.
   */
  idempotencyKey?: string | undefined
}

/** The earlier name of {@link WriteOptions}. */
export interface PostOptions extends WriteOptions {}

/** The client's options with all defaults filled in. */
export interface TransportOptions {
  apiKey: string
  baseUrl: string
  timeoutMs: number
  maxRetries: number
  maxResponseBytes: number
  fetch: Fetch
  hooks: Hooks
}

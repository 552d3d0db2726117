import type { Hooks } from './hooks.ts'

/** The part of `fetch` that the client calls. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Headers by name, or a `Headers` object. One whose value is undefined is not sent. */
export type RequestHeaders = Record<string, string | undefined> | Iterable<readonly [string, string]>

/** How to reach the service. */
export interface ClientOptions {
  /** The API key, `service_live_...` or `service_test_...`. It is sent as `X-API-Key` and appears in no error, log line or hook. */
  apiKey: string
  /** Where the service runs, for example `https://fulfillment.example.com`. A path prefix and a trailing slash are fine. */
  baseUrl: string | URL
  /** How long one attempt may take, until its answer is read. @defaultValue 30000 */
  timeoutMs?: number | undefined
  /**
   * How often to try again after a network error, a time-out, 408, 429, 5xx, or while an earlier attempt is still running. 0 turns
   * retries off. @defaultValue 2
   */
  maxRetries?: number | undefined
  /**
   * How large an answer may be, in bytes after decompression. A larger one is not read to its end: the call rejects with a
   * `ResponseTooLargeError`. A page of 100 orders with all details can have some tens of megabytes. @defaultValue 104857600
   */
  maxResponseBytes?: number | undefined
  /** Your own `fetch`, for a proxy, a custom agent or tests. @defaultValue globalThis.fetch */
  fetch?: Fetch | undefined
  /** Called as requests go out and answers come in: for logs, metrics and traces. */
  hooks?: Hooks | undefined
}

/** Settings of one call; they go before the client's. */
export interface RequestOptions {
  /** Ends the call, and the wait between its attempts. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take. */
  timeoutMs?: number | undefined
  /** How often to try again. */
  maxRetries?: number | undefined
  /** How large the answer may be, in bytes after decompression. */
  maxResponseBytes?: number | undefined
  /** Additional request headers, for example `X-Request-Id` or `traceparent`. They cannot replace those that the client sets itself. */
  headers?: RequestHeaders | undefined
}

/** Settings of one POST, PUT or DELETE call. */
export interface WriteOptions extends RequestOptions {
  /**
   * Makes the call safe to repeat: the service answers a second request with the same key and body as it answered the
   * first. All attempts of a call share one key, by default a random one. Pass your own to repeat the call safely after
   * a crash, here or as `Idempotency-Key` among the `headers`; this one is taken when both are given. 1 to 255 ASCII characters,
   * kept for 24 hours.
   */
  idempotencyKey?: string | undefined
}

/** The earlier name of {@link WriteOptions}. */
export interface PostOptions extends WriteOptions {}

/** The client's options with every default filled in. */
export interface TransportOptions {
  apiKey: string
  baseUrl: string
  timeoutMs: number
  maxRetries: number
  maxResponseBytes: number
  fetch: Fetch
  hooks: Hooks
}

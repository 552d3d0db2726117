import type { Hooks } from './hooks.ts'

/** The part of `fetch` that the client calls. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How to reach the service. */
export interface ClientOptions {
  /** The API key, `service_live_...` or `service_test_...`. It is sent as `X-API-Key` and appears in no error, log line or hook. */
  apiKey: string
  /** Where the service runs, for example `https://fulfillment.example.com`. A path prefix and a trailing slash are fine. */
  baseUrl: string
  /** How long one attempt may take, until its answer is read. @defaultValue 30000 */
  timeoutMs?: number
  /** How often to try again after a network error, a time-out, 408, 429 or 5xx. 0 turns retries off. @defaultValue 2 */
  maxRetries?: number
  /** Your own `fetch`, for a proxy, a custom agent or tests. @defaultValue globalThis.fetch */
  fetch?: Fetch
  /** Called as requests go out and answers come in: for logs, metrics and traces. */
  hooks?: Hooks
}

/** Settings of one call; they go before the client's. */
export interface RequestOptions {
  /** Ends the call, and the wait between its attempts. The call rejects with the signal's reason. */
  signal?: AbortSignal
  /** How long one attempt may take. */
  timeoutMs?: number
  /** How often to try again. */
  maxRetries?: number
  /** Additional request headers, for example `X-Request-Id` or `traceparent`. */
  headers?: Record<string, string>
}

/** Settings of one POST call. */
export interface PostOptions extends RequestOptions {
  /**
   * Makes the call safe to repeat: the service answers a second request with the same key and body as it answered the
   * first. All attempts of a call share one key, by default a random one. Pass your own to repeat the call safely after
   * a crash, here or among the `headers`. 1 to 255 characters, kept for 24 hours.
   */
  idempotencyKey?: string
}

import { version } from '../generated/version.ts'
import { FulfillmentError } from '../fulfillment-error.ts'
import { APIPromise, type WithResponse } from './api-promise.ts'
import { attemptSignal, sleep } from './attempt-signal.ts'
import { ConnectionError, TimeoutError } from './connection-error.ts'
import type { Hooks, RequestStarted } from './hooks.ts'
import type { Fetch, PostOptions } from './options.ts'
import { PagePromise } from './page-promise.ts'
import { readAnswer } from './read-answer.ts'
import { type PathId, type Query, requestUrl } from './request-url.ts'
import { retryDelayMs } from './retry-delay.ts'

/** The client's options with every default filled in. */
export interface TransportOptions {
  apiKey: string
  baseUrl: string
  timeoutMs: number
  maxRetries: number
  fetch: Fetch
  hooks: Hooks
}

/** What varies from call to call of one operation. */
export interface CallInput {
  ids?: readonly PathId[]
  query?: object | undefined
  body?: unknown
  options?: PostOptions | undefined
}

interface PreparedRequest {
  event: RequestStarted
  headers: Record<string, string>
  body: string | undefined
  timeoutMs: number
  maxRetries: number
  signal: AbortSignal | undefined
}

/** Sends the calls of all resources. */
export class Transport {
  // Private in the language's sense: no console.log or JSON.stringify of a client shows the key.
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  request<T>(method: string, route: string, input: CallInput): APIPromise<T> {
    return new APIPromise(this.#send<T>(method, route, input))
  }

  list<P, Item>(route: string, itemsKey: string, input: CallInput): PagePromise<P, Item> {
    return new PagePromise<P, Item>(this.#send<P>('GET', route, input), itemsKey, (changed) =>
      this.request<P>('GET', route, { ...input, query: { ...input.query, ...changed } }),
    )
  }

  async #send<T>(method: string, route: string, input: CallInput): Promise<WithResponse<T>> {
    const request = this.#prepare(method, route, input)
    try {
      return await this.#withRetries<T>(request)
    } catch (error) {
      this.#options.hooks.onError?.({ ...request.event, error })
      throw error
    }
  }

  async #withRetries<T>(request: PreparedRequest): Promise<WithResponse<T>> {
    const { hooks } = this.#options
    for (; ; request.event.attempt++) {
      const event = { ...request.event }
      hooks.onRequest?.(event)
      try {
        return await this.#attempt<T>(request, event)
      } catch (error) {
        const delayMs = event.attempt > request.maxRetries ? undefined : retryDelayMs(error, event.attempt)
        if (delayMs === undefined) throw error
        hooks.onRetry?.({ ...event, error: error as Error, delayMs })
        await sleep(delayMs, request.signal)
      }
    }
  }

  // Everything that all attempts share, above all the idempotency key.
  #prepare(method: string, route: string, { ids = [], query = {}, body, options = {} }: CallInput): PreparedRequest {
    const { apiKey, baseUrl } = this.#options
    const { timeoutMs = this.#options.timeoutMs, maxRetries = this.#options.maxRetries } = options
    assertLimits(timeoutMs, maxRetries)
    const idempotencyKey = method === 'POST' ? (options.idempotencyKey ?? ownKey(options.headers) ?? randomKey()) : undefined
    return {
      event: { method, url: requestUrl(baseUrl, route, ids, query as Query), route, attempt: 1, idempotencyKey },
      headers: requestHeaders(options.headers, {
        'X-API-Key': apiKey,
        'Idempotency-Key': idempotencyKey,
        'Content-Type': body === undefined ? undefined : 'application/json',
      }),
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs,
      maxRetries,
      signal: options.signal,
    }
  }

  async #attempt<T>(request: PreparedRequest, event: RequestStarted): Promise<WithResponse<T>> {
    const { hooks } = this.#options
    const startedAt = performance.now()
    const { response, text } = await this.#exchange(request, event)
    const requestId = response.headers.get('X-Request-Id') ?? undefined
    hooks.onResponse?.({ ...event, status: response.status, durationMs: performance.now() - startedAt, requestId })
    return { data: readAnswer(response, text) as T, response, requestId }
  }

  async #exchange(
    request: PreparedRequest,
    { method, url, attempt }: RequestStarted,
  ): Promise<{ response: Response; text: string }> {
    // Called bare: Workers demand it, and a method call would hand the options, key included, to a custom fetch as `this`.
    const { fetch } = this.#options
    const { headers, body, timeoutMs, signal } = request
    const limit = attemptSignal(timeoutMs, signal)
    try {
      // Redirects are not followed: fetch would hand X-API-Key on to whatever host they name.
      const response = await fetch(url, { method, headers, body, redirect: 'manual', signal: limit.signal })
      return { response, text: await response.text() }
    } catch (cause) {
      signal?.throwIfAborted()
      const call = `${method} ${withoutQuery(url)}`
      if (limit.timedOut()) throw new TimeoutError(`${call}: no answer within ${timeoutMs} ms (attempt ${attempt})`, { cause })
      throw new ConnectionError(`${call}: ${describe(cause)} (attempt ${attempt})`, { cause })
    } finally {
      limit.release()
    }
  }
}

// Written as "not above", so that NaN is refused too: with it retries would never end.
function assertLimits(timeoutMs: number, maxRetries: number): void {
  if (!(timeoutMs > 0)) throw new FulfillmentError(`timeoutMs must be above 0, not ${timeoutMs}`)
  if (!(maxRetries >= 0)) throw new FulfillmentError(`maxRetries must be 0 or more, not ${maxRetries}`)
}

// A plain record, because any fetch takes one, whereas some refuse the Headers class of another implementation.
function requestHeaders(own: Record<string, string> = {}, fixed: Record<string, string | undefined>): Record<string, string> {
  const headers = new Headers({ Accept: 'application/json', ...runtimeHeaders(), ...own })
  for (const [name, value] of Object.entries(fixed)) {
    if (value !== undefined) headers.set(name, value)
  }
  return Object.fromEntries(headers)
}

function ownKey(headers: Record<string, string> = {}): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]
}

// Not in browsers, where the header would have to pass the CORS preflight. Node 20 has no navigator.
function runtimeHeaders(): Record<string, string> {
  const isBrowser = globalThis.navigator?.userAgent?.startsWith('Mozilla')
  return isBrowser ? {} : { 'User-Agent': `fulfillment-sdk/${version}` }
}

// Not crypto.randomUUID, which browsers have on https pages only.
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

// Filters may hold customer names, which do not belong in error messages.
function withoutQuery(url: string): string {
  return url.split('?', 1)[0]!
}

// "fetch failed" alone helps nobody: what happened is in the error's cause.
function describe(error: unknown): string {
  const { message, cause } = (error ?? {}) as { message?: string; cause?: { message?: string; code?: string } }
  const reason = cause?.message || cause?.code
  return [message ?? String(error), reason && `(${reason})`].filter(Boolean).join(' ')
}

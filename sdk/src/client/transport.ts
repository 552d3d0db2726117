import { notify } from '../notify.ts'
import { APIPromise, type WithResponse } from './api-promise.ts'
import { sleep } from './attempt-signal.ts'
import { copyInput } from './copy-input.ts'
import { exchange } from './exchange.ts'
import type { HookFailed, Hooks, RequestStarted } from './hooks.ts'
import type { TransportOptions } from './options.ts'
import { PagePromise } from './page-promise.ts'
import { type CallInput, type PreparedRequest, prepareRequest } from './prepare-request.ts'
import { readResponse } from './read-response.ts'
import { retryDelayMs } from './retry-delay.ts'

/** Sends the calls of all resources. */
export class Transport {
  // A private field, so that console.log and JSON.stringify of a client do not show the key.
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  request<T>(method: string, route: string, input: CallInput): APIPromise<T> {
    const sent = this.#send<T>(method, route, input)
    return new APIPromise(() => sent)
  }

  // The request is sent once the promise is awaited, so that a list that is iterated later, or never, has no unhandled rejection.
  list<P, Item>(route: string, itemsKey: string, input: CallInput): PagePromise<P, Item> {
    const called = copyInput(input)
    return new PagePromise<P, Item>(itemsKey, (changed) =>
      this.#send<P>('GET', route, { ...called, itemsKey, query: changed ? { ...called.query, ...changed } : called.query }),
    )
  }

  async #send<T>(method: string, route: string, input: CallInput): Promise<WithResponse<T>> {
    const request = prepareRequest(this.#options, method, route, input)
    try {
      return await this.#withRetries<T>(request)
    } catch (error) {
      this.#tell('onError', request.event, { error })
      throw error
    }
  }

  async #withRetries<T>(request: PreparedRequest): Promise<WithResponse<T>> {
    const { event } = request
    for (; ; event.attempt++) {
      this.#tell('onRequest', event)
      try {
        return await this.#attempt<T>(request)
      } catch (error) {
        const delayMs = event.attempt > request.maxRetries ? undefined : retryDelayMs(error, event.attempt)
        if (delayMs === undefined) throw error
        this.#tell('onRetry', event, { error, delayMs })
        await sleep(delayMs, request.signal)
      }
    }
  }

  async #attempt<T>(request: PreparedRequest): Promise<WithResponse<T>> {
    // Called without a receiver: Workers require it, and a method call would pass the options with the key to a custom fetch as `this`.
    const { fetch } = this.#options
    const startedAt = performance.now()
    const { response, text } = await exchange(fetch, request)
    const requestId = response.headers.get('X-Request-Id') ?? undefined
    this.#tell('onResponse', request.event, { status: response.status, durationMs: performance.now() - startedAt, requestId })
    return { data: readResponse(response, text, request.itemsKey) as T, response, requestId }
  }

  // Each hook gets its own copy, so that a hook cannot change the request.
  #tell(hook: HookFailed['hook'], request: RequestStarted, more: object = {}): void {
    const { hooks } = this.#options
    const event = { ...request }
    notify(
      () => (hooks[hook] as Hooks['onRequest'])?.({ ...event, ...more }),
      (error) => (hooks.onHookError ? hooks.onHookError({ ...event, hook, error }) : console.error(error)),
    )
  }
}

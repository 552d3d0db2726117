/** The data of a response, and the response itself. */
export interface WithResponse<T> {
  data: T
  /** Status and headers. The body has already been read. */
  response: Response
  /** The `X-Request-Id` of the response. */
  requestId: string | undefined
}

/** A call: `await` it for the data, or use {@link APIPromise.withResponse} for the HTTP response as well. */
export class APIPromise<T> implements Promise<T> {
  readonly #start: () => Promise<WithResponse<T>>
  #response: Promise<WithResponse<T>> | undefined
  readonly [Symbol.toStringTag] = 'APIPromise'

  /** @internal */
  constructor(start: () => Promise<WithResponse<T>>) {
    this.#start = start
  }

  /**
   * The data together with the HTTP response and the request id.
   *
   * @example
   * const { data, response, requestId } = await client.orders.get(42).withResponse()
   * console.log(response.headers.get('RateLimit-Remaining'), requestId)
   */
  withResponse(): Promise<WithResponse<T>> {
    return (this.#response ??= this.#start())
  }

  // Reasons have the type any, as in the built-in Promise, so that handlers written for it fit.
  // oxlint-disable-next-line unicorn/no-thenable
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    // oxlint-disable-next-line typescript/no-explicit-any
    onRejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#data().then(onFulfilled, onRejected)
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  catch<B = never>(onRejected?: ((reason: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#data().catch(onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.#data().finally(onFinally)
  }

  // Created on demand: a caller that only uses withResponse() must not get a second, unhandled rejection.
  #data(): Promise<T> {
    return this.withResponse().then(({ data }) => data)
  }
}

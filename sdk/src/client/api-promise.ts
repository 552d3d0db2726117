/** The data of an answer together with the answer itself. */
export interface WithResponse<T> {
  data: T
  /** Status and headers; the body has been read already. */
  response: Response
  /** The `X-Request-Id` of the answer. */
  requestId: string | undefined
}

/** A call under way: `await` it for the data, or ask for the answer around it with {@link APIPromise.withResponse}. */
export class APIPromise<T> implements Promise<T> {
  readonly #start: () => Promise<WithResponse<T>>
  #answer: Promise<WithResponse<T>> | undefined
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
    return (this.#answer ??= this.#start())
  }

  // The reasons are any, as in the language's own Promise: handlers written for that must fit here.
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

  // Derived only when asked for: a caller who takes withResponse() alone must not be left with a second,
  // unhandled rejection.
  #data(): Promise<T> {
    return this.withResponse().then(({ data }) => data)
  }
}

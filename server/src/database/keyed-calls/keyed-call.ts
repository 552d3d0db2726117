/**
 * A call with an `Idempotency-Key`, as seen by the transaction that executes it, alone or in a batch. The transaction claims the key, runs
 * the call's statements, waits for the `response`, and stores it.
 */
export class KeyedCall {
  readonly tenantId: number
  readonly key: string
  /** Equal for equal requests. */
  readonly requestHash: Buffer
  /** Whether the transaction has locked the key: no other request runs with it. A stored response is found when the call stores its own. */
  isClaimed = false
  readonly #response = Promise.withResolvers<Buffer | undefined>()
  readonly #committed = Promise.withResolvers<undefined>()

  constructor(tenantId: number, key: string, requestHash: Buffer) {
    this.tenantId = tenantId
    this.key = key
    this.requestHash = requestHash
    // Nobody waits for this promise when the call's work failed.
    this.#committed.promise.catch(() => {})
  }

  /** The encrypted response to store when the call's work is done; undefined when the work failed and nothing is stored. */
  get response(): Promise<Buffer | undefined> {
    return this.#response.promise
  }

  /** The call's work is done. Resolves when the change and the response are committed; rejects when neither is. */
  succeeded(response: Buffer): Promise<undefined> {
    this.#response.resolve(response)
    return this.#committed.promise
  }

  /** The call's work failed. */
  failed(): void {
    this.#response.resolve(undefined)
  }

  /** Resolves when the transaction has ended, whether committed or not. */
  get over(): Promise<undefined> {
    return this.#committed.promise.catch(() => undefined)
  }

  /** The transaction has ended. With an error it was rolled back, or its outcome is unknown. */
  ended(error?: unknown): void {
    if (error === undefined) this.#committed.resolve(undefined)
    else this.#committed.reject(error)
  }
}

/** The request that a hook is told about. The API key is not in it. */
export interface RequestStarted {
  method: string
  url: string
  /** The path with its placeholders, such as `/api/v1/orders/{id}`: a good label for metrics. */
  route: string
  /** 1 for the first try. */
  attempt: number
  /** The `Idempotency-Key` of a POST. */
  idempotencyKey: string | undefined
}

/** An answer, of whatever status. */
export interface ResponseReceived extends RequestStarted {
  status: number
  durationMs: number
  requestId: string | undefined
}

/** An attempt that failed and will be repeated. */
export interface RetryScheduled extends RequestStarted {
  error: Error
  delayMs: number
}

/** A call that failed for good, with the error that its caller gets. */
export interface CallFailed extends RequestStarted {
  error: unknown
}

/**
 * Called synchronously as a request goes on its way. Hooks observe: whatever they return is ignored, and what they throw reaches the caller.
 *
 * @example
 * const hooks = { onResponse: (e) => logger.info(`${e.method} ${e.route} ${e.status} ${e.durationMs} ms ${e.requestId}`) }
 */
export interface Hooks {
  /** Before every attempt. */
  onRequest?(event: RequestStarted): void
  /** After every answer. */
  onResponse?(event: ResponseReceived): void
  /** Before the wait that precedes another attempt. */
  onRetry?(event: RetryScheduled): void
  /** When the call fails for good. */
  onError?(event: CallFailed): void
}

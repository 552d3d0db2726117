/** The request that a hook is told about. The API key is not in it. */
export interface RequestStarted {
  method: string
  url: string
  /** The path with its placeholders, such as `/api/v1/orders/{id}`: a good label for metrics. */
  route: string
  /** 1 for the first try. */
  attempt: number
  /** The `Idempotency-Key` of a POST, PUT or DELETE. */
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

/** A hook that failed itself. */
export interface HookFailed extends RequestStarted {
  hook: 'onRequest' | 'onResponse' | 'onRetry' | 'onError'
  /** What the hook threw, or its promise rejected with. */
  error: unknown
}

/**
 * Called synchronously as a request goes on its way. Hooks only observe: what they return is ignored, a promise of theirs is not waited for,
 * and what they throw goes to `onHookError` and changes nothing for the caller.
 *
 * @example
 * const hooks = { onResponse: (e) => logger.info(`${e.method} ${e.route} ${e.status} ${e.durationMs} ms ${e.requestId}`) }
 */
export interface Hooks {
  /** Before every attempt. */
  onRequest?: ((event: RequestStarted) => unknown) | undefined
  /** After every answer, once its body is read. */
  onResponse?: ((event: ResponseReceived) => unknown) | undefined
  /** Before the wait that precedes another attempt. */
  onRetry?: ((event: RetryScheduled) => unknown) | undefined
  /** When the call fails for good. */
  onError?: ((event: CallFailed) => unknown) | undefined
  /** When another hook throws or rejects. @defaultValue `console.error` of the error */
  onHookError?: ((event: HookFailed) => unknown) | undefined
}

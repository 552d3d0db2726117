/** A request, as passed to hooks. It does not contain the API key. */
export interface RequestStarted {
  method: string
  url: string
  /** The path with placeholders, such as `/api/v1/orders/{id}`. Use it as a label of metrics. */
  route: string
  /** 1 for the first attempt. */
  attempt: number
  /** The `Idempotency-Key` of a POST, PUT or DELETE. */
  idempotencyKey: string | undefined
}

/** A response, of any status. */
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

/** A call that failed and is not retried, with the error that its caller gets. */
export interface CallFailed extends RequestStarted {
  error: unknown
}

/** A hook that threw or rejected. */
export interface HookFailed extends RequestStarted {
  hook: 'onRequest' | 'onResponse' | 'onRetry' | 'onError'
  /** The error that the hook threw or its promise rejected with. */
  error: unknown
}

/**
 * Functions that the client calls synchronously during a call. Hooks only observe: return values are ignored, promises are not awaited, and
 * errors go to `onHookError` without affecting the call.
 *
 * @example
 * const hooks = { onResponse: (e) => logger.info(`${e.method} ${e.route} ${e.status} ${e.durationMs} ms ${e.requestId}`) }
 */
export interface Hooks {
  /** Before every attempt. */
  onRequest?: ((event: RequestStarted) => unknown) | undefined
  /** After every response, once its body is read. */
  onResponse?: ((event: ResponseReceived) => unknown) | undefined
  /** Before the wait for the next attempt. */
  onRetry?: ((event: RetryScheduled) => unknown) | undefined
  /** When the call fails and is not retried. */
  onError?: ((event: CallFailed) => unknown) | undefined
  /** When another hook throws or rejects. @defaultValue `console.error` of the error */
  onHookError?: ((event: HookFailed) => unknown) | undefined
}

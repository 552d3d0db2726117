import { APIError } from '@fulfillment/sdk'

/**
 * Whether an error leaves open if the call was carried out: the service is busy or failed, a proxy responded, the response broke off, or
 * an earlier try is still running. Repeating the call with the same `Idempotency-Key` finds out.
 */
export function isUnanswered(error: APIError): boolean {
  const { status } = error
  return status === 408 || status === 429 || status >= 500 || isUnreadable(error) || isStillRunning(error)
}

/** Whether the response is not the server's, such as the page of a proxy, or could not be read. Its status says nothing of the call. */
export function isUnreadable({ code }: APIError): boolean {
  return code === 'unexpected_response'
}

/** Whether the server says that there is no such thing. */
export function isMissing(error: unknown): boolean {
  return error instanceof APIError && error.status === 404 && !isUnreadable(error)
}

/** Whether an earlier try with the same `Idempotency-Key` is still running. Without `Retry-After`, the key was used for another request. */
export function isStillRunning(error: unknown): boolean {
  return error instanceof APIError && error.code === 'idempotency_conflict' && error.retryAfterMs !== undefined
}

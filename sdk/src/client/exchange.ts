import { FulfillmentError } from '../fulfillment-error.ts'
import { attemptSignal } from './attempt-signal.ts'
import { ConnectionError, TimeoutError } from './connection-error.ts'
import type { Fetch } from './options.ts'
import type { PreparedRequest } from './prepare-request.ts'
import { readText } from './read-text.ts'

/** Sends one attempt and reads the response. Throws a {@link ConnectionError} if none arrives. */
export async function exchange(fetch: Fetch, request: PreparedRequest): Promise<{ response: Response; text: string }> {
  const { headers, body, timeoutMs, maxResponseBytes, signal } = request
  const { method, url, attempt } = request.event
  const limit = attemptSignal(timeoutMs, signal)
  try {
    if (signal?.aborted) throw signal.reason
    // Redirects are not followed: fetch would send X-API-Key to the host that they name.
    const response = await limit.race(
      fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal: limit.signal }),
    )
    assertResponse(response)
    return { response, text: await limit.race(readText(response, maxResponseBytes, limit.signal)) }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (cause instanceof FulfillmentError) throw cause
    const call = `${method} ${withoutQuery(url)}`
    if (limit.timedOut()) throw new TimeoutError(`${call}: no response within ${timeoutMs} ms (attempt ${attempt})`, { cause })
    throw new ConnectionError(`${call}: ${describe(cause)} (attempt ${attempt})`, { cause })
  } finally {
    limit.release()
  }
}

// A custom fetch may be a wrapper or a mock.
function assertResponse(response: Response): void {
  if (typeof response?.status !== 'number' || typeof response.headers?.get !== 'function')
    throw new FulfillmentError('The fetch of the options did not return a Response')
  if (response.bodyUsed) throw new FulfillmentError('The fetch of the options has read the body: let it read a response.clone()')
}

// Filters may contain customer names, which must not appear in error messages.
function withoutQuery(url: string): string {
  return url.split('?', 1)[0]!
}

// The message is often just "fetch failed". The reason is in the error's cause.
function describe(error: unknown): string {
  const { message, cause } = (error ?? {}) as { message?: string; cause?: { message?: string; code?: string } }
  const reason = cause?.message || cause?.code
  return [message ?? String(error), reason && `(${reason})`].filter(Boolean).join(' ')
}

import { APIError, ConnectionError, FulfillmentClient } from '@fulfillment/sdk'
import { type Mode, pageFetch, type PageFetchOptions } from './page-fetch.ts'

export { APIError, ConnectionError, FulfillmentClient }
export type { Mode }

/** A session, as the server describes it to its page. */
export interface Session {
  id: number
  tenant: { id: number; name: string }
  key: { id: number; name: string; prefix: string; expires_at: string | null }
  scopes: string[]
  modes: Mode[]
  created_at: string
  expires_at: string
  idle_expires_at: string
  public_url: string | null
  version: string
}

/**
 * The SDK's client of a page. It does not retry by itself: the page shows that it waits, and counts down.
 */
export function pageClient(options: PageFetchOptions): FulfillmentClient {
  return new FulfillmentClient({
    baseUrl: `${location.origin}/${options.app}`,
    apiKey: 'session',
    maxRetries: 0,
    fetch: pageFetch(options),
  })
}

/** As in the SDK. */
const TIMEOUT_MS = 30_000

interface Envelope<T> {
  data?: T
  error?: { code: APIError['code']; message: string }
}

/** A call of the session's own endpoints, which are no part of the public API and so not of the SDK. */
export async function sessionCall<T>(
  options: PageFetchOptions,
  method: string,
  path: string,
  { body, timeoutMs = TIMEOUT_MS }: { body?: unknown; timeoutMs?: number } = {},
): Promise<T> {
  const headers: HeadersInit = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const signal = AbortSignal.timeout(timeoutMs)
  const init = { method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const noAnswer = (cause: unknown): never => {
    throw new ConnectionError('No connection', { cause })
  }
  const response = await pageFetch(options)(`/${options.app}${path}`, init).catch(noAnswer)
  const envelope = (await response.json().catch((error: unknown) => (signal.aborted ? noAnswer(error) : {}))) as Envelope<T>
  if (response.ok && envelope.data !== undefined) return envelope.data
  const { code = 'unexpected_response', message = `HTTP ${response.status}` } = envelope.error ?? {}
  const retryAfter = Number(response.headers.get('Retry-After') ?? NaN)
  throw new APIError({
    status: response.status,
    code,
    message,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1000 : undefined,
  })
}

/** Whether the session has ended or there never was one. This code is the pages' own: the API's document does not have it. */
export function isNoSession(error: unknown): boolean {
  return error instanceof APIError && (error.code as string) === 'no_session'
}

/** How long the server asks to wait before the next try; undefined for errors that waiting does not mend. */
export function waitOf(error: unknown): number | undefined {
  if (!(error instanceof APIError)) return undefined
  return error.status === 429 || error.status === 503 ? Math.max(error.retryAfterMs ?? 1_000, 1_000) : undefined
}

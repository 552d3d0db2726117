import { FulfillmentError } from '../fulfillment-error.ts'
import { randomHex } from '../random-hex.ts'
import type { RequestStarted } from './hooks.ts'
import type { TransportOptions, WriteOptions } from './options.ts'
import { requestBody } from './request-body.ts'
import { headerEntries, ownIdempotencyKey, requestHeaders } from './request-headers.ts'
import { type PathId, type Query, requestUrl } from './request-url.ts'

/** The arguments of one call of an operation. */
export interface CallInput {
  ids?: readonly PathId[]
  query?: object | undefined
  body?: unknown
  options?: WriteOptions | undefined
  /** For a list: the name of the items in `data`. */
  itemsKey?: string
}

/** The parts of a request that all attempts of a call share, such as the idempotency key. */
export interface PreparedRequest {
  event: RequestStarted
  headers: Record<string, string>
  body: string | undefined
  itemsKey: string | undefined
  timeoutMs: number
  maxRetries: number
  maxResponseBytes: number
  signal: AbortSignal | undefined
}

/** Builds the request of a call. Throws a {@link FulfillmentError} for input that cannot be sent. */
export function prepareRequest(client: TransportOptions, method: string, route: string, input: CallInput): PreparedRequest {
  const { ids = [], itemsKey } = input
  const { signal, headers: given, ...options } = input.options ?? {}
  const headers = headerEntries(given)
  const limits = callLimits(client, options)
  assertSignal(signal)
  const body = requestBody(input.body)
  const idempotencyKey = method === 'GET' ? undefined : (options.idempotencyKey ?? ownIdempotencyKey(headers) ?? randomHex())
  assertIdempotencyKey(idempotencyKey)
  return {
    event: {
      method,
      url: requestUrl(client.baseUrl, route, ids, (input.query ?? {}) as Query),
      route,
      attempt: 1,
      idempotencyKey,
    },
    headers: requestHeaders(headers, {
      'X-API-Key': client.apiKey,
      'Idempotency-Key': idempotencyKey,
      'Content-Type': body === undefined ? undefined : 'application/json',
    }),
    body,
    itemsKey,
    ...limits,
    signal,
  }
}

// Written as "not above", so that NaN is rejected too: retries with NaN would never end.
function callLimits(client: TransportOptions, options: WriteOptions) {
  const { timeoutMs = client.timeoutMs, maxRetries = client.maxRetries, maxResponseBytes = client.maxResponseBytes } = options
  if (!(timeoutMs > 0)) throw new FulfillmentError(`timeoutMs must be above 0, not ${timeoutMs}`)
  if (!(maxRetries >= 0)) throw new FulfillmentError(`maxRetries must be 0 or more, not ${maxRetries}`)
  if (!(maxResponseBytes > 0)) throw new FulfillmentError(`maxResponseBytes must be above 0, not ${maxResponseBytes}`)
  return { timeoutMs, maxRetries, maxResponseBytes }
}

function assertSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined || typeof signal?.addEventListener === 'function') return
  throw new FulfillmentError('signal must be an AbortSignal: give controller.signal, not the controller')
}

function assertIdempotencyKey(key: string | undefined): void {
  if (key === undefined || (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key) && key.trim() === key)) return
  throw new FulfillmentError(`idempotencyKey must be 1 to 255 ASCII characters without spaces around, not ${JSON.stringify(key)}`)
}

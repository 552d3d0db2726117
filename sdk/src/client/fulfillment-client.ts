import { FulfillmentError } from '../fulfillment-error.ts'
import { API_PREFIX } from '../generated/api-prefix.ts'
import { Resources } from '../generated/resources.ts'
import { normalizeBaseUrl } from './base-url.ts'
import type { ClientOptions } from './options.ts'
import { Transport } from './transport.ts'

// The largest page, 100 orders with 1,000 lines each, has tens of megabytes.
const MAX_RESPONSE_BYTES = 100 * 1_048_576

/**
 * The client of the Fulfillment and Inventory API.
 *
 * @example
 * const client = new FulfillmentClient({ apiKey: process.env.FULFILLMENT_API_KEY!, baseUrl: 'https://fulfillment.example.com' })
 * const { orders } = await client.orders.list({ state_id: 1 })
 */
export class FulfillmentClient extends Resources {
  constructor(options: ClientOptions) {
    const { apiKey, baseUrl, timeoutMs = 30_000, maxRetries = 2, maxResponseBytes = MAX_RESPONSE_BYTES } = options ?? {}
    assertApiKey(apiKey)
    // Read at each call, so that an instrumented or mocked global fetch is used.
    const { fetch = (url, init) => globalThis.fetch(url, init), hooks = {} } = options
    const limits = { timeoutMs, maxRetries, maxResponseBytes }
    super(new Transport({ apiKey, baseUrl: normalizeBaseUrl(baseUrl, API_PREFIX), ...limits, fetch, hooks }))
  }
}

// Checked here because a runtime that rejects the header value quotes it in its error.
function assertApiKey(apiKey: unknown): void {
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new FulfillmentError('apiKey is missing: pass a key, for example from an environment variable')
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new FulfillmentError('apiKey holds white space or other characters that no key has')
}

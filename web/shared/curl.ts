import { FulfillmentClient } from '@fulfillment/sdk'

/** A call of the SDK that has not been sent. */
export type Call = (client: FulfillmentClient) => PromiseLike<unknown>

export interface ApiRequest {
  method: string
  url: string
  body?: string | undefined
}

/** The request that a call of the SDK sends, without sending it. `origin` is the public address of the service. */
export async function requestOf(call: Call, origin: string): Promise<ApiRequest | undefined> {
  let request: ApiRequest | undefined
  const capture = (url: string, init: RequestInit): Promise<Response> => {
    request = { method: init.method ?? 'GET', url, body: typeof init.body === 'string' ? init.body : undefined }
    return Promise.reject(new Error('not to be sent'))
  }
  const client = new FulfillmentClient({ baseUrl: origin, apiKey: 'session', maxRetries: 0, fetch: capture })
  await Promise.resolve(call(client)).catch(() => undefined)
  return request
}

/** The request as a command for a POSIX shell. The key is a variable there: it is never in the text. */
export function curlOf({ method, url, body }: ApiRequest): string {
  const parts = ['curl']
  if (method !== 'GET') parts.push('-X', method)
  parts.push(quoted(url), '-H', '"X-API-Key: $FULFILLMENT_API_KEY"')
  if (body !== undefined) parts.push('-H', quoted('Content-Type: application/json'), '-d', quoted(body))
  return parts.join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

import { FulfillmentError } from '../fulfillment-error.ts'

/**
 * The service's address without a trailing slash. A path in front of the API (`https://example.com/fulfillment`) is kept;
 * the API's own prefix, given by mistake, is not doubled.
 */
export function normalizeBaseUrl(baseUrl: string | URL, apiPrefix: string): string {
  const url = parse(baseUrl instanceof URL ? baseUrl.href : baseUrl)
  // The message leaves the value out: it may hold a password.
  if (url.username || url.password) throw new FulfillmentError('baseUrl must not contain a user name or password')
  if (url.search || url.hash) throw new FulfillmentError('baseUrl must end with its path, without a query or fragment')
  const path = url.pathname.replace(/\/+$/, '')
  return url.origin + (apiPrefix && path.endsWith(apiPrefix) ? path.slice(0, -apiPrefix.length) : path)
}

function parse(baseUrl: string): URL {
  // Not URL.canParse, which browsers have since 2023 only.
  try {
    if (/^https?:\/\//i.test(baseUrl)) return new URL(baseUrl)
  } catch {}
  // What stands before an @ may be a password.
  const shown = /@/.test(baseUrl) ? 'this' : JSON.stringify(baseUrl)
  throw new FulfillmentError(`baseUrl must be an http(s) address such as https://fulfillment.example.com, not ${shown}`)
}

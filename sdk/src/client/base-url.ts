import { FulfillmentError } from '../fulfillment-error.ts'

/**
 * The service's URL without a trailing slash. A path prefix (`https://example.com/fulfillment`) is kept. If the URL already ends with the
 * API's prefix, the prefix is removed, because every route begins with it.
 */
export function normalizeBaseUrl(baseUrl: string | URL, apiPrefix: string): string {
  const url = parse(baseUrl instanceof URL ? baseUrl.href : baseUrl)
  // The message omits the value, which contains a user name or password.
  if (url.username || url.password) throw new FulfillmentError('baseUrl must not contain a user name or password')
  if (url.search || url.hash) throw new FulfillmentError('baseUrl must end with its path, without a query or fragment')
  const path = url.pathname.replace(/\/+$/, '')
  return url.origin + (apiPrefix && path.endsWith(apiPrefix) ? path.slice(0, -apiPrefix.length) : path)
}

function parse(baseUrl: string): URL {
  // Not URL.canParse: browsers only have it since 2023.
  try {
    if (/^https?:\/\//i.test(baseUrl)) return new URL(baseUrl)
  } catch {}
  // The text before an @ may be a password.
  const shown = /@/.test(baseUrl) ? 'this' : JSON.stringify(baseUrl)
  throw new FulfillmentError(`baseUrl must be an http(s) address such as https://fulfillment.example.com, not ${shown}`)
}

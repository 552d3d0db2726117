import { FulfillmentError } from '../fulfillment-error.ts'

/** The value of a query field. An array is sent as a repeated parameter. */
export type Query = Record<string, unknown>

/** The id of a record in a path. */
export type PathId = string | number

/** Fills in the route's parameters, such as `{id}`, and adds the query. */
export function requestUrl(baseUrl: string, route: string, ids: readonly PathId[], query: Query): string {
  const remaining = [...ids]
  const path = route.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, remaining.shift()))
  const search = queryString(query)
  return baseUrl + path + (search && `?${search}`)
}

// An empty segment would turn "get one" into "list", and URL parsers resolve dot segments even if they are percent-encoded.
// Either would call another endpoint.
function pathSegment(name: string, value: PathId | undefined): string {
  const text = value == null ? '' : plainText(name, value)
  if (/^\.{0,2}$/.test(text))
    throw new FulfillmentError(`${name} is ${JSON.stringify(value)}, which cannot be part of a URL path`)
  try {
    return encodeURIComponent(text)
  } catch {
    throw new FulfillmentError(`${name} is ${JSON.stringify(value)}, which is no well-formed Unicode`)
  }
}

function queryString(query: Query): string {
  if (typeof query !== 'object') throw new FulfillmentError(`The filters must be an object, not ${JSON.stringify(query)}`)
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    // Left out, it would be no filter: a list of nothing would become one of everything.
    if (Array.isArray(value) && value.every((item) => item == null)) throw new FulfillmentError(`${name} must not be empty`)
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item != null) search.append(name, plainText(name, item))
    }
  }
  return search.toString()
}

// A Date or an object would be sent as text such as [object Object].
function plainText(name: string, value: unknown): string {
  const isPlain = typeof value === 'number' ? Number.isFinite(value) : ['string', 'boolean', 'bigint'].includes(typeof value)
  if (isPlain) return String(value)
  const what = typeof value === 'number' ? value : Object.prototype.toString.call(value).slice(8, -1)
  throw new FulfillmentError(`${name} must be text, a finite number or a boolean, not ${what}`)
}

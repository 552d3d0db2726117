import type { ErrorDetail } from '../generated/models.ts'
import { APIError, type ErrorCode } from './api-error.ts'
import { isObject, pageProblem } from './page.ts'
import { responseFields, unexpectedResponse } from './unexpected-response.ts'

interface Envelope {
  success?: unknown
  data?: unknown
  error?: unknown
}

interface Failure {
  code: ErrorCode
  message: string
  details?: unknown
}

/** The `data` of a successful response; a page must have the array `itemsKey`. Throws an {@link APIError} for any other response. */
export function readResponse(response: Response, text: string, itemsKey: string | undefined): object {
  const { success, data, error } = parseEnvelope(text)
  if (success === true && response.ok && isObject(data)) {
    const problem = itemsKey === undefined ? undefined : pageProblem(data, itemsKey)
    if (problem === undefined) return data
    throw unexpectedResponse(response, `HTTP ${response.status} with ${problem}`)
  }
  if (success !== false || !isFailure(error)) throw unexpectedResponse(response, describeUnexpected(response, text))
  const { code, message, details } = error
  throw new APIError({
    ...responseFields(response),
    code,
    message,
    details: Array.isArray(details) ? (details as ErrorDetail[]) : undefined,
  })
}

// Proxies and servers at a wrong URL return HTML or an empty body. The error reports that instead of a failure of the JSON parser.
function parseEnvelope(text: string): Envelope {
  try {
    return (JSON.parse(text) as Envelope | null) ?? {}
  } catch {
    return {}
  }
}

function isFailure(error: unknown): error is Failure {
  const { code, message } = (error ?? {}) as Partial<Failure>
  return typeof code === 'string' && typeof message === 'string'
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

function describeUnexpected(response: Response, text: string): string {
  const { status, type, headers } = response
  if (type === 'opaqueredirect' || REDIRECTS.has(status)) {
    return `Redirected to ${headers.get('Location') ?? 'another address'}, which the client does not follow: check baseUrl`
  }
  return `HTTP ${status} with a body that is not the API's: ${JSON.stringify(text.slice(0, 200))}`
}

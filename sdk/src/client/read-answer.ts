import type { ErrorDetail } from '../generated/models.ts'
import { APIError, type ErrorCode } from './api-error.ts'
import { parseRetryAfter } from './retry-delay.ts'

interface Envelope {
  success?: boolean
  data?: unknown
  error?: { code: ErrorCode; message: string; details?: ErrorDetail[] }
}

/** The `data` of a success; throws an {@link APIError} for anything else. */
export function readAnswer(response: Response, text: string): unknown {
  const { success, data, error } = parseEnvelope(text)
  if (response.ok && success === true) return data
  throw new APIError({
    status: response.status,
    code: error?.code ?? 'unexpected_response',
    message: error?.message ?? describeUnexpected(response, text),
    details: error?.details,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: parseRetryAfter(response.headers.get('Retry-After'), Date.now()),
  })
}

// Proxies and wrong addresses answer in HTML or nothing at all: that is a finding to report, not a failure of the parser.
function parseEnvelope(text: string): Envelope {
  try {
    return (JSON.parse(text) as Envelope | null) ?? {}
  } catch {
    return {}
  }
}

function describeUnexpected(response: Response, text: string): string {
  const { status, type, headers } = response
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    return `Redirected to ${headers.get('Location') ?? 'another address'}, which the client does not follow: check baseUrl`
  }
  return `HTTP ${status} with a body that is not the API's: ${JSON.stringify(text.slice(0, 200))}`
}

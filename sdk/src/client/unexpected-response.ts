import { APIError } from './api-error.ts'
import { parseRetryAfter } from './retry-delay.ts'

/** The error for a response that does not match the API's document. */
export function unexpectedResponse(response: Response, problem: string): APIError {
  const fields = responseFields(response)
  const request = fields.requestId === undefined ? '' : ` (request ${fields.requestId})`
  return new APIError({ ...fields, code: 'unexpected_response', message: problem + request })
}

/** The fields of an error that come from the response's status and headers. */
export function responseFields({ status, headers }: Response) {
  return {
    status,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get('Retry-After'), Date.now()),
  }
}

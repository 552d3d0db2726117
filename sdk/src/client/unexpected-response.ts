import { APIError } from './api-error.ts'
import { parseRetryAfter } from './retry-delay.ts'

/** The error for an answer that is not what the API documents. */
export function unexpectedResponse(response: Response, problem: string): APIError {
  const fields = answerFields(response)
  const request = fields.requestId === undefined ? '' : ` (request ${fields.requestId})`
  return new APIError({ ...fields, code: 'unexpected_response', message: problem + request })
}

/** What an error takes from the answer around the body. */
export function answerFields({ status, headers }: Response) {
  return {
    status,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get('Retry-After'), Date.now()),
  }
}

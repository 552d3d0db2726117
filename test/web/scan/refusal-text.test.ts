import { expect, it } from 'vitest'
import { refusalText } from '../../../web/scan/app/refusal-text.ts'

it.for<[code: string, message: string, text: string]>([
  ['unexpected_response', 'HTTP 502', 'No response from the server. Try again: nothing is done twice.'],
  ['internal_error', 'Internal server error, request id 5f0c6a52', 'The server has a problem. Try again.'],
  ['service_unavailable', 'The database of this tenant cannot be reached', 'The server has a problem. Try again.'],
  [
    'rate_limit_exceeded',
    'This session may make 600 requests a minute; try again in 49 s',
    'The server is busy. Wait a moment and try again.',
  ],
  [
    'ip_not_allowed',
    'The address 10.0.0.5 is not on the allow-list of this API key',
    'This network may not be used for this device. Tell the office.',
  ],
  [
    'origin_not_allowed',
    'Set PUBLIC_URL to the address that people use',
    'This address is not set up for scanning. Tell the office.',
  ],
  ['insufficient_scope', 'A test key has no access to live data', 'This device may not do this. Ask the office.'],
  ['idempotency_conflict', 'This Idempotency-Key was used with a different request', 'The server refused this'],
  ['method_not_allowed', 'PATCH is not allowed here; allowed: GET, PUT', 'This device may not do this.'],
  ['validation_error', 'packages[0].weight: must be at most 9999', 'The weight must be at most 9999'],
  ['validation_error', 'quantity: must be above 0; location_id: is required', 'The server refused this'],
  ['validation_error', 'line_id: must be an integer from 1', 'The server refused this'],
])('instead of %s, "%s", an operator reads "%s"', ([code, message, text]) => {
  expect(refusalText({ code, message })).toBe(text)
})

it.for<[code: string, message: string]>([
  ['invalid_code', 'This badge is not valid: it was replaced, is unknown, or its operator is no longer active'],
  ['rate_limit_exceeded', 'Too many refused sign-ins from this device; try again later'],
  ['not_on_device', 'Ada may not change stock on a device'],
  ['flow_error', 'The order is completed and cannot be picked'],
  ['validation_error', 'A tenant has at most 1000 enrolled devices; end the session of one first'],
  ['adjustment_error', 'Cannot remove 3 from location A_1: only 2 in stock'],
])('of %s, "%s" is for operators, too', ([code, message]) => {
  expect(refusalText({ code, message })).toBe(message)
})

it('an earlier try that is still running is an answer that has not come', () => {
  const message = 'A request with this Idempotency-Key is still running'
  expect(refusalText({ code: 'idempotency_conflict', message, retryAfterMs: 1_000 })).toMatch(/^No response from the server/)
})

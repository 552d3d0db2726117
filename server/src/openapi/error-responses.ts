import { API_ERROR_CODES, ERRORS, type ErrorCode } from '../errors/error-codes.ts'
import { INVALID_ID_MESSAGE } from '../procedures/fields/fields.ts'
import type { EndpointFacts } from '../procedures/endpoint-facts.ts'
import { AUTHENTICATED, headersOf } from './response-headers.ts'
import { described, type JsonObject, type Parameter } from './types.ts'

/** Error codes of every operation. */
const ALWAYS: ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'ip_not_allowed',
  'insufficient_scope',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

/** Statuses with the same codes in every operation. */
const SHARED: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  429: 'RateLimitExceeded',
  500: 'InternalError',
  503: 'ServiceUnavailable',
}

/** The error responses of an operation by status, and `default` for errors outside of it: a wrong method, a future code. */
export function errorResponses(endpoint: EndpointFacts, parameters: readonly Parameter[]): Record<string, JsonObject> {
  const byStatus = Map.groupBy(errorCodes(endpoint, parameters), (code) => ERRORS[code].status)
  const own = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => [
      status,
      SHARED[status] === undefined ? failureResponse(codes) : { $ref: `#/components/responses/${SHARED[status]}` },
    ])
  return { ...Object.fromEntries(own), default: { $ref: '#/components/responses/Failure' } }
}

function errorCodes(endpoint: EndpointFacts, parameters: readonly Parameter[]): ErrorCode[] {
  const codes = new Set<ErrorCode>([...ALWAYS, ...(endpoint.errors ?? [])])
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const { method } = endpoint
  if (inPath.length < parameters.length || method === 'PUT') codes.add('validation_error')
  if (inPath.length > 0) codes.add('not_found')
  if (inPath.some((parameter) => parameter.schema?.type === 'integer')) codes.add('invalid_id')
  if (method !== 'GET') codes.add('validation_error').add('payload_too_large').add('unsupported_media_type')
  if (method !== 'GET') codes.add('idempotency_conflict')
  return CODES.filter((code) => codes.has(code))
}

const CODES: readonly ErrorCode[] = API_ERROR_CODES

/** The component that lists every error code. */
export const ERROR_CODE_SCHEMA: JsonObject = {
  type: 'string',
  enum: CODES,
  description: `Every error code of the API, with its HTTP status:\n\n${CODES.map((code) => `- \`${code}\` (${ERRORS[code].status}): ${ERRORS[code].cause}`).join('\n')}`,
}

function codesOf(status: number): ErrorCode[] {
  return CODES.filter((code) => ERRORS[code].status === status)
}

function failureResponse(codes: readonly ErrorCode[]): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].cause}`).join('\n\n'),
    headers: {
      ...headersOf(codes.every(isWithoutKey) ? ['X-Request-Id'] : AUTHENTICATED),
      ...(codes.some((code) => WITH_RETRY_AFTER.has(code))
        ? { 'Retry-After': { description: 'Seconds to wait before retrying.', schema: { type: 'integer' } } }
        : {}),
    },
    content: {
      'application/json': {
        schema: failureSchema({ type: 'string', enum: codes }, codes.some(hasDetails)),
        examples: examplesOf(codes),
      },
    },
  }
}

const isWithoutKey = (code: ErrorCode): boolean => ERRORS[code].status === 401

const hasDetails = (code: ErrorCode): boolean => [400, 409].includes(ERRORS[code].status)

function examplesOf(codes: readonly ErrorCode[]): JsonObject {
  return Object.fromEntries(
    codes.map((code) => [code, { value: { success: false, error: { code, message: EXAMPLES[code] ?? ERRORS[code].cause } } }]),
  )
}

const WITH_RETRY_AFTER: ReadonlySet<ErrorCode> = new Set(['rate_limit_exceeded', 'service_unavailable', 'idempotency_conflict'])

const EXAMPLES: Partial<Record<ErrorCode, string>> = {
  insufficient_scope: 'This API key lacks the scope write:orders',
  invalid_id: `Path parameter id ${INVALID_ID_MESSAGE}`,
  validation_error: 'quantity: is required',
  quantity_conflict: 'expected_quantity: the level is 7, not 5',
  method_not_allowed: 'DELETE is not allowed here; allowed: GET, POST, HEAD',
  internal_error: 'Internal server error, request id 5f0c6a52-6a5e-4a0e-9d6f-3c1f3a2f7b11',
}

function failureSchema(code: JsonObject, withDetails: boolean): JsonObject {
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean', enum: [false], description: 'false: the call failed.' },
      error: {
        type: 'object',
        description: 'The error.',
        properties: {
          code: described(code, 'Machine-readable error code.'),
          message: { type: 'string', description: 'Human-readable description of the error and how to fix it.' },
          ...(withDetails ? { details: DETAILS } : {}),
        },
        required: ['code', 'message'],
      },
    },
    required: ['success', 'error'],
  }
}

const DETAIL = { type: 'string', description: 'Description of the error and how to fix it.' }

const SHORT_LINES = {
  type: 'array',
  description: 'With `insufficient_stock`: the lines of the order that cannot be reserved in full.',
  items: {
    type: 'object',
    properties: {
      position: { type: 'integer', description: 'Position of the line in `order_detail`, from 0.' },
      barcode: { type: 'string', description: 'Barcode of the line.' },
      quantity: { type: 'integer', description: 'Quantity ordered.' },
      available: { type: 'number', description: 'Quantity available after earlier lines.' },
    },
    required: ['position', 'barcode', 'quantity', 'available'],
  },
}

/** The component of an entry of `details`. */
export const ERROR_DETAIL_SCHEMA: JsonObject = {
  description: 'An invalid field, or an invalid item of a submitted array.',
  oneOf: [
    {
      type: 'object',
      properties: {
        index: { type: 'integer', description: 'Position in the submitted array of orders or of lines of a hold, from 0.' },
        error: DETAIL,
        lines: SHORT_LINES,
        available: {
          type: 'number',
          description: "With `insufficient_stock` of a hold: available quantity of the line's product.",
        },
      },
      required: ['index', 'error'],
    },
    {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Name of the field, such as `order_detail[0].quantity`.' },
        error: DETAIL,
        current_quantity: { type: 'number', description: 'The stock level. Only with `quantity_conflict`.' },
      },
      required: ['path', 'error'],
    },
  ],
}

const DETAILS = {
  type: 'array',
  description: 'One entry for each invalid field (`path`), or for each invalid item of a submitted array (`index`).',
  items: { $ref: '#/components/schemas/ErrorDetail' },
}

/** The error responses shared by several operations. */
export const SHARED_RESPONSES: Record<string, JsonObject> = {
  ...Object.fromEntries(Object.entries(SHARED).map(([status, name]) => [name, failureResponse(codesOf(Number(status)))])),
  Failure: {
    description:
      'Any other error, in the same format: `method_not_allowed` (405) when the path does not support the method, or a code added later.',
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      Allow: { description: 'Supported methods of the path, sent with `method_not_allowed`.', schema: { type: 'string' } },
    },
    content: {
      'application/json': {
        schema: failureSchema({ $ref: '#/components/schemas/ErrorCode' }, true),
        examples: examplesOf(['method_not_allowed']),
      },
    },
  },
}

/** Every error code with its HTTP status and its usual cause. Those `ofPages` are of the pages and of MCP, and not in the document. */
export const ERRORS = {
  missing_api_key: { status: 401, cause: 'The X-API-Key header is missing or empty.' },
  invalid_api_key: { status: 401, cause: 'The API key is unknown, malformed or revoked.' },
  expired_api_key: { status: 401, cause: 'The API key is past its expiration.' },
  ip_not_allowed: { status: 403, cause: "The caller's address is outside the key's allow-list." },
  insufficient_scope: { status: 403, cause: 'The API key lacks the required scope; the message names it.' },
  validation_error: {
    status: 400,
    cause: 'The input is missing or malformed, or a limit is reached; the message says what to change.',
  },
  invalid_id: { status: 400, cause: 'The id in the path is not a positive integer.' },
  creation_error: { status: 400, cause: 'A barcode of an order line matches no active product, or is the barcode of a pack.' },
  adjustment_error: {
    status: 400,
    cause: 'A removal exceeds the available stock, or an addition exceeds the maximum quantity.',
  },
  update_error: { status: 400, cause: "The order's current state does not permit the update." },
  cancel_error: { status: 400, cause: 'The order is already completed.' },
  flow_error: {
    status: 400,
    cause:
      'The state of the picking flow or of the order does not permit the call, the pick exceeds the ordered quantity, or the location is not pickable.',
  },
  insufficient_stock: {
    status: 400,
    cause: 'An order under the reservation policy `strict`, or a hold, cannot be reserved in full.',
  },
  hold_error: {
    status: 400,
    cause:
      'The reservation policy is `off` or not in effect yet, or the hold was released, has expired or was taken over by an order.',
  },
  inbound_error: {
    status: 400,
    cause: 'The state of the delivery does not permit the call, or more would be received than was announced.',
  },
  return_error: {
    status: 400,
    cause: 'The state of the return does not permit the call, or more would come back than was taken for the order or announced.',
  },
  count_error: {
    status: 400,
    cause:
      'The state or the scope of the count does not permit the call, or differences cannot be posted; `details` lists their lines.',
  },
  shipment_error: {
    status: 400,
    cause:
      'The state of the shipment or of its order does not permit the call, or more would be packed than was taken for the order.',
  },
  not_found: { status: 404, cause: 'The route does not exist, or the tenant has no such record.' },
  method_not_allowed: {
    status: 405,
    cause: 'The path does not support this method; the Allow header lists the supported methods.',
  },
  already_exists: {
    status: 409,
    cause: 'Another product has this barcode or SKU, another location this id, or another operator this e-mail address.',
  },
  quantity_conflict: { status: 409, cause: 'The stock level is not the `expected_quantity`; `details` has the level.' },
  idempotency_conflict: {
    status: 409,
    cause:
      'The Idempotency-Key was used with a different request, its first request is still running, or its stored response can no longer be read; or another record has the `reference`, `receipt_id` or `entry_id`.',
  },
  payload_too_large: { status: 413, cause: 'The body is larger than the limit.' },
  unsupported_media_type: { status: 415, cause: 'The body is not application/json.' },
  rate_limit_exceeded: {
    status: 429,
    cause:
      'The API key, or all keys of the tenant together, used up the requests of this minute; Retry-After says how long to wait.',
  },
  internal_error: { status: 500, cause: 'An error in the server; the message contains the request id.' },
  service_unavailable: {
    status: 503,
    cause:
      'The database is unavailable, the server is shutting down, or the tenant has too many requests in progress; Retry-After says how long to wait.',
  },
  no_session: { status: 401, cause: 'The request has no session, or its session has ended.', ofPages: true },
  invalid_code: { status: 401, cause: 'The sign-in code is unknown, used or too old.', ofPages: true },
  origin_not_allowed: { status: 403, cause: 'The origin of the request is not permitted.', ofPages: true },
  operator_required: { status: 403, cause: 'No operator is signed in on the device.', ofPages: true },
  operator_not_allowed: { status: 403, cause: 'The device may not make this call for that operator.', ofPages: true },
  not_on_device: { status: 403, cause: 'Devices do not have this operation, or not for this operator.', ofPages: true },
} as const satisfies Record<string, { status: number; cause: string; ofPages?: true }>

export type ErrorCode = keyof typeof ERRORS

/** Codes of the pages alone. */
type PageErrorCode = { [Code in ErrorCode]: (typeof ERRORS)[Code] extends { ofPages: true } ? Code : never }[ErrorCode]
/** Codes that the API's document lists. */
export type ApiErrorCode = Exclude<ErrorCode, PageErrorCode>

export const API_ERROR_CODES = (Object.keys(ERRORS) as ErrorCode[]).filter(
  (code): code is ApiErrorCode => !('ofPages' in ERRORS[code]),
)

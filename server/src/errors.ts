import { TRPCError } from '@trpc/server'

/** Every error code of the API with its HTTP status and, for native tRPC callers, tRPC's own code. */
export const ERRORS = {
  missing_api_key: { status: 401, trpc: 'UNAUTHORIZED', cause: 'The X-API-Key header is missing or empty.' },
  invalid_api_key: { status: 401, trpc: 'UNAUTHORIZED', cause: 'The API key is unknown, malformed or revoked.' },
  expired_api_key: { status: 401, trpc: 'UNAUTHORIZED', cause: 'The API key is past its expiration.' },
  ip_not_allowed: { status: 403, trpc: 'FORBIDDEN', cause: "The caller's address is outside the key's allow-list." },
  insufficient_scope: { status: 403, trpc: 'FORBIDDEN', cause: 'The API key lacks the scope that the message names.' },
  validation_error: {
    status: 400,
    trpc: 'BAD_REQUEST',
    cause: 'The input is missing or malformed; the message names the field.',
  },
  invalid_id: { status: 400, trpc: 'BAD_REQUEST', cause: 'A path id that must be an integer is not one.' },
  creation_error: { status: 400, trpc: 'BAD_REQUEST', cause: 'An order names a barcode that matches no active product.' },
  adjustment_error: {
    status: 400,
    trpc: 'BAD_REQUEST',
    cause: 'A removal is larger than the available stock, or an addition passes the maximum.',
  },
  update_error: { status: 400, trpc: 'BAD_REQUEST', cause: "The order's current state does not permit the update." },
  cancel_error: { status: 400, trpc: 'BAD_REQUEST', cause: 'The order is already completed.' },
  flow_error: {
    status: 400,
    trpc: 'BAD_REQUEST',
    cause: "The picking flow's or the order's state does not permit the call, or the pick is beyond what was ordered.",
  },
  not_found: { status: 404, trpc: 'NOT_FOUND', cause: 'No such route, or no such record in this tenant.' },
  method_not_allowed: {
    status: 405,
    trpc: 'METHOD_NOT_SUPPORTED',
    cause: 'The path exists, but not with this method; the Allow header lists the methods.',
  },
  already_exists: { status: 409, trpc: 'CONFLICT', cause: 'The barcode or the SKU is taken by another product.' },
  idempotency_conflict: {
    status: 409,
    trpc: 'CONFLICT',
    cause:
      'The Idempotency-Key was used with another request, its request is still running, or its answer can no longer be read.',
  },
  payload_too_large: { status: 413, trpc: 'PAYLOAD_TOO_LARGE', cause: 'The body is larger than the limit.' },
  unsupported_media_type: { status: 415, trpc: 'UNSUPPORTED_MEDIA_TYPE', cause: 'The body is not application/json.' },
  rate_limit_exceeded: {
    status: 429,
    trpc: 'TOO_MANY_REQUESTS',
    cause: 'The API key, or its tenant with all keys, used up its requests of this minute; Retry-After says when to go on.',
  },
  internal_error: { status: 500, trpc: 'INTERNAL_SERVER_ERROR', cause: 'A server fault; the message carries the request id.' },
  service_unavailable: {
    status: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    cause:
      'The database is out of reach, the server is shutting down, or the tenant has too many requests under way; Retry-After says when to try again.',
  },
} as const

export type ErrorCode = keyof typeof ERRORS

/** One entry of an error's `details`: `index` is a position in a submitted array, `path` the field that is wrong. */
export type ErrorDetail = { index: number; error: string } | { path: string; error: string }

/** A failure that the caller is told about, as `{ code, message, details? }` with the status of its code. */
export class ServiceError extends TRPCError {
  readonly errorCode: ErrorCode
  readonly details: ErrorDetail[] | undefined
  /** Sent as the `Retry-After` header, in seconds. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    errorCode: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super({ code: ERRORS[errorCode].trpc, message, cause: options.cause })
    this.name = 'ServiceError'
    this.errorCode = errorCode
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return ERRORS[this.errorCode].status
  }
}

const MAX_JOINED = 10

/** One text of the first ten parts, and of how many there are besides, so that no message is longer than somebody reads. */
export function joinFirst(parts: readonly string[], separator = '; '): string {
  const rest = parts.length - MAX_JOINED
  return parts.slice(0, MAX_JOINED).join(separator) + (rest > 0 ? `${separator}and ${rest} more` : '')
}

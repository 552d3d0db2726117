import { maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'
import { TRPCError } from '@trpc/server'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { databaseErrorToServiceError } from '../database/errors.ts'
import { ServiceError, type ErrorDetail } from '../errors.ts'
import { requestIdOf } from './request-id.ts'

interface FailureBody {
  success: false
  error: { code: string; message: string; details?: ErrorDetail[] }
}

/** The body of a failed answer. */
function failureBody(error: ServiceError): FailureBody {
  const { errorCode: code, message, details } = error
  return { success: false, error: details === undefined ? { code, message } : { code, message, details } }
}

/** Answers any error that reaches the framework, from whichever layer, in the API's one shape. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = serviceErrorOf(error, request)
  // What a server refuses while it stops has no cause, and is no fault.
  const isRefusal = failure.errorCode === 'service_unavailable' && failure.cause === undefined
  if (failure.status >= 500 && !isRefusal) request.log.error({ err: failure.cause ?? failure }, failure.message)
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds))
  reply.code(failure.status).type('application/json; charset=utf-8').send(failureBody(failure))
}

function serviceErrorOf(error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error
  return (
    databaseErrorToServiceError(cause) ??
    frameworkError(cause as FastifyError, request) ??
    new ServiceError('internal_error', `Internal server error, request id ${request.id}`, { cause })
  )
}

/** What the framework refuses before a handler runs. */
function frameworkError(error: Partial<FastifyError>, request: FastifyRequest): ServiceError | undefined {
  if (error.statusCode === 413) {
    return new ServiceError('payload_too_large', `The body is larger than ${request.routeOptions.bodyLimit} bytes`, {
      cause: error,
    })
  }
  if (error.statusCode === 415) return unsupportedMediaType(request)
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ServiceError('validation_error', error.message ?? 'The request is malformed', { cause: error })
  }
  return undefined
}

/** The failure of a body that is not JSON. */
export function unsupportedMediaType(request: FastifyRequest): ServiceError {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined)
    return new ServiceError('unsupported_media_type', `Content-Encoding ${encoding} is not supported; send the body as it is`)
  return new ServiceError(
    'unsupported_media_type',
    `Content-Type must be application/json, not ${request.raw.headers['content-type'] || 'absent'}`,
  )
}

const BAD_REQUEST = '400 Bad Request'
const CLIENT_ERRORS: Record<string, { status: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: BAD_REQUEST,
    message: `The URL and the headers of a request must not have more than ${maxHeaderSize} bytes together`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'The request took too long to arrive' },
}
const MALFORMED = { status: BAD_REQUEST, message: 'The request is not valid HTTP' }

/** How long a client that is not understood has to read why, until it is cut off. */
const READING_TIME_MS = 2_000

/** Answers what is not HTTP enough to become a request. */
export function answerClientError(this: { log: FastifyBaseLogger }, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const { status, message } = CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED
  const requestId = requestIdOf({ headers: {} })
  this.log.info({ reqId: requestId, err: error }, 'malformed request')
  const body = JSON.stringify({ success: false, error: { code: 'validation_error', message } } satisfies FailureBody)
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Its own half stays open, and it could send on for as long as it likes.
  setTimeout(() => socket.destroy(), READING_TIME_MS).unref()
}
